// Which files a search takes in, and what it says of the others.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <paddock/limits.h>

#include "escape/unprivileged.h"
#include "tools/desk.h"
#include "tools/session.h"

namespace paddock::testing {
namespace {

class Glob : public Desk {
protected:
    std::string glob(const std::string& pattern, const std::string& path = ".") {
        return ok("glob", {{"pattern", pattern}, {"path", path}});
    }
};

TEST_F(Glob, an_absolute_pattern_below_the_root_is_one_of_the_workspace) {
    tree({"ROOT/src/a.c=", "ROOT/src/deep/b.c=", "OUT/x.c="});
    EXPECT_EQ(glob(ws("src/*.c")), "src/a.c\n");
    EXPECT_EQ(glob(ws("src/**/b.c"), "src/deep"), "src/deep/b.c\n");
    EXPECT_EQ(glob(ws("src/a.c")), "src/a.c\n");
    for (const std::string& pattern :
         {out("*.c"), out("x.c"), std::string("/*"), std::string("/etc/*"), ws("../*")}) {
        EXPECT_EQ(call("glob", {{"pattern", pattern}}).error, Code::kPathEscape) << pattern;
    }
}

TEST_F(Glob, issue_17_16_names_the_directory_that_could_not_be_read_and_why) {
    tree({"ROOT/a/f=", "ROOT/shut/f=", "ROOT/shut too/f="});
    (void)glob("f");  // the session is open
    const auto say = [&](const char* name, const std::string& notes) {
        ASSERT_EQ(::chmod(ws(name).c_str(), 0), 0);
        const Unprivileged user;
        EXPECT_TRUE(glob("f").ends_with("\n\n[" + notes + "]")) << glob("f");
        const std::string lines = ok("list_directory", {{"path", "."}, {"depth", 2}});
        EXPECT_NE(lines.find("shut too/  (permission_denied)\n"), lines.npos) << lines;
        const std::string found = ok("grep", {{"pattern", "x"}});
        EXPECT_NE(found.find(" (shut"), found.npos) << found;
    };
    say("shut too", "1 directory could not be read: 'shut too' (permission_denied).");
    say("shut", "2 directories could not be read: 'shut' (permission_denied), ...");
    for (const char* name : {"shut", "shut too"}) ASSERT_EQ(::chmod(ws(name).c_str(), 0700), 0);
}

TEST_F(Glob, of_grep_may_be_absolute_below_the_root) {
    tree({"ROOT/src/a.c=needle", "ROOT/lib/a.c=needle", "OUT/x.c=needle"});
    const auto grep = [&](const std::string& glob) {
        return call("grep", {{"pattern", "needle"}, {"glob", glob}}).text();
    };
    EXPECT_EQ(grep(ws("src/*.c")), "src/a.c\n");
    EXPECT_TRUE(grep(out("*.c")).starts_with("path_escape")) << grep(out("*.c"));
    EXPECT_TRUE(grep("../OUT/*.c").starts_with("path_escape"));
}

TEST_F(Glob, unconfined_patterns_climb_as_paths_do) {
    tree({"ROOT/src/a.c=needle", "OUT/x.c=needle", "OUT/d\xff/y.c=needle", "ROOT/out->../OUT"});
    options.unconfined = permit::Unconfined{"a test"};
    const auto grep = [&](const std::string& glob, const std::string& path = ".") {
        return ok("grep", {{"pattern", "needle"}, {"glob", glob}, {"path", path}});
    };
    for (const std::string& pattern : {std::string("../OUT/*.c"), std::string("src/../../OUT/*.c"),
                                       out("*.c"), std::string("../OUT/x.c")}) {
        EXPECT_EQ(glob(pattern), out("x.c") + "\n") << pattern;
        EXPECT_EQ(grep(pattern), out("x.c") + "\n") << pattern;
    }
    EXPECT_EQ(glob("../../OUT/*.c", "src"), out("x.c") + "\n");
    EXPECT_EQ(grep("../../OUT/*.c", "src"), out("x.c") + "\n");
    EXPECT_EQ(glob("src/../*/a.c"), "src/a.c\n");
    EXPECT_EQ(glob(R"("../OUT/d\377/*")"), "\"" + out("d\\377/y.c") + "\"\n");
    EXPECT_EQ(call("glob", {{"pattern", "*/../../OUT/*"}}).error, Code::kPathEscape)
        << "no directory that plain names lead to";
}

TEST_F(Glob, a_search_that_finds_nothing_says_what_it_passed_over) {
    tree({"ROOT/.github/ci.yml=job", "ROOT/.git/HEAD=x", "ROOT/build/out.o=job"});
    os_write(ws(".gitignore"), "build\n");
    EXPECT_EQ(glob("*.yml"),
              "No files match.\n\n"
              "[Skipped: hidden files and files that .gitignore excludes ('build', by line 1 of "
              "'.gitignore'); hidden=true and ignored=true include them.]");
    EXPECT_EQ(ok("glob", {{"pattern", "*.o"}, {"hidden", true}}),
              "No files match.\n\n"
              "[Skipped: files that .gitignore excludes ('build', by line 1 of '.gitignore'); "
              "ignored=true includes them.]");
    EXPECT_EQ(ok("glob", {{"pattern", "*.x"}, {"hidden", true}, {"ignored", true}}),
              "No files match.\n");
    EXPECT_NE(ok("grep", {{"pattern", "job"}}).find("[Skipped: hidden files"), std::string::npos);
}

TEST_F(Glob, issue_17_17_gitignore_counts_only_in_a_repository) {
    tree({"ROOT/init/main.c=needle", "ROOT/kernel/fork.c=needle"});
    os_write(ws(".gitignore"), ".*\n/*\n");
    EXPECT_EQ(glob("fork.c"), "kernel/fork.c\n");
    EXPECT_EQ(ok("grep", {{"pattern", "needle"}}), "init/main.c\nkernel/fork.c\n");
    EXPECT_EQ(ok("list_directory", {{"depth", 2}, {"ignore", json::Array{".*"}}}),
              "./\ninit/\n  main.c\nkernel/\n  fork.c\n");
    tree({"ROOT/.git/HEAD=x"});
    const std::string nothing = ok("grep", {{"pattern", "needle"}});
    EXPECT_TRUE(nothing.starts_with("No matches in 0 files")) << nothing;
    EXPECT_NE(nothing.find("('init', by line 2 of '.gitignore', and 1 more)"), nothing.npos)
        << nothing;
}

// ripgrep and fd look for ".git" above too.
TEST_F(Glob, issue_17_17_gitignore_counts_in_a_workspace_inside_a_repository) {
    tree({"ROOT/a.o=", "ROOT/a.c="});
    os_write(ws(".gitignore"), "*.o\n");
    EXPECT_EQ(glob("a.*").size(), std::string_view("a.c\na.o\n").size());
    reopen();
    os_write(base() + "/.git", "gitdir: elsewhere\n");
    EXPECT_EQ(glob("a.*"), "a.c\n");
}

TEST_F(Glob, ignore_files_above_the_workspace_are_not_read) {
    tree({"ROOT/a.o=", "ROOT/sub/b.o=", "ROOT/sub/.gitignore=*.o\n", "ROOT/.git/HEAD=x"});
    os_write(base() + "/.gitignore", "a.o\n");
    EXPECT_EQ(glob("*.o"), "a.o\n");
    EXPECT_TRUE(glob("*.o", "sub").starts_with("No files match.")) << "but those of its own";
}

TEST_F(Glob, a_search_that_takes_too_long_says_that_it_is_partial) {
    tree({"ROOT/d/a.c=needle", "ROOT/d/b.c=needle"});
    EXPECT_EQ(tools::Session::of(workspace()).search_time(), limits::kSearchTimeMax);
    tools::Session::of(workspace()).set_search_time(std::chrono::milliseconds(-1));
    const auto ends_with = [](const std::string& text, const std::string& end) {
        EXPECT_TRUE(text.ends_with(end)) << text;
    };
    ends_with(glob("*.c"), "Stopped after 0 s; the result is partial. Narrow the path.]");
    ends_with(ok("grep", {{"pattern", "needle"}}),
              "Stopped after 0 s, 0 files; the result is partial. Narrow the path.]");
    tools::Session::of(workspace()).set_search_time(std::chrono::seconds(30));
    EXPECT_EQ(glob("a.c"), "d/a.c\n");
}

TEST_F(Glob, a_name_with_a_dot_asks_for_hidden_files) {
    tree({"ROOT/.github/ci.yml=job", "ROOT/a/.npmrc=job", "ROOT/a/b=job"});
    for (const char* pattern : {".github/**", "./.github/*", "{.github,a}/*.yml", "a/../.*/*"}) {
        EXPECT_EQ(glob(pattern), ".github/ci.yml\n") << pattern;
    }
    EXPECT_EQ(glob("**/.npmrc"), "a/.npmrc\n");
    EXPECT_EQ(glob("./a/*"), "a/b\n") << "a step is no name";
    EXPECT_EQ(ok("grep", {{"pattern", "job"}, {"glob", ".github/**"}}), ".github/ci.yml\n");
}

}  // namespace
}  // namespace paddock::testing
