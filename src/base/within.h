// Which paths lie below which, by their text.
#pragma once

#include <string_view>

namespace paddock {

// Is `path` the directory itself, or something below it? Both normalised, and both absolute or both
// relative to the same place; an empty directory holds everything.
constexpr bool is_within(std::string_view path, std::string_view directory) noexcept {
    if (directory.empty() || path == directory) return true;
    return path.starts_with(directory) && path[directory.size()] == '/';
}

}  // namespace paddock
