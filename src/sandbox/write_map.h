// Where a command may write, as far as names tell: which wall, if any, stands before a path. What
// the kernel enforces is decided elsewhere; this only explains it, and may be wrong about links.
//
// All memory is taken when the map is made: the warden, which must not allocate, can add to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/denial.h"

namespace paddock::sandbox {

class WriteMap {
public:
    // At first everything is behind Wall::kView but devices and what a process finds about itself
    // in /proc.
    WriteMap();

    // From now on `wall` (kNone: open) stands before `path` and all below that has no entry of its
    // own. `path` is absolute and without "." and "..". False if the map is full; it then says of
    // this path what it said before.
    bool set(std::string_view path, Wall wall) noexcept;

    // For the same kind of path.
    Wall wall_before(std::string_view path) const noexcept;

    // What the wall before it was set at: the path itself, or a directory above.
    std::string_view behind(std::string_view path) const noexcept;

    // Connections lead no further than the own loopback.
    bool loopback_only = true;
    // At 127.0.0.1 look-ups are refused by a name server (name_server.h), which logs them.
    bool refuses_look_ups = false;

private:
    struct Place {
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
        Wall wall = Wall::kNone;
    };

    std::string_view path_of(const Place& place) const noexcept;
    const Place* nearest(std::string_view path) const noexcept;  // null: there is none
    std::size_t first_not_before(std::string_view path) const noexcept;

    std::vector<Place> places_;  // sorted by path
    std::string text_;
};

}  // namespace paddock::sandbox
