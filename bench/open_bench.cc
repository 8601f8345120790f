// What the guard costs on an open for reading, by depth of the path, and on a refusal.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "harness.h"
#include "open_floor.h"
#include "roots.h"

namespace {

using paddock::Code;
using paddock::Root;
using paddock::bench::Group;
using paddock::bench::repeat;
using paddock::bench::Roots;

struct Stage {
    std::string directory;
    Roots roots;
    std::uint64_t mount = 0;

    int fd() const { return roots.kernel.fd(); }
};

// "source-1/source-2/file.txt" for depth 3, made with everything above it.
std::string make_file(const std::string& directory, int depth) {
    std::string path;
    for (int i = 1; i < depth; ++i) path += "source-" + std::to_string(i) + "/";
    std::filesystem::create_directories(directory + "/" + path);
    path += "file.txt";
    std::ofstream(directory + "/" + path) << "content\n";
    return path;
}

bool canonical_open(const std::string& root, const std::string& path) {
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(std::filesystem::path(root) / path, error);
    if (error || real.native().compare(0, root.size() + 1, root + "/") != 0) return false;
    const int fd = ::open(real.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ::close(fd);
    return true;
}

constexpr const char* kFloor = "C: openat2 + fstat + close";
constexpr const char* kWalkFloor = "C: openat + statx each, fstat";
constexpr const char* kGuarded = "paddock, openat2 resolver";
constexpr const char* kWalked = "paddock, walk resolver";

Group opening(const Stage& stage, int depth) {
    const std::string path = make_file(stage.directory, depth);
    std::optional<double> times_faster;
    if (depth == 8) times_faster = 3;
    const std::string& root = stage.directory;
    return {
        "open for reading, depth " + std::to_string(depth),
        {
            {kFloor, repeat([&stage, path] { return floor_open(stage.fd(), path.c_str()) == 0; })},
            {kGuarded,
             repeat([&stage, path] { return stage.roots.kernel.open_file(path).has_value(); }),
             kFloor, 1.3},
            {kWalkFloor, repeat([&stage, path] {
                 return floor_walk(stage.fd(), stage.mount, path.c_str()) == 0;
             })},
            {kWalked,
             repeat([&stage, path] { return stage.roots.walk.open_file(path).has_value(); }),
             kWalkFloor, 1.3},
            {"C: openat + close, no guard",
             repeat([&stage, path] { return floor_unguarded(stage.fd(), path.c_str()) == 0; }),
             kFloor},
            {"C: realpath + prefix check + open",
             repeat([&root, path] { return floor_realpath(root.c_str(), path.c_str()) == 0; }),
             kGuarded,
             {},
             times_faster},
            {"C++: weakly_canonical + prefix + open",
             repeat([&root, path] { return canonical_open(root, path); }), kGuarded},
        },
    };
}

Group refusing(const Stage& stage, const std::string& title, const std::string& path, int os_error,
               Code code) {
    const auto refuses = [path, code](const Root& root) {
        const auto opened = root.open_file(path);
        return !opened && opened.error().code == code;
    };
    return {
        title,
        {
            {kFloor, repeat([&stage, path, os_error] {
                 return floor_open(stage.fd(), path.c_str()) != 0 && errno == os_error;
             })},
            {kGuarded, repeat([&stage, refuses] { return refuses(stage.roots.kernel); }), kFloor},
            {kWalked, repeat([&stage, refuses] { return refuses(stage.roots.walk); }), kFloor},
        },
    };
}

}  // namespace

int main(int argc, char** argv) {
    const auto settings = paddock::bench::read_arguments(argc, argv, 2000);
    const paddock::bench::Scratch scratch(settings);
    auto roots = paddock::bench::open_roots(scratch.path());
    if (!roots) return paddock::bench::kSkipped;
    Stage stage{scratch.path(), std::move(*roots)};
    if (floor_mount_of(stage.fd(), &stage.mount) != 0) return 2;
    std::filesystem::create_symlink("/etc/passwd", scratch.path() + "/link");
    std::vector<Group> groups;
    for (const int depth : {1, 4, 8, 16}) groups.push_back(opening(stage, depth));
    groups.push_back(refusing(stage, "refuse '../..'", "../..", EXDEV, Code::kPathEscape));
    groups.push_back(
        refusing(stage, "refuse a link that leads out", "link", EXDEV, Code::kPathEscape));
    groups.push_back(refusing(stage, "a missing file", "missing.txt", ENOENT, Code::kNotFound));
    return paddock::bench::compare(groups, settings);
}
