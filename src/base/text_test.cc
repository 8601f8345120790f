#include "base/text.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(Within, is_the_directory_and_what_lies_below_it) {
    EXPECT_TRUE(is_within("a/b", "a"));
    EXPECT_TRUE(is_within("a", "a"));
    EXPECT_TRUE(is_within("a", ""));
    EXPECT_FALSE(is_within("ab", "a"));
    EXPECT_FALSE(is_within("a", "a/b"));
    EXPECT_TRUE(is_within("/a/b", "/a"));
    EXPECT_FALSE(is_within("/ab", "/a"));
    EXPECT_FALSE(is_within("/a", "/a/b"));
}

}  // namespace
}  // namespace paddock
