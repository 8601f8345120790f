#include "fs/path_walk.h"

#include <filesystem>

#include <paddock/limits.h>

#include "unit/state_jail.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

class PathWalkTest : public StateJail {
protected:
    // Where the walk ends: "path", "path?" if nothing is there, or the code.
    std::string end_of(std::string_view path, Symlinks symlinks = Symlinks::kInside) const {
        const auto end = fs::walk_path(state_, at(path), O_PATH, symlinks);
        if (!end) return std::string(code_name(end.error().code));
        return end->path() + (end->node ? "" : "?");
    }
};

TEST_F(PathWalkTest, finds_what_is_there) {
    tree({"ROOT/a/b/f=x"});
    EXPECT_EQ(end_of("a/b/f"), "a/b/f");
    EXPECT_EQ(end_of("a/b/"), "a/b");
    EXPECT_EQ(end_of("."), "");
    EXPECT_EQ(end_of("a/b/f/"), "not_a_directory");
    EXPECT_EQ(end_of("a/b/f/x"), "not_a_directory");
}

TEST_F(PathWalkTest, says_where_what_is_missing_would_go) {
    tree({"ROOT/a/", "ROOT/l->a"});
    EXPECT_EQ(end_of("a/x"), "a/x?");
    EXPECT_EQ(end_of("l/x/y/z"), "a/x/y/z?");
    const auto end = fs::walk_path(state_, at("l/x/y/z"), O_PATH, Symlinks::kInside);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->name, "x");
    EXPECT_EQ(end->missing, "y/z");
    EXPECT_FALSE(end->object.valid());
}

TEST_F(PathWalkTest, follows_links_that_stay_inside) {
    tree({"ROOT/a/b/f=x", "ROOT/rel->a/b/f", "ROOT/a/b/up->../../a", "ROOT/abs->@/ROOT/a",
          "ROOT/a/here->.", "ROOT/to_root->@/ROOT", "ROOT/chain->rel"});
    EXPECT_EQ(end_of("rel"), "a/b/f");
    EXPECT_EQ(end_of("a/b/up/b/f"), "a/b/f");
    EXPECT_EQ(end_of("a/b/up"), "a");
    EXPECT_EQ(end_of("abs/b"), "a/b");
    EXPECT_EQ(end_of("a/here/here/b"), "a/b");
    EXPECT_EQ(end_of("to_root"), "");
    EXPECT_EQ(end_of("chain"), "a/b/f");
}

TEST_F(PathWalkTest, refuses_links_that_leave) {
    tree({"ROOT/up->..", "ROOT/out->../OUT/secret", "ROOT/abs->@/OUT/secret",
          "ROOT/round->../ROOT/f", "ROOT/f=x", "ROOT/prefix->@/ROOTS"});
    for (const char* path : {"up", "out", "abs", "round", "prefix", "up/ROOT/f"}) {
        EXPECT_EQ(end_of(path), "path_escape") << path;
    }
}

TEST_F(PathWalkTest, refuses_every_link_where_asked_to) {
    tree({"ROOT/a/f=x", "ROOT/l->a"});
    EXPECT_EQ(end_of("l/f", Symlinks::kReject), "path_escape");
    EXPECT_EQ(end_of("l", Symlinks::kReject), "path_escape");
    EXPECT_EQ(end_of("a/f", Symlinks::kReject), "a/f");
}

TEST_F(PathWalkTest, makes_nothing_for_the_text_of_a_link) {
    tree({"ROOT/a/", "ROOT/dangling->a/new", "ROOT/far->a/x/new"});
    EXPECT_EQ(end_of("dangling"), "a/new?");
    EXPECT_EQ(end_of("dangling/y"), "not_found");
    EXPECT_EQ(end_of("far"), "not_found");
}

TEST_F(PathWalkTest, follows_as_many_links_as_the_kernel) {
    tree({"ROOT/f=x", "ROOT/l1->f", "ROOT/loop->loop"});
    for (int i = 2; i <= limits::kSymlinksMax + 1; ++i) {
        std::filesystem::create_symlink("l" + std::to_string(i - 1), ws("l" + std::to_string(i)));
    }
    EXPECT_EQ(end_of("l" + std::to_string(limits::kSymlinksMax)), "f");
    EXPECT_EQ(end_of("l" + std::to_string(limits::kSymlinksMax + 1)), "limit_reached");
    EXPECT_EQ(end_of("loop"), "limit_reached");
}

TEST_F(PathWalkTest, opens_the_end_as_asked) {
    tree({"ROOT/f=text", "ROOT/l->f"});
    const auto end = fs::walk_path(state_, at("l"), O_RDONLY | fs::kNoWait, Symlinks::kInside);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->node->stat.size, 4U);
    EXPECT_EQ(::fcntl(end->object.get(), F_GETFL) & (O_PATH | O_ACCMODE), O_RDONLY);
    EXPECT_EQ(::fcntl(end->object.get(), F_GETFD), FD_CLOEXEC);
}

}  // namespace
