// Removing the private directory of a session of the low rung with all that its commands left in
// it. Allocates nothing.
#pragma once

#include "base/outcome.h"
#include "sys/dir.h"

namespace paddock::sandbox {

// What cannot be removed stays; the failure says so. Nobody may be writing there any more.
Done remove_scratch(const char* parent, const char* name, sys::DirReader& reader);

}  // namespace paddock::sandbox
