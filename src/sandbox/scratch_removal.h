// Removing what commands left in a directory of their own: that of a session of the low level, or a
// home that lasts. Allocates nothing.
#pragma once

#include "base/outcome.h"
#include "sys/files.h"

namespace paddock::sandbox {

// What cannot be removed stays; the failure says so. Nobody may be writing there any more.
Done remove_scratch(const char* parent, const char* name, sys::DirReader& reader);

// The same for what lies in an open directory, which stays.
Done empty_scratch(int directory, sys::DirReader& reader);

}  // namespace paddock::sandbox
