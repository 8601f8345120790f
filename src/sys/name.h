// Changing the names in one directory. `name` is always a single component, never ".", "..", and
// never with a slash; no call follows a link.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>

#include "base/outcome.h"

namespace paddock::sys {

enum class Unlink : bool { kFile, kDirectory };

Done mkdirat(int directory, const char* name, mode_t mode);
Done unlinkat(int directory, const char* name, Unlink what);

enum class Rename : unsigned { kReplace = 0, kNoReplace = 1, kExchange = 2 };  // as in the kernel
Done renameat2(int from, const char* from_name, int to, const char* to_name, Rename how);

Done linkat(int from, const char* from_name, int to, const char* to_name);
// Gives the object behind a descriptor, one without a name too, a name. Goes through /proc.
Done link_descriptor(int fd, int to, const char* to_name);
// A FIFO, a socket or an empty file, by the type in `mode`.
Done mknodat(int directory, const char* name, mode_t mode);
// Of a name that is no link.
Done chmodat(int directory, const char* name, mode_t mode);
Done symlinkat(const char* target, int directory, const char* name);

// The text of a link; `name` may be empty, then `directory` is an O_PATH descriptor of the link.
Outcome<std::string> readlinkat(int directory, const char* name);

// The same for a path, without allocating: the size of the text, cut where `buffer` ends.
Outcome<std::size_t> read_link(const char* path, std::span<char> buffer);
Outcome<std::size_t> read_link_at(int directory, const char* name, std::span<char> buffer);

}  // namespace paddock::sys
