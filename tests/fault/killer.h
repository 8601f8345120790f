// A process that does the same thing again and again until it is killed in the middle of it.
#pragma once

#include <chrono>
#include <functional>
#include <random>

namespace paddock::testing {

// Starts a process that calls act(0), act(1), ... without end; lets a few begin, spins for a random
// part of `duration` and sends SIGKILL. Returns the number of the last one that had begun; a test
// failure and -1 if the process ended by itself. `act` runs without gtest: it ends the process with
// _exit if something is wrong.
long kill_in_the_middle(const std::function<void(long)>& act, std::mt19937& random,
                        std::chrono::steady_clock::duration duration);

// How long one call takes here, roughly.
std::chrono::steady_clock::duration duration_of(const std::function<void(long)>& act);

}  // namespace paddock::testing
