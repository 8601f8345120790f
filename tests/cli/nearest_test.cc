#include "cli/nearest.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

const std::vector<std::string> kWords{"resolve", "doctor", "prove", "--root", "--resolver"};

TEST(Nearest, forgives_a_letter_too_many_too_few_wrong_or_swapped) {
    EXPECT_EQ(nearest("prrove", kWords), "prove");
    EXPECT_EQ(nearest("docor", kWords), "doctor");
    EXPECT_EQ(nearest("--roat", kWords), "--root");
    EXPECT_EQ(nearest("reslove", kWords), "resolve");
}

TEST(Nearest, takes_a_beginning) {
    EXPECT_EQ(nearest("--res", kWords), "--resolver");
    EXPECT_EQ(nearest("do", kWords), "doctor");
}

TEST(Nearest, does_not_guess_wildly) {
    EXPECT_EQ(nearest("", kWords), "");
    EXPECT_EQ(nearest("x", kWords), "");
    EXPECT_EQ(nearest("remove-everything", kWords), "");
    EXPECT_EQ(nearest(std::string(1 << 20, 'a'), kWords), "");
}

}  // namespace
}  // namespace paddock::cli
