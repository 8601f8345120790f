// A command that holds a lock on a file of its workspace for as long as it lives: whether it still
// runs shows on the file.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <string>

#include <paddock/unique_fd.h>

namespace paddock::testing {

// Prints "locked" when it has the lock on the file "held" of its directory.
inline constexpr const char* kHoldLock = "exec 9>held; flock 9; echo locked; sleep 100000";

// `file` is the path of "held".
inline bool is_held(const std::string& file) {
    const UniqueFd held(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    return held.valid() && ::flock(held.get(), LOCK_EX | LOCK_NB) != 0;
}

// Waits until nobody holds the lock any more.
inline void await_end_of_holder(const std::string& file) {
    const UniqueFd held(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(held.valid());
    EXPECT_EQ(::flock(held.get(), LOCK_EX), 0);
}

}  // namespace paddock::testing

// In tests of a fixture that can tell by has_bash().
#define NEEDS_BASH()                                                         \
    do {                                                                     \
        if (!has_bash()) GTEST_SKIP() << "commands cannot be confined here"; \
    } while (false)
