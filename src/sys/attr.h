// Changing what an open object is like.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/outcome.h"

namespace paddock::sys {

Done fchmod(int fd, mode_t mode);
Done fchown(int fd, uid_t uid, gid_t gid);

// For O_PATH descriptors, which the two above refuse. fchmodat2 needs Linux 6.6 (ENOSYS before).
Done chmod_path_fd(int fd, mode_t mode);

// Follows `name` in a directory that is known to be procfs's own; see fs/procfs.h.
Done chmod_magic(int directory, const char* name, mode_t mode);

// Of an O_PATH descriptor too. An absent time is left as it is.
Done set_times(int fd, std::optional<std::chrono::nanoseconds> accessed,
               std::optional<std::chrono::nanoseconds> modified);

// The names, each ended by NUL; empty where the file system has none.
Outcome<std::string> list_xattrs(int fd);
Outcome<std::string> get_xattr(int fd, const char* name);
Done set_xattr(int fd, const char* name, std::string_view value);
Done remove_xattr(int fd, const char* name);
// By path, which may be the link of an O_PATH descriptor in /proc. `flags`: XATTR_.
Done set_xattr_at(const char* path, const char* name, std::string_view value, int flags);
Done remove_xattr_at(const char* path, const char* name);

}  // namespace paddock::sys
