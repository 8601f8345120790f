// The mounts that this process sees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/outcome.h"

namespace paddock::sandbox {

struct MountedHere {
    std::uint64_t id = 0;  // not sys::MountId, which is never used again
    std::string device;    // tells file systems apart: "8:1"
    std::string root;      // which directory of the file system is seen: "/", or what was bound
    std::string point;     // where
};

Outcome<std::vector<MountedHere>> mounts_here();

// The one that an open object was reached in.
Outcome<MountedHere> mount_of(int fd);

}  // namespace paddock::sandbox
