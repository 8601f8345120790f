#include "tools/other_sessions.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "testing/jail.h"

namespace paddock::tools {
namespace {

class OtherSessionsTest : public testing::Jail {
protected:
    OtherSessionsTest() { std::filesystem::create_directories(base() + "/KEPT"); }

    std::optional<Root> kept() const { return Root::open(base() + "/KEPT").value(); }
};

TEST_F(OtherSessionsTest, are_at_rest_when_nobody_works) {
    OtherSessions one(kept(), root());
    OtherSessions other(kept(), root());
    EXPECT_TRUE(one.are_at_rest());
    one.begin();
    EXPECT_FALSE(other.are_at_rest());
    other.begin();
    one.rest();
    EXPECT_FALSE(one.are_at_rest()) << "the other one has begun since";
    one.rest();
    other.rest();
    EXPECT_TRUE(one.are_at_rest());
    one.rest();
    EXPECT_TRUE(other.are_at_rest());
}

// It may have been stopped in the middle of its look.
TEST_F(OtherSessionsTest, that_keep_their_turn_keep_nobody_from_working) {
    OtherSessions stopped(kept(), root());
    EXPECT_TRUE(stopped.are_at_rest());
    OtherSessions one(kept(), root());
    one.begin();  // comes back
    one.rest();
}

TEST_F(OtherSessionsTest, that_ended_work_no_longer) {
    OtherSessions one(kept(), root());
    {
        OtherSessions other(kept(), root());
        EXPECT_TRUE(other.are_at_rest());
        other.begin();
        EXPECT_FALSE(one.are_at_rest());
        one.rest();
    }
    EXPECT_TRUE(one.are_at_rest());
}

TEST_F(OtherSessionsTest, of_other_workspaces_do_not_count) {
    tree({"ROOT/a/", "ROOT/b/"});
    OtherSessions one(kept(), root().sub_root("a").value());
    OtherSessions other(kept(), root().sub_root("b").value());
    OtherSessions unseen(std::nullopt, root().sub_root("a").value());
    one.begin();
    EXPECT_TRUE(other.are_at_rest());
    EXPECT_TRUE(unseen.are_at_rest());
}

}  // namespace
}  // namespace paddock::tools
