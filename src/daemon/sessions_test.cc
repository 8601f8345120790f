#include "daemon/sessions.h"

#include <gtest/gtest.h>

namespace paddock::daemon {
namespace {

TEST(Sessions, belong_to_their_caller) {
    Sessions sessions(8);
    const auto begun = sessions.begin("alice");
    ASSERT_TRUE(begun);
    EXPECT_EQ(sessions.find(begun->id, "alice"), begun->conversation);
    EXPECT_EQ(sessions.find(begun->id, "bob"), nullptr);
    EXPECT_EQ(sessions.find("other", "alice"), nullptr);
    EXPECT_FALSE(sessions.end(begun->id, "bob"));
    EXPECT_TRUE(sessions.end(begun->id, "alice"));
    EXPECT_EQ(sessions.find(begun->id, "alice"), nullptr);
}

TEST(Sessions, the_one_silent_for_longest_makes_room) {
    Sessions sessions(3);
    const std::string first = sessions.begin("a")->id;
    const std::string second = sessions.begin("a")->id;
    const std::string third = sessions.begin("a")->id;
    EXPECT_NE(sessions.find(first, "a"), nullptr);
    sessions.begin("a").value();
    EXPECT_EQ(sessions.size(), 3U);
    EXPECT_NE(sessions.find(first, "a"), nullptr);
    EXPECT_EQ(sessions.find(second, "a"), nullptr);
    EXPECT_NE(sessions.find(third, "a"), nullptr);
}

}  // namespace
}  // namespace paddock::daemon
