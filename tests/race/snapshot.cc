#include "race/snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string_view>

#include <paddock/unique_fd.h>

namespace paddock::testing {
namespace {

std::string nanoseconds(const timespec& time) {
    return std::to_string(time.tv_sec) + '.' + std::to_string(time.tv_nsec);
}

std::string describe(const struct stat& found) {
    return std::to_string(found.st_ino) + " mode " + std::to_string(found.st_mode) + " links " +
           std::to_string(found.st_nlink) + " owner " + std::to_string(found.st_uid) + ':' +
           std::to_string(found.st_gid) + " size " + std::to_string(found.st_size) + " modified " +
           nanoseconds(found.st_mtim);
}

std::string content(int directory, const char* name) {
    const UniqueFd file(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    std::array<char, 4096> buffer;
    const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
    return size < 0 ? "(unreadable)" : std::string(buffer.data(), static_cast<std::size_t>(size));
}

void add_entries(int directory, const std::string& prefix, Snapshot& snapshot) {
    // A description of its own, because closedir closes it and readdir moves it.
    const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(own), &::closedir);
    if (entries == nullptr) throw std::runtime_error("cannot read a watched directory");
    while (const dirent* entry = ::readdir(entries.get())) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        struct stat found;
        if (::fstatat(own, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
        const std::string path = prefix + entry->d_name;
        std::string& text = snapshot[path];
        text = describe(found) + " changed " + nanoseconds(found.st_ctim);
        if (S_ISREG(found.st_mode)) text += " content " + content(own, entry->d_name);
        if (!S_ISDIR(found.st_mode)) continue;
        const UniqueFd child(
            ::openat(own, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        add_entries(child.get(), path + '/', snapshot);
    }
}

}  // namespace

Snapshot take_snapshot(int directory) {
    Snapshot snapshot;
    struct stat found;
    if (::fstat(directory, &found) != 0)
        throw std::runtime_error("cannot stat a watched directory");
    snapshot[""] = describe(found);
    add_entries(directory, "", snapshot);
    return snapshot;
}

std::size_t differences(const Snapshot& before, const Snapshot& after) {
    std::size_t count = 0;
    for (const auto& [name, text] : before) {
        const auto found = after.find(name);
        if (found == after.end() || found->second != text) ++count;
    }
    for (const auto& [name, text] : after) {
        if (!before.contains(name)) ++count;
    }
    return count;
}

}  // namespace paddock::testing
