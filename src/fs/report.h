// The border between Outcome and Result: adds the operation and the path as the caller wrote it.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <paddock/error.h>
#include <paddock/limits.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"

namespace paddock::fs {

// Retries of a whole operation whose target changed kind between look and act.
inline constexpr int kOperationRetriesMax = 64;

// Parses `path` for this root and hands it to `act`, which returns an Outcome<T>.
template <class Act>
auto report(std::string_view operation, const RootState& state, std::string_view path, Act act) {
    using Value = typename std::invoke_result_t<Act, const RelPath&>::value_type;
    using Answer = Result<Value>;
    const auto parsed = parse_path(path, state.rules);
    if (!parsed) return Answer(as_error(parsed.error(), operation, path));
    auto outcome = act(*parsed);
    if (!outcome) return Answer(as_error(outcome.error(), operation, path));
    if constexpr (std::is_void_v<Value>) {
        return Answer();
    } else {
        return Answer(std::move(*outcome));
    }
}

// The name no longer leads to what it led to, or no longer inside.
inline bool is_elsewhere(Code code) {
    return code == Code::kNotFound || code == Code::kNotADirectory || code == Code::kPathEscape ||
           code == Code::kMountCrossing;
}

// Repeats an operation whose target changed between look and act.
// A lookup that did not settle (EAGAIN) has had its time and is not given it again.
template <class Act>
auto retried(Act act) -> decltype(act()) {
    for (int i = 1;; ++i) {
        auto outcome = act();
        const bool settled =
            outcome || outcome.error().code != Code::kRace || outcome.error().os_error == EAGAIN;
        if (settled || i == kOperationRetriesMax) return outcome;
    }
}

}  // namespace paddock::fs
