#include "git/link_trail.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "testing/jail.h"

namespace paddock::git {
namespace {

class Trail : public testing::Jail {
protected:
    // "link link > end".
    std::string of(const std::string& path) {
        const LinkTrail trail = follow_links(root({.symlinks = Symlinks::kReject}), path);
        std::string text;
        for (const std::string& link : trail.links) text += link + " ";
        return text + (trail.end ? "> " + *trail.end : "");
    }
};

TEST_F(Trail, passes_links_on_the_way_and_at_the_end) {
    tree({"ROOT/a/b/file=", "ROOT/x->a", "ROOT/a/up->../a/b/.", "ROOT/f->x/up/file"});
    EXPECT_EQ(of("a/b/file"), "> a/b/file");
    EXPECT_EQ(of("x/b/file"), "x > a/b/file");
    EXPECT_EQ(of("f"), "f x a/up > a/b/file");
    EXPECT_EQ(of("x"), "x > a");
    EXPECT_EQ(of("x/.."), "x > ");
}

TEST_F(Trail, goes_up_from_where_a_link_leads) {
    tree({"ROOT/a/b/c/", "ROOT/a/b/file=", "ROOT/file=", "ROOT/x->a/b/c", "ROOT/f->x/../file"});
    EXPECT_EQ(of("f"), "f x > a/b/file");
}

TEST_F(Trail, follows_absolute_links_that_stay_inside) {
    tree({"ROOT/a/file="});
    std::filesystem::create_symlink(ws("a"), ws("x"));
    EXPECT_EQ(of("x/file"), "x > a/file");
    EXPECT_EQ(of(ws("x/file")), "x > a/file");
    EXPECT_EQ(of("/etc/passwd"), "");
}

TEST_F(Trail, ends_where_something_would_be) {
    tree({"ROOT/d/", "ROOT/no->d/nothing", "ROOT/on->no/a/../b"});
    EXPECT_EQ(of("no/x"), "no > d/nothing/x");
    EXPECT_EQ(of("on"), "on no > d/nothing/b");
    EXPECT_EQ(of("nothing"), "> nothing");
    EXPECT_EQ(of("nothing/more/../../no/x"), "no > d/nothing/x");
    EXPECT_EQ(of("d/nothing/../../no"), "no > d/nothing");
}

TEST_F(Trail, has_no_end_outside_or_in_circles) {
    tree({"ROOT/out->../OUT", "ROOT/etc->/etc", "ROOT/loop->loop", "ROOT/f=x"});
    EXPECT_EQ(of("out"), "out ");
    EXPECT_EQ(of("etc/passwd"), "etc ");
    EXPECT_EQ(of("f/x"), "> f/x") << "in the place of the file a directory could be made";
    EXPECT_TRUE(of("loop").ends_with("loop "));
}

}  // namespace
}  // namespace paddock::git
