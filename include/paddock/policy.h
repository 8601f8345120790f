// What a session may do: access to paths, and limits of its calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace paddock {

enum class PathAccess : std::uint8_t { kAllow, kReadOnly, kDeny };

// A glob on paths relative to the root, and on everything below what it matches. Without a slash it
// matches at any depth.
struct PathRule {
    std::string pattern;
    PathAccess access = PathAccess::kDeny;
};

// Nothing: no limit.
struct CallLimits {
    std::optional<std::uint32_t> calls_per_second{};  // and as many at once after a pause
    std::optional<std::uint32_t> calls_in_flight = 64;
    std::optional<std::uint64_t> bytes_read{};
    std::optional<std::uint64_t> bytes_written{};
    std::optional<std::uint64_t> bytes_on_disk{};  // of all files together, in blocks of 4 kB
};

}  // namespace paddock
