// What an atomic replace of a 4 kB file costs, by how durable it is to be.
#include "harness.h"
#include "roots.h"
#include "write_floor.h"

namespace {

using paddock::Durability;
using paddock::Root;
using paddock::WriteOptions;
using paddock::bench::Group;
using paddock::bench::repeat;

constexpr const char* kFloor = "C: temp + write + rename";

Group replacing(const Root& root, const std::string& content, const std::string& title,
                Durability durability, floor_sync sync) {
    WriteOptions options;
    options.durability = durability;
    return {
        title,
        {
            {kFloor, repeat([&root, &content, sync] {
                 return floor_replace(root.fd(), "floor", content.data(), content.size(), sync) ==
                        0;
             })},
            {"paddock", repeat([&root, &content, options] {
                 return root.write_file("guarded", content, options).has_value();
             }),
             kFloor},
        },
    };
}

}  // namespace

int main(int argc, char** argv) {
    const auto settings = paddock::bench::read_arguments(argc, argv, 300);
    const paddock::bench::Scratch scratch(settings);
    const auto roots = paddock::bench::open_roots(scratch.path());
    if (!roots) return paddock::bench::kSkipped;
    const Root& root = roots->kernel;
    const std::string content(4096, 'x');
    Group plain = replacing(root, content, "replace 4 kB", Durability::kNone, FLOOR_SYNC_NONE);
    plain.contenders.push_back({"C: O_TRUNC + write, not atomic", repeat([&root, &content] {
                                    return floor_overwrite(root.fd(), "cut", content.data(),
                                                           content.size()) == 0;
                                }),
                                kFloor});
    return paddock::bench::compare(
        {
            plain,
            replacing(root, content, "replace 4 kB, content on disk", Durability::kFile,
                      FLOOR_SYNC_FILE),
            replacing(root, content, "replace 4 kB, content and name on disk",
                      Durability::kDirectory, FLOOR_SYNC_DIRECTORY),
        },
        settings);
}
