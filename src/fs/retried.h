// Repeating an operation whose target changed between look and act.
#pragma once

#include <cerrno>

#include <paddock/limits.h>

#include "base/outcome.h"

namespace paddock::fs {

// The name no longer leads to what it led to, or no longer inside.
inline bool is_elsewhere(Code code) {
    return code == Code::kNotFound || code == Code::kNotADirectory || code == Code::kPathEscape ||
           code == Code::kMountCrossing;
}

// A lookup that did not settle (EAGAIN) has had its time and is not given it again.
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
