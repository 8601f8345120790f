// What git outside of the workspace says about it.
#include "cli/run.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

class OuterGit : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
    }

    Setting as_user(const std::string& directory = {}) const {
        return {.directory = directory,
                .variables = {{"HOME", out()}, {"XDG_CONFIG_HOME", ""}, {"PWD", directory}}};
    }

    static std::string replacement(const std::string& path) {
        return R"({"path": ")" + path + R"(", "content": "#!/bin/sh\necho planted\n"})";
    }
    // A new file, so that nothing but a rule can be in the way.
    void expect_written(const std::string& path, const std::string& root) {
        const Ran ran =
            paddock({"call", "write_file", replacement(path), "--root", root}, as_user());
        EXPECT_EQ(ran.exit_code, 0) << path << ": " << ran.err;
    }
    void expect_protected(const std::string& path, const std::string& root) {
        const Ran ran =
            paddock({"call", "write_file", replacement(path), "--root", root}, as_user());
        EXPECT_NE(ran.exit_code, 0) << path;
        EXPECT_NE((ran.out + ran.err).find("denied_by_rule"), std::string::npos)
            << ran.out << ran.err;
    }
};

TEST_F(OuterGit, says_what_searches_pass_over) {
    const auto found = [&] { return paddock({"glob", "*", "--root", ws()}, as_user()).out; };
    tree({"ROOT/a.o=", "ROOT/b.o=", "OUT/.config/git/ignore=a.o", "OUT/mine=b.o"});
    EXPECT_EQ(found(), "b.o\n");
    tree({"OUT/.gitconfig=[core]\n excludesFile = ~/mine\n"});
    EXPECT_EQ(found(), "a.o\n");
    tree({"OUT/.config/git/config=[core]\n excludesFile = ~/nowhere\n"});
    EXPECT_EQ(found(), "a.o\n") << "the file in the home directory is read last";
}

TEST_F(OuterGit, names_hooks_in_a_linked_worktree) {
    tree({"OUT/main/.git/config=[core]\n hooksPath = .githooks\n",
          "OUT/main/.git/worktrees/w/commondir=../..\n", "OUT/main/.git/worktrees/w/HEAD=x\n"});
    tree({"ROOT/.git=gitdir: " + out() + "/main/.git/worktrees/w\n", "ROOT/.githooks/"});
    expect_protected(".githooks/pre-commit", ws());
    expect_written("sub/.githooks/pre-commit", ws());
    tree({"OUT/main/.git/worktrees/w/config.worktree=[core]\n hooksPath = other\n"});
    expect_protected("other/pre-commit", ws());
}

TEST_F(OuterGit, names_hooks_in_the_middle_of_a_repository) {
    tree({"ROOT/.git/config=[include]\n path = extra\n", "ROOT/.git/HEAD=x\n",
          "ROOT/.git/extra=[core]\n hooksPath = part/[a]\n", "ROOT/part/"});
    expect_protected("[a]/pre-commit", ws() + "/part");
    expect_written("a/pre-commit", ws() + "/part");
}

TEST_F(OuterGit, names_hooks_and_settings_of_the_user) {
    tree(
        {"OUT/.gitconfig=[core]\n hooksPath = .myhooks\n[include]\n path = " + ws() + "/shared\n"});
    expect_protected(".myhooks/pre-commit", ws());
    expect_protected("sub/.myhooks/pre-commit", ws());
    expect_protected("shared", ws());
    expect_written("sub/shared", ws());
}

// As git does, which takes no empty directory for a repository.
TEST_F(OuterGit, is_found_behind_a_directory_that_looks_like_another) {
    tree({"ROOT/.git/config=[core]\n hooksPath = part/hooks\n", "ROOT/.git/HEAD=x\n",
          "ROOT/part/.git/"});
    expect_protected("hooks/pre-commit", ws() + "/part");
}

TEST_F(OuterGit, opens_nothing_that_was_denied) {
    tree({"OUT/.gitconfig=[core]\n hooksPath = .myhooks\n", "ROOT/.myhooks/.env=SECRET=1\n"});
    const Ran ran =
        paddock({"call", "read_file", R"({"path": ".myhooks/.env"})", "--root", ws()}, as_user());
    EXPECT_NE(ran.err.find("denied_by_rule"), std::string::npos) << ran.out << ran.err;
}

TEST_F(OuterGit, has_settings_that_make_no_rule) {
    // Followed as they are written, they would be read more often than anybody can wait for.
    std::string spellings;
    for (int i = 0; i < 12; ++i) {
        spellings += " path = ." + std::string(static_cast<std::size_t>(i) + 1, '/') + "loop\n";
    }
    tree({"OUT/fifo|", "OUT/loop=[include]\n" + spellings + " path = fifo\n"});
    for (const std::string hooks : {"../hooks", ".", "./", "/", "\xff", "[a", "a//b/../c"}) {
        tree({"OUT/.gitconfig=[core]\n hooksPath = \"" + hooks +
              "\"\n[include]\n path = loop\n path = fifo\n"});
        expect_written("sub/" + std::to_string(hooks.size()), ws());
    }
    expect_protected("a/c/x", ws());
}

TEST_F(OuterGit, is_not_asked_where_there_are_no_default_rules) {
    tree({"OUT/.gitconfig=[core]\n hooksPath = .myhooks\n",
          "OUT/c.toml=[workspace]\ndefault_rules = false\n"});
    Setting setting = as_user();
    setting.variables["PADDOCK_CONFIG"] = out() + "/c.toml";
    const Ran ran =
        paddock({"call", "write_file", replacement(".myhooks/a"), "--root", ws()}, setting);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
}

// The workspace behind a link, as where /home is one: a hook that leads into it by that name.
TEST_F(OuterGit, reaches_a_workspace_by_the_name_that_its_user_gives_it) {
    tree({"ROOT/.git/hooks/", "ROOT/.git/HEAD=x", "ROOT/.git/config=", "OUT/name->" + ws(),
          "ROOT/.git/hooks/pre-commit->" + out() + "/name/scripts/check", "ROOT/scripts/"});
    expect_protected("scripts/check", out() + "/name");
    const Ran from_there =
        paddock({"call", "write_file", replacement("scripts/check")}, as_user(out() + "/name"));
    EXPECT_NE(from_there.exit_code, 0) << from_there.out;
    expect_written("scripts/other", out() + "/name");
}

}  // namespace
}  // namespace paddock::testing
