// One row of the gallery: a situation, a careless tool that falls for it, and the same wish put to
// paddock. Rows are data; trial.h runs them and judges both sides by the same measure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

#include "cli/prove/ground.h"

namespace paddock::cli::prove {

// What came of one try, as the one who tried sees it. What changed outside is seen by the judge.
struct Attempt {
    std::string got;              // bytes or names that were handed over
    std::optional<Code> refused;  // paddock said no
    std::string_view harm;        // damage that is neither a look nor a change outside
    bool would_block = false;     // the tool would now wait for ever
};

struct Race {
    std::string_view first;  // two names in the workspace, exchanged again and again
    std::string_view second;
    bool replant = false;  // each try uses the tree up, see Ground::replant
};

struct Attack {
    std::string_view id;  // in the attack catalogue
    std::string_view title;
    std::vector<std::string_view> tree = {};  // see Ground::plant
    Attempt (*careless)(const Ground& ground) = nullptr;
    Attempt (*guarded)(const Ground& ground, const Root& root) = nullptr;

    std::string_view root = {};     // absolute path, if the root is not the workspace
    std::string_view mounted = {};  // directory in the workspace on which the outside is mounted
    std::optional<Race> race = {};
};

// paddock's answer as an Attempt.
inline Attempt attempt(const Status& status) {
    Attempt made;
    if (!status) made.refused = status.error().code;
    return made;
}

inline Attempt attempt(const Result<std::string>& content) {
    Attempt made;
    if (content) made.got = *content;
    if (!content) made.refused = content.error().code;
    return made;
}

inline Attempt attempt(const Result<Listing>& listing) {
    Attempt made;
    if (!listing) made.refused = listing.error().code;
    if (!listing) return made;
    for (const ListEntry& entry : listing->entries) made.got += entry.name + "\n";
    return made;
}

inline Attempt attempt(const Result<Handle>& handle) {
    Attempt made;
    if (!handle) made.refused = handle.error().code;
    return made;
}

}  // namespace paddock::cli::prove
