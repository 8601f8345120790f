// The questions that only /proc answers. What goes through a descriptor first makes sure that /proc
// is procfs, and says not_available where it is not.
#pragma once

#include <string>

#include <paddock/handle.h>
#include "base/outcome.h"

namespace paddock::fs {

// The host path that an open object has now. Never shown to a caller.
Outcome<std::string> host_path_of(int fd);

// Is fs.protected_symlinks on? Yes, where it cannot be read.
bool links_are_protected();

// Changes the mode of a pinned object (O_PATH). Linux 6.6 does it by descriptor; the way through
// /proc can go when that is the oldest kernel served.
Done chmod_pinned(int fd, Mode mode);

}  // namespace paddock::fs
