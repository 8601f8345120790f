#include "text/keys.h"

#include <gtest/gtest.h>

namespace paddock::text {
namespace {

TEST(Keys, are_what_a_terminal_sends) {
    EXPECT_EQ(key_bytes("enter", false), "\r");
    EXPECT_EQ(key_bytes("ctrl-c", false), "\003");
    EXPECT_EQ(key_bytes("ctrl-z", false), "\032");
    EXPECT_EQ(key_bytes("up", false), "\033[A");
    EXPECT_EQ(key_bytes("up", true), "\033OA");
    EXPECT_EQ(key_bytes("f12", true), "\033[24~");
    for (const char* none : {"", "Enter", "ctrl-", "ctrl-C", "ctrl-cc", "f13", "a"}) {
        EXPECT_EQ(key_bytes(none, false), std::nullopt) << none;
    }
}

}  // namespace
}  // namespace paddock::text
