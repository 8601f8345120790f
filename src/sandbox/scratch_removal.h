// Removing the private directory of a session of the low rung with all that its commands left in
// it. Allocates nothing.
#pragma once

#include "base/outcome.h"
#include "sys/dir.h"

namespace paddock::sandbox {

// What cannot be removed, or lies deeper than any program makes it, stays; the failure says so.
Done remove_scratch(const char* parent, const char* name, sys::DirReader& reader);

}  // namespace paddock::sandbox
