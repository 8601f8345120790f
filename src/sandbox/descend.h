// Going down a path of names from a directory, without following any link. Allocates nothing.
#pragma once

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sandbox {

// An O_PATH descriptor of what `path` (names only; "." or empty: `directory` itself) leads to, a
// link at its end included. Mounts are entered: whoever calls this made them. Errors:
// invalid_path for "..", an empty name or one that is too long; those of the kernel, and `reached`
// is then what was found last on the way, unless that is `directory`.
Outcome<UniqueFd> descend(int directory, const char* path, UniqueFd* reached = nullptr);

// The same, and it must be a directory.
Outcome<UniqueFd> descend_to_directory(int directory, const char* path);

}  // namespace paddock::sandbox
