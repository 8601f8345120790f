// The mount calls that work on descriptors (Linux 5.2 to 5.12), and pivot_root. Nothing here
// allocates, so all of it may be used between fork and exec.
#pragma once

#include <cstdint>
#include <span>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

enum class Tree : bool { kOne, kRecursive };

// A copy of the mount at `path` (empty: of `directory` itself) that is attached nowhere. A link at
// the end is not followed, no automount is triggered. Mounts below that the caller may not take
// off can only be copied along (EINVAL for kOne).
Outcome<UniqueFd> copy_mount(int directory, const char* path, Tree tree);

// Attributes of one mount, as in the kernel.
inline constexpr std::uint64_t kMountReadOnly = 0x01;
inline constexpr std::uint64_t kMountNoSetuid = 0x02;
inline constexpr std::uint64_t kMountNoDevices = 0x04;
inline constexpr std::uint64_t kMountNoExec = 0x08;

// Sets attributes, and stops mounts from spreading to and from other namespaces.
Done restrict_mount(int mount, std::uint64_t attributes, Tree tree);

// Takes attributes off again, which only whoever set them may.
Done loosen_mount(int mount, std::uint64_t attributes);

// Shows the owners of a mount that is attached nowhere as `user_namespace` maps them. Linux 5.12;
// EINVAL: this file system cannot.
Done map_owners(int mount, int user_namespace);

struct MountOption {
    const char* name = nullptr;
    const char* value = nullptr;  // null: a flag
};

// A new file system ("tmpfs", "proc", "devpts"), mounted nowhere yet.
Outcome<UniqueFd> new_mount(const char* type, std::span<const MountOption> options,
                            std::uint64_t attributes);

// Attaches a mount at `path` (empty: on `directory` itself). A link at the end is not followed.
Done attach_mount(int mount, int directory, const char* path);

// Makes the working directory the root, and takes off the old root.
Done pivot_root_here();

}  // namespace paddock::sys
