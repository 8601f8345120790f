// What a walk over a tree of 20,000 entries costs, by how the tree is shaped.
#include <filesystem>
#include <fstream>

#include "harness.h"
#include "roots.h"
#include "tree_floor.h"

namespace {

using paddock::Root;
using paddock::WalkAction;
using paddock::WalkEntry;
using paddock::bench::Group;
using paddock::bench::repeat;
using paddock::bench::Roots;
namespace stdfs = std::filesystem;

constexpr const char* kFloor = "C: openat + getdents64 + close";

// `outer` directories, in each `inner`, in each `files`.
struct Shape {
    int outer;
    int inner;
    int files;
};

// Returns the number of entries.
long grow(const std::string& base, const Shape& shape) {
    long made = 0;
    for (int i = 0; i < shape.outer; ++i) {
        const std::string above = base + "/outer-" + std::to_string(i);
        stdfs::create_directories(above);
        ++made;
        for (int j = 0; j < shape.inner; ++j) {
            const std::string directory = above + "/inner-" + std::to_string(j);
            stdfs::create_directories(directory);
            ++made;
            for (int k = 0; k < shape.files; ++k, ++made) {
                std::ofstream(directory + "/file-" + std::to_string(k) + ".txt");
            }
        }
    }
    return made;
}

bool walk(const Root& root, const std::string& name, long expected) {
    long seen = 0;
    const auto done = root.walk(name, [&seen](const WalkEntry&) {
        ++seen;
        return WalkAction::kContinue;
    });
    return done && seen == expected;
}

bool iterate(const std::string& path, long expected) {
    long seen = 0;
    for (const auto& entry : stdfs::recursive_directory_iterator(path)) {
        if (!entry.path().empty()) ++seen;
    }
    return seen == expected;
}

Group walking(const Roots& roots, const std::string& base, const std::string& name,
              const Shape& shape) {
    const std::string path = base + "/" + name;
    const long entries = grow(path, shape);
    const int directories = shape.outer * (1 + shape.inner);
    return {
        "walk 20,000 entries, " + std::to_string(directories) + " directories",
        {
            {kFloor, repeat([&roots, name, entries] {
                 return floor_tree(roots.kernel.fd(), name.c_str()) == entries;
             })},
            {"paddock, openat2 resolver",
             repeat([&roots, name, entries] { return walk(roots.kernel, name, entries); }), kFloor},
            {"paddock, walk resolver",
             repeat([&roots, name, entries] { return walk(roots.walk, name, entries); }), kFloor},
            {"C++: recursive_directory_iterator",
             repeat([path, entries] { return iterate(path, entries); }), kFloor},
        },
    };
}

}  // namespace

int main(int argc, char** argv) {
    const auto settings = paddock::bench::read_arguments(argc, argv, 20);
    const paddock::bench::Scratch scratch(settings);
    const auto roots = paddock::bench::open_roots(scratch.path());
    if (!roots) return paddock::bench::kSkipped;
    return paddock::bench::compare(
        {
            walking(*roots, scratch.path(), "full", {10, 20, 99}),
            walking(*roots, scratch.path(), "wide", {1, 2000, 9}),
        },
        settings);
}
