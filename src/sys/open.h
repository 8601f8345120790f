// Opening, always close-on-exec, EINTR retried.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

Outcome<UniqueFd> openat(int directory, const char* path, int flags, mode_t mode = 0);

// Always with the 24-byte structure of Linux 5.6, which every later kernel takes.
Outcome<UniqueFd> openat2(int directory, const char* path, int flags, std::uint64_t resolve);

// The same for a name that may be made, or none of its own (O_TMPFILE).
Outcome<UniqueFd> openat2(int directory, const char* path, int flags, mode_t mode,
                          std::uint64_t resolve);

// Takes O_NONBLOCK off an open file again.
Done let_wait(int fd);

// Has anybody this file open for writing, or mapped so? `fd` is read-only, and the file is that of
// this user. Not every file system says it.
Outcome<bool> is_open_for_writing(int fd);

Outcome<UniqueFd> duplicate(int fd, int lowest = 0);  // at that number or above
Done set_close_on_exec(int fd);

}  // namespace paddock::sys
