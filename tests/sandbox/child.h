// Landlock cannot be taken off, so each test confines a child of its own.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include <paddock/sandbox.h>

namespace paddock::testing {

// Runs `body` in a forked child. What fails there is printed and fails the test here.
void in_child(const std::function<void()>& body);

// The highest Landlock ABI of this kernel, 0 without.
int kernel_abi();

// Why a test that needs `abi` cannot run here, or empty. A thread of a sanitizer counts.
std::string no_landlock(int abi);

// Descriptors of this process, counted without opening anything.
int count_descriptors();

// errno of the call made last if `result` is negative, else 0.
int error_of(long result);

// The plain OS: opens `path`, 0 or the errno.
int os_open_error(const std::string& path, int flags);

}  // namespace paddock::testing

#define NEEDS_LANDLOCK(abi)                                                               \
    do {                                                                                  \
        if (const std::string why_ = ::paddock::testing::no_landlock(abi); !why_.empty()) \
            GTEST_SKIP() << why_;                                                         \
    } while (false)
