// Opening a regular file for reading.
#pragma once

#include <paddock/handle.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"

namespace paddock::fs {

// Checked to be a regular file, and that its hard links are to be read.
Outcome<Handle> open_readable(const RootState& state, const RelPath& path);

}  // namespace paddock::fs
