// Steps that several of Root's methods share.
#pragma once

#include <cerrno>

#include <paddock/handle.h>
#include <paddock/limits.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"

namespace paddock::fs {

// A regular file, open for reading and checked to be one.
Outcome<Handle> open_readable(const RootState& state, const RelPath& path);

// After a link count of 1 was read from an object opened at `path`: is it still there? If its name
// went away in between, the one name left may lie outside. race if so.
Done check_still_named(const RootState& state, const RelPath& path, const Stat& stat);

// An inode with several names may have one outside: it is never changed in place.
Done check_changeable(const Stat& stat);

// A file or directory whose metadata may be changed, pinned (O_PATH). Never the root.
Outcome<UniqueFd> pin_changeable(const RootState& state, const RelPath& path);

// Repeats an operation whose target changed between look and act. A lookup that did not settle
// (EAGAIN) has had its time and is not given it again.
template <class Act>
auto retried(Act act) -> decltype(act()) {
    for (int i = 1;; ++i) {
        auto outcome = act();
        const bool settled =
            outcome || outcome.error().code != Code::kRace || outcome.error().os_error == EAGAIN;
        if (settled || i == limits::kOperationRetriesMax) return outcome;
    }
}

}  // namespace paddock::fs
