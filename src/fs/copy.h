// Copying a file's content inside the kernel where it can be done there. Holes stay holes, so that
// a sparse file cannot fill the disk.
#pragma once

#include <cstdint>
#include <stop_token>

#include "base/outcome.h"

namespace paddock::fs {

// The first `size` bytes of `from`, less if it has become shorter, into the empty file `to`. Error:
// cancelled, soon after it was asked for.
Done copy_content(int from, std::uint64_t size, int to, const std::stop_token& cancel = {});

}  // namespace paddock::fs
