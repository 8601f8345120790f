// How much a reference test does. scripts/test runs the usual amount with the same cases every
// time; scripts/reference runs PADDOCK_REFERENCE_TIMES as much, with cases from PADDOCK_SEED.
#pragma once

#include <cstdlib>
#include <random>

#include "fault/budget.h"

namespace paddock::reference {

using Random = std::mt19937;

inline long effort() { return testing::budget("PADDOCK_REFERENCE_TIMES", 1, 1); }

inline long times(long usual) { return usual * effort(); }

inline Random random_cases(unsigned usual_seed) {
    return Random(static_cast<unsigned>(testing::budget("PADDOCK_SEED", 0, 0)) + usual_seed);
}

}  // namespace paddock::reference
