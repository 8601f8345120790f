// Asking what an object is. Nothing here follows a link or triggers an automount.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <paddock/handle.h>

#include "base/outcome.h"

namespace paddock::sys {

// Identifies a mount; compared only between values that one process obtained.
using MountId = std::uint64_t;

struct Node {
    Stat stat;
    MountId mount = 0;
};

// fstat: no mount id, the cheapest question.
Outcome<Stat> fstat(int fd);

// statx of the descriptor itself / of one name in a directory. not_available if the kernel does
// not report mount ids (before 5.8): without them mounts could not be told apart.
Outcome<Node> node(int fd);
Outcome<Node> node_at(int directory, const char* name);

// When one name in a directory was modified, and nothing else, which some file systems answer
// quicker.
Outcome<std::chrono::nanoseconds> modified_at(int directory, const char* name);

// Is it the root of a mount? Linux 5.8.
Outcome<bool> is_mount_root(int fd);

struct FileSystem {
    long type = 0;
    long flags = 0;
    std::uint64_t free_bytes = 0;  // for unprivileged users
};
Outcome<FileSystem> file_system(int fd);

// May the effective user write this object? Works on O_PATH descriptors. Or this name in a
// directory, a link itself; ENOSYS where the kernel cannot tell.
Done may_write(int fd);
Done may_write_at(int directory, const char* name);

// What the object behind a link of /proc/<id>/fd takes. Follows it.
struct Space {
    Identity identity;
    std::uint64_t bytes = 0;
};
Outcome<Space> space_behind(int directory, const char* name);

// The canonical absolute path of `path`, as the plain OS sees it. For the operator's root only.
Outcome<std::string> real_path(const char* path);
Outcome<Stat> stat_path(const char* path);

}  // namespace paddock::sys
