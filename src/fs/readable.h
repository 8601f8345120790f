// Opening a regular file for reading, and taking in all of it.
#pragma once

#include <cstdint>
#include <string>

#include <paddock/handle.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"

namespace paddock::fs {

// Checked to be a regular file, and that its hard links are to be read.
Outcome<Handle> open_readable(const RootState& state, const RelPath& path);

// The whole content of an open file that announces `size` bytes; too_large if it has more than
// `bytes_max`, limit_reached if there is no memory for it.
Outcome<std::string> read_content(int fd, std::uint64_t size, std::uint64_t bytes_max);

}  // namespace paddock::fs
