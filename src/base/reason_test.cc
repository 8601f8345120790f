#include "base/reason.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(Reason, issue_17_1_has_two_words_that_say_something) {
    for (const char* reason :
         {"a test", "they are all ours", " x\ty ", "because of 1", "\xc3\xa9t\xc3\xa9 chaud"}) {
        EXPECT_TRUE(is_reason(reason)) << reason;
    }
    for (const char* none : {"", " ", "\t\r\n", "test", " test ", "1", "false ", "yes yes",
                             "on TRUE", "true test", "-- --", "1 2", "test --", "no.1"}) {
        EXPECT_FALSE(is_reason(none)) << none;
    }
}

TEST(Reason, switches_are_told_from_other_words) {
    EXPECT_EQ(switch_of("YES"), true);
    EXPECT_EQ(switch_of("Off"), false);
    EXPECT_EQ(switch_of(""), false);
    EXPECT_EQ(switch_of("falsehood"), std::nullopt);
    EXPECT_EQ(switch_of("ye"), std::nullopt);
}

}  // namespace
}  // namespace paddock
