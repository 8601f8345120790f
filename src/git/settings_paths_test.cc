#include "git/settings_paths.h"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <csignal>
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

namespace {

class Obeyed : public testing::Jail {
protected:
    ObeyedPaths in(const std::string& directory) {
        return paths_obeyed_in(root({.symlinks = Symlinks::kReject}), directory, "");
    }
    // "obeyed obeyed ? unread".
    std::string of(const std::string& directory = {}) {
        const ObeyedPaths found = in(directory);
        std::string text;
        for (const std::string& path : found.all) text += path + " ";
        return text + (found.unread.empty() ? "" : "? " + found.unread);
    }
};

TEST_F(Obeyed, is_what_settings_and_links_lead_to) {
    tree({"ROOT/.git/config=[core]\n hooksPath = ci\n[include]\n path = ../more\n",
          "ROOT/.git/hooks/x->../../scripts/x", "ROOT/more=[include]\n path = no/where\n"});
    EXPECT_EQ(of(), ".git/hooks/x ci more no/where scripts/x ");
    EXPECT_EQ(of("sub"), "");
}

TEST_F(Obeyed, follows_links_before_it_goes_up) {
    tree({"ROOT/.git/config=[core]\n hooksPath = l/../hooks\n", "ROOT/a/b/", "ROOT/l->a/b"});
    EXPECT_EQ(of(), "a/hooks l ");
}

TEST_F(Obeyed, is_incomplete_where_a_file_cannot_be_read) {
    tree({"ROOT/.git/config=[core]\n hooksPath = ci\n[include]\n path = ../fifo\n", "ROOT/fifo|"});
    EXPECT_EQ(of(), "ci fifo ? fifo");
    tree({"ROOT/sub/.git/config=[core]\n hooksPath = ~nobody/x\n"});
    EXPECT_EQ(of("sub"), "? ~nobody/x");
    tree({"ROOT/big/.git/config=#" + std::string(limits::kGitConfigBytesMax, 'x')});
    EXPECT_EQ(of("big"), "? big/.git/config");
}

// A lease makes open() with O_NONBLOCK fail with EAGAIN.
TEST_F(Obeyed, is_incomplete_where_somebody_has_a_lease) {
    tree({"ROOT/.git/config=[core]\n hooksPath = ci\n"});
    EXPECT_EQ(of(), "ci ");
    (void)std::signal(SIGIO, SIG_IGN);
    const UniqueFd file(::open(ws(".git/config").c_str(), O_RDONLY | O_CLOEXEC));
    if (::fcntl(file.get(), F_SETLEASE, F_WRLCK) != 0)
        GTEST_SKIP() << "this file system has no leases";
    EXPECT_EQ(of(), "? .git/config");
    (void)::fcntl(file.get(), F_SETLEASE, F_UNLCK);
    EXPECT_EQ(of(), "ci ");
}

TEST_F(Obeyed, begins_relative_hooks_in_any_worktree) {
    tree({"ROOT/n/.git/config=[core]\n hooksPath = ci/h\n", "ROOT/n/ci/h/x->../y", "ROOT/w/z/",
          "ROOT/w/ci->z"});
    const auto hooks = in("n").relative_hooks;
    EXPECT_EQ(hooks, std::vector<std::string>{"ci/h"});
    const auto from =
        hooks_obeyed_from(root({.symlinks = Symlinks::kReject}), "w", {hooks.begin(), hooks.end()});
    EXPECT_EQ(from.all, (std::vector<std::string>{"w/ci", "w/z/h"}));
    tree({"ROOT/a/.git/config=[core]\n hooksPath = /ci\n",
          "ROOT/h/.git/config=[core]\n hooksPath = ~/ci\n"});
    EXPECT_TRUE(in("a").relative_hooks.empty());
    EXPECT_TRUE(in("h").relative_hooks.empty());
}

// Settings that lead out of a repository count for every worktree: its ".git" may lead there later.
TEST_F(Obeyed, beside_a_worktree_is_what_other_repositories_name) {
    tree({"ROOT/n/.git/config=[core]\n hooksPath = ../h\n", "ROOT/x/w/.git=gitdir: ../../m/.git",
          "ROOT/m/.git/config="});
    const auto all =
        leading_repositories(root({.symlinks = Symlinks::kReject}), {"n", "x/w", "m"}, "");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].outside, std::vector<std::string>{"h"});
    EXPECT_EQ(all[1].outside, std::vector<std::string>{"x/h"});
}

TEST_F(Obeyed, keeps_bad_text_that_git_refuses_too) {
    tree({"ROOT/.git/config=[core\n hooksPath = ci\n"});
    EXPECT_EQ(of(), "");
}

}  // namespace
}  // namespace paddock::git
