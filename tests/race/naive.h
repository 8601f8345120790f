// The careless twin of each operation: checks a path as a string, then gives the string to the OS.
// Each is what a program without pinned descriptors does, and each loses its race.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace paddock::testing::naive {

// Does realpath of `path`, or of its parent if it does not exist, begin with the workspace?
bool looks_inside(const std::string& workspace, const std::string& path);

// Each looks first, and acts only if that says "inside". True or a value: it acted.
std::optional<std::string> read(const std::string& workspace, const std::string& path);
bool write(const std::string& workspace, const std::string& path, std::string_view content);
bool create(const std::string& workspace, const std::string& path);  // exclusively
bool make_directories(const std::string& workspace, const std::string& path);
bool rename(const std::string& workspace, const std::string& from, const std::string& to);

// Each looks at the name with lstat, and acts if that says "not a link".
bool chmod(const std::string& path, mode_t mode);
bool touch(const std::string& path);
void remove_all(const std::string& path);
void walk(const std::string& path, const std::function<void(const std::string& path)>& visit);

bool is_link(const std::string& path);

}  // namespace paddock::testing::naive
