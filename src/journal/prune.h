// Removing old sessions from the journal: those over an age, then the oldest while all together
// take too much. A session that lives is never removed, nor one that is none of ours.
//
// How much a session takes is counted once, when it is over, and noted in its file "size".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "journal/place.h"

namespace paddock::journal {

// How often a new session looks for old ones to remove: each is opened for it.
inline constexpr std::chrono::hours kJournalPrunePause{1};

struct PruneLimits {
    std::chrono::hours age_max = limits::kJournalAgeMax;
    std::uint64_t bytes_max = limits::kJournalBytesMax;
};

struct Pruned {
    std::size_t sessions = 0;  // removed
    std::uint64_t bytes = 0;   // that they took
};

// Takes the workspace's lock. Nothing is removed where there is no journal.
Outcome<Pruned> prune(int workspace, Time now, const PruneLimits& limits);

// For whoever holds the lock: if it was not done for kJournalPrunePause.
Done prune_if_due(int journal, Time now);

// What a session that is over takes on the disk, its log included.
Outcome<std::uint64_t> session_bytes(int session);

}  // namespace paddock::journal
