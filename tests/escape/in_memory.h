// A jail in memory, for tests that make so many files that a disk would be the slowest part.
#pragma once

#include <unistd.h>

#include <cstdlib>

#include "testing/jail.h"

namespace paddock::testing {

// Uses /dev/shm where there is one and TMPDIR does not say otherwise.
template <class Fixture>
class InMemoryOf : public Fixture {
protected:
    static void SetUpTestSuite() {
        chosen_ = std::getenv("TMPDIR") == nullptr && ::access("/dev/shm", W_OK | X_OK) == 0;
        if (chosen_) ::setenv("TMPDIR", "/dev/shm", 1);
    }
    static void TearDownTestSuite() {
        if (chosen_) ::unsetenv("TMPDIR");
    }

private:
    static inline bool chosen_ = false;
};

using InMemory = InMemoryOf<Jail>;

}  // namespace paddock::testing
