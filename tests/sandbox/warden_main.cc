// The tests, or, run inside a sandbox with the name of an attempt, that attempt.
#include <gtest/gtest.h>

#include "sandbox/inmate.h"

int main(int argc, char** argv) {
    if (argc > 1 && argv[1][0] != '-') {
        return paddock::testing::attempt(argv[1], {argv + 2, argv + argc});
    }
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
