#include "base/reason.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(Reason, issue_17_1_has_two_words_that_say_something) {
    for (const char* reason :
         {"a test", "they are all ours", " x\ty ", "because of 1", "\xc3\xa9t\xc3\xa9 chaud",
          "CI-only machine", "\xd0\xbd\xd0\xb0\xd1\x88 \xd1\x82\xd0\xb5\xd1\x81\xd1\x82"}) {
        EXPECT_TRUE(is_reason(reason)) << reason;
    }
    for (const char* none :
         {"", " ", "\t\r\n", "test", " test ", "1", "false ", "yes yes", "on TRUE", "true test",
          "-- --", "1 2", "test --", "no.1",
          // no-break, ideographic and invisible blanks, dashes, quotes
          "\xc2\xa0 \xc2\xa0", "\xe3\x80\x80 \xe3\x80\x80", "\xe2\x80\x8b \xe2\x80\x8b",
          "\xe2\x80\x94 \xe2\x80\x94",
          "\xc2\xa0"
          "false \xc2\xa0off",
          "'false' 'no'",
          "\xe2\x80\x9c"
          "false\xe2\x80\x9d off",
          "\"false\" # off", "n/a", "n/a n/a", "null null", "test test", "\xff\xfe \xfd"}) {
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
