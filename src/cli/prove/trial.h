// Runs one attack against one contender on fresh ground, and judges.
#pragma once

#include <optional>
#include <string>

#include "cli/prove/attack.h"
#include "cli/prove/report.h"

namespace paddock::cli::prove {

struct Terms {
    std::string scratch;  // an existing directory of ours; a trial makes and removes "ground" in it
    int rounds = 1;       // tries of a race
};

// Without a resolver the careless tool is tried, once: a race until it leaks or the rounds are
// over. With one, paddock: a race for all rounds. Never throws; what cannot be set up is kSkipped.
Verdict try_attack(const Attack& attack, std::optional<ResolverKind> resolver, const Terms& terms);

}  // namespace paddock::cli::prove
