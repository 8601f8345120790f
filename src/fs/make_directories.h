// Directories of paddock's own, outside of any workspace.
#pragma once

#include <string>

#include "base/outcome.h"

namespace paddock::fs {

// Makes the directories of an absolute path that are missing, for their owner only.
Done make_private_directories(const std::string& path);

}  // namespace paddock::fs
