// Copying a file's content inside the kernel where it can be done there. Holes stay holes, so that
// a sparse file cannot fill the disk.
#pragma once

#include <cstdint>

#include "base/outcome.h"

namespace paddock::fs {

// The first `size` bytes of `from`, less if it has become shorter, into the empty file `to`.
Done copy_content(int from, std::uint64_t size, int to);

}  // namespace paddock::fs
