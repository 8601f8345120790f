// A process that does the same thing again and again until it is killed in the middle of it: just
// before a system call of the sys seam, so that the moment depends on no machine's speed.
#pragma once

#include <cstddef>
#include <functional>
#include <random>

namespace paddock::testing {

// How many calls of the seam one act makes, roughly.
std::size_t calls_of(const std::function<void(long)>& act);

// Starts a process that calls act(0), act(1), ... until SIGKILL comes before a random call of one
// of the first few. Returns the number of the act that was hit; a test failure and -1 if the
// process ended by itself. `act` runs without gtest: it ends the process with _exit if something is
// wrong.
long kill_in_the_middle(const std::function<void(long)>& act, std::mt19937& random,
                        std::size_t calls_per_act);

}  // namespace paddock::testing
