#include "daemon/bearer.h"

#include <gtest/gtest.h>

namespace paddock::daemon {
namespace {

TEST(Bearer, secrets_are_long_and_new_each_time) {
    const std::string first = make_secret().value();
    EXPECT_EQ(first.size(), 64U);
    EXPECT_TRUE(is_usable_token(first));
    EXPECT_NE(first, make_secret().value());
}

TEST(Bearer, compares_the_whole) {
    EXPECT_TRUE(equal_secrets("abc", "abc"));
    for (const char* wrong : {"", "a", "ab", "abd", "xbc", "abcc", "abcabc", "abca"}) {
        EXPECT_FALSE(equal_secrets(wrong, "abc")) << wrong;
    }
    EXPECT_FALSE(equal_secrets("", ""));
    EXPECT_FALSE(equal_secrets("a", ""));
}

TEST(Bearer, reads_the_header) {
    EXPECT_EQ(bearer_of("Bearer abc"), "abc");
    EXPECT_EQ(bearer_of("bearer  abc"), "abc");
    EXPECT_EQ(bearer_of("Basic abc"), "");
    EXPECT_EQ(bearer_of("Bearer"), "");
    EXPECT_EQ(bearer_of(""), "");
}

TEST(Bearer, a_token_can_be_sent_and_not_be_guessed) {
    EXPECT_TRUE(is_usable_token("0123456789abcdef"));
    EXPECT_FALSE(is_usable_token("0123456789abcde"));
    EXPECT_FALSE(is_usable_token("0123456789 abcdef"));
    EXPECT_FALSE(is_usable_token("0123456789abcdef\n"));
    EXPECT_FALSE(is_usable_token(std::string(2000, 'x')));
}

}  // namespace
}  // namespace paddock::daemon
