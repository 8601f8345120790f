// What an undo must not bring back: hooks and settings into a repository that git obeys by now. A
// session may have made them when there was none, and removed them.
#pragma once

#include "journal/undo.h"

namespace paddock::cli {

// Judges the steps of an undo by the workspace as it is now, before the undo. `workspace` is
// borrowed for the call.
journal::IsSealed sealed_in(int workspace);

}  // namespace paddock::cli
