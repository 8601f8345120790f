// What may be changed in place: an inode with several names may have one outside.
#pragma once

#include <paddock/handle.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"

namespace paddock::fs {

// permission_denied for a regular file that has several hard links.
Done check_changeable(const Stat& stat);

// Is it the same file, with no name come or gone in between? A change of status without a change of
// content may be just that. race if not.
Done check_same_names(const Stat& before, const Stat& now);

// After a link count of 1 was read from an object opened at `path`: is it still there? If its name
// went away in between, the one name left may lie outside. race if so.
Done check_still_named(const RootState& state, const RelPath& path, const Stat& stat);

// A file or directory whose metadata may be changed, pinned (O_PATH). Never the root.
Outcome<UniqueFd> pin_changeable(const RootState& state, const RelPath& path);

}  // namespace paddock::fs
