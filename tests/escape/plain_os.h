// What the plain OS says of a path: the witness that a test compares with.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

namespace paddock::testing {

// Of the name itself, a link not followed; all zero if there is nothing.
inline struct stat os_stat(const std::string& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) return {};
    return found;
}

inline mode_t os_mode(const std::string& path) { return os_stat(path).st_mode & 07777U; }

// Temporary files of the library that are still somewhere below `path`.
inline std::vector<std::string> leftovers(const std::string& path) {
    std::vector<std::string> found;
    const auto skip = std::filesystem::directory_options::skip_permission_denied;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path, skip)) {
        const std::string name = entry.path().filename();
        if (name.starts_with(".paddock-")) found.push_back(name);
    }
    return found;
}

}  // namespace paddock::testing
