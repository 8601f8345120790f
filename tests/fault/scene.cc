#include "fault/scene.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>

namespace paddock::testing {
namespace stdfs = std::filesystem;

namespace {

constexpr int kDeepLevels = 18;  // more than one lookup holds open
constexpr uid_t kOtherUser = 65534;
constexpr time_t kDistantPast = 1'000'000'000;

void check(bool ok, const std::string& what) {
    if (!ok) throw std::runtime_error(what + " could not be arranged");
}

std::string repeated(std::string_view text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
}

std::string xattrs_of(const std::string& path) {
    std::array<char, 4096> names;
    const ssize_t size = ::llistxattr(path.c_str(), names.data(), names.size());
    std::string found;
    for (ssize_t at = 0; at < size;) {
        const std::string name = names.data() + at;
        std::array<char, 4096> value;
        const ssize_t bytes = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
        found += " " + name + "=";
        if (bytes > 0) found.append(value.data(), static_cast<std::size_t>(bytes));
        at += static_cast<ssize_t>(name.size()) + 1;
    }
    return found;
}

std::string description_of(const stdfs::path& path) {
    struct stat stat;
    check(::lstat(path.c_str(), &stat) == 0, path);
    std::array<char, 64> head;
    std::snprintf(head.data(), head.size(), "%06o %u:%u", stat.st_mode, stat.st_uid, stat.st_gid);
    std::string text = head.data();
    if (stat.st_mtime < kDistantPast) text += " at " + std::to_string(stat.st_mtime);
    if (S_ISLNK(stat.st_mode)) return text + " -> " + stdfs::read_symlink(path).string();
    text += xattrs_of(path);
    if (!S_ISREG(stat.st_mode)) return text;
    std::string content(static_cast<std::size_t>(stat.st_size), '\0');
    std::FILE* file = std::fopen(path.c_str(), "rb");
    check(file != nullptr, path);
    content.resize(std::fread(content.data(), 1, content.size(), file));
    std::fclose(file);
    return text + ": " + content;
}

}  // namespace

std::string deep_path() { return "deep" + repeated("/d", kDeepLevels); }

Scene::Scene() {
    ::umask(022);
    tree({"OUT/a=outside-secret", "OUT/sub/b=outside-secret", "OUT/target=outside-secret"});
    restore();
}

void Scene::restore() {
    const std::string deep = deep_path();
    const bool is_deep = os_exists(ws(deep + "/up"));
    for (const std::string& name : os_list(ws())) {
        if (name != "deep" || !is_deep) stdfs::remove_all(ws(name));
    }
    tree({"ROOT/dir/a=1", "ROOT/dir/sub/b=2", "ROOT/dir/sub/c=3", "ROOT/empty/",
          "ROOT/link->dir/target", "ROOT/abs->@/ROOT/dir", "ROOT/dir/escape->../../OUT/secret",
          "ROOT/dangling->dir/sub/to-be-made"});
    os_write(ws("dir/target"), kOld);
    os_write(ws("file"), kOld);
    check(::chmod(ws("file").c_str(), 0640) == 0, "mode");
    // Not every file system takes user attributes; then there are none to keep.
    (void)::setxattr(ws("file").c_str(), "user.note", "kept", 4, 0);
    if (is_root()) check(::chown(ws("file").c_str(), kOtherUser, kOtherUser) == 0, "owner");
    if (is_deep) return;
    stdfs::create_directories(ws(deep));
    stdfs::create_symlink(repeated("../", kDeepLevels + 1) + "dir", ws(deep + "/up"));
}

Snapshot Scene::snapshot() const {
    Snapshot found;
    for (const auto& entry : stdfs::recursive_directory_iterator(base())) {
        found.emplace(entry.path().string().substr(base().size() + 1),
                      description_of(entry.path()));
    }
    return found;
}

std::size_t Scene::take_temporaries(Snapshot& snapshot) {
    return std::erase_if(snapshot, [](const auto& entry) {
        return entry.first.find("/.paddock-") != std::string::npos;
    });
}

std::string Scene::difference(const Snapshot& found, const Snapshot& expected) {
    std::string lines;
    const auto add_missing = [&](const Snapshot& from, const Snapshot& in, const char* mark) {
        for (const auto& [path, state] : from) {
            const auto match = in.find(path);
            if (match != in.end() && match->second == state) continue;
            lines += mark + path + ": " + state + '\n';
        }
    };
    add_missing(expected, found, "- ");
    add_missing(found, expected, "+ ");
    return lines;
}

}  // namespace paddock::testing
