// What git outside of the workspace says about it.
#include <chrono>
#include <filesystem>

#include <boost/json/serialize.hpp>

#include "cli/run.h"
#include "testing/jail.h"
#include "testing/shell.h"

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
    // All but one, which shows that commands can write.
    void expect_sealed_from_commands(const std::vector<std::string>& paths,
                                     const std::string& root) {
        std::string script = "echo x > free\n";
        for (const std::string& path : paths) {
            script += "mkdir -p $(dirname " + path + "); echo evil > " + path + "\n";
        }
        const Ran ran =
            paddock({"run", "--root", root, "--", "sh", "-c", script + "true"}, as_user());
        if (ran.exit_code == 125) GTEST_SKIP() << ran.err;
        EXPECT_TRUE(os_exists(ws("free"))) << ran.err;
        for (const std::string& path : paths) EXPECT_FALSE(os_exists(ws(path))) << ran.err;
    }
};

TEST_F(OuterGit, says_what_searches_pass_over) {
    const auto found = [&] { return paddock({"glob", "*", "--root", ws()}, as_user()).out; };
    tree({"ROOT/.git/", "ROOT/a.o=", "ROOT/b.o=", "OUT/.config/git/ignore=a.o", "OUT/mine=b.o"});
    EXPECT_EQ(found(), "b.o\n");
    tree({"OUT/.gitconfig=[core]\n excludesFile = ~/mine\n"});
    EXPECT_EQ(found(), "a.o\n");
    tree({"OUT/.config/git/config=[core]\n excludesFile = ~/nowhere\n"});
    EXPECT_EQ(found(), "a.o\n") << "the file in the home directory is read last";
}

TEST_F(OuterGit, names_hooks_in_a_linked_worktree) {
    tree({"OUT/main/.git/config=[core]\n hooksPath = .myhooks\n",
          "OUT/main/.git/worktrees/w/commondir=../..\n", "OUT/main/.git/worktrees/w/HEAD=x\n"});
    tree({"ROOT/.git=gitdir: " + out() + "/main/.git/worktrees/w\n", "ROOT/.myhooks/"});
    expect_protected(".myhooks/pre-commit", ws());
    expect_written("sub/.myhooks/pre-commit", ws());
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

TEST_F(OuterGit, sees_where_the_repository_leads_by_ways_from_outside) {
    tree({"ROOT/.git/HEAD=x\n", "OUT/name->" + ws(),
          "ROOT/.git/config=[core]\n hooksPath = " + out() +
              "/name/ci\n[include]\n path = " + out() + "/team\n",
          "ROOT/.git/hooks/x->" + out() + "/name/scripts/x",
          "OUT/team=[core]\n hooksPath = mine\n"});
    for (const std::string& root : {ws(), out("name")}) {
        expect_protected("ci/pre-commit", root);
        expect_sealed_from_commands({"mine/x", "scripts/x"}, root);
    }
    expect_written("other/pre-commit", ws());
}

// It may lead anywhere in the directory of the repository.
TEST_F(OuterGit, seals_a_workspace_whose_settings_of_git_cannot_be_read) {
    tree({"OUT/fifo|", "ROOT/.git/HEAD=x\n"});
    expect_written("before", ws());
    for (const std::string& settings : {"[include]\n path = " + out() + "/fifo\n",
                                        std::string("[core]\n hooksPath = ~nobody/h\n")}) {
        os_write(ws(".git/config"), settings);
        expect_protected("file", ws());
    }
}

// What an agent plants for git outside to run: each place first shows that git would.
class ObeyedOutside : public OuterGit {
protected:
    void SetUp() override {
        OuterGit::SetUp();
        if (IsSkipped()) return;
        if (!has_program("git")) GTEST_SKIP() << "git is not installed";
        const Ran probe = paddock({"run", "--root", ws(), "--", "true"}, as_user());
        if (probe.exit_code == 125) GTEST_SKIP() << probe.err;
        os_write(out(".gitconfig"), kIdentity);
    }

    static constexpr const char* kIdentity = "[user]\n name = n\n email = e@example.org\n";
    std::string mark() const { return out("mark"); }
    std::string hook() const { return "#!/bin/sh\ntouch " + mark() + "\n"; }
    std::string config() const {
        return kIdentity + ("[core]\n fsmonitor = \"touch " + mark() + "; false\"\n");
    }

    void as_owner(const std::string& command, const std::string& directory) const {
        (void)run_shell(directory, "export HOME=" + out() + "; exec >/dev/null 2>&1; " + command);
    }
    bool is_obeyed(const std::string& directory) const {
        std::filesystem::remove(mark());
        as_owner("git commit --allow-empty -m x; git status", directory);
        return os_exists(mark());
    }

    // `path` is relative to the workspace at `root`.
    void expect_kept(const std::string& path, const std::string& content, const std::string& root) {
        const std::string whole = root + "/" + path;
        const auto before = os_read(whole);
        std::filesystem::create_directories(whole.substr(0, whole.rfind('/')));
        os_write(whole, content);
        std::filesystem::permissions(whole, std::filesystem::perms::owner_all);
        EXPECT_TRUE(is_obeyed(root)) << path << ": the attack is none";
        before ? os_write(whole, *before) : (void)std::filesystem::remove(whole);
        EXPECT_FALSE(is_obeyed(root)) << path;

        const boost::json::value call = {{"path", path}, {"content", content}};
        const Ran written = paddock(
            {"call", "write_file", boost::json::serialize(call), "--root", root}, as_user());
        EXPECT_NE(written.err.find("denied_by_rule"), std::string::npos) << path << written.err;

        os_write(root + "/planted", content);
        const Ran ran =
            paddock({"run", "--root", root, "--", "sh", "-c",
                     "mkdir -p ${0%/*}; rm -f $0; cp planted $0; chmod +x $0", "./" + path},
                    as_user());
        EXPECT_EQ(os_read(whole), before) << path << ran.err;
        EXPECT_FALSE(is_obeyed(root)) << path << ran.err;
    }
};

// What else the default rules let be changed, in a git directory and in packages.
TEST_F(ObeyedOutside, hooks_of_the_user_where_other_files_are_free) {
    as_owner("git init -q .", ws());
    for (const std::string hooks :
         {".git/myhooks", "node_modules/co/hooks/.husky", "certs/a.pub", ".myhooks"}) {
        for (const std::string& value : {hooks, ws(hooks)}) {
            os_write(out(".gitconfig"), kIdentity + ("[core]\n hooksPath = " + value + "\n"));
            expect_kept(hooks + "/pre-commit", hook(), ws());
        }
    }
}

TEST_F(ObeyedOutside, configurations_of_the_user_that_lie_inside) {
    as_owner("git init -q .", ws());
    tree({"ROOT/git/gitconfig=" + std::string(kIdentity), "ROOT/name->git/gitconfig",
          "ROOT/dot/git/config=" + std::string(kIdentity)});
    std::filesystem::remove(out(".gitconfig"));
    tree({"OUT/.gitconfig->@/ROOT/name"});
    expect_kept("git/gitconfig", config(), ws());
    expect_kept("name", config(), ws());
    std::filesystem::remove(out(".gitconfig"));
    tree({"OUT/.config/git->@/ROOT/dot/git"});
    expect_kept("dot/git/config", config(), ws());
    expect_written("git/gitconfig2", ws());
}

TEST_F(ObeyedOutside, configurations_of_a_repository_that_lie_inside) {
    as_owner("git init -q . && mkdir part && mv .git/config part/settings", ws());
    tree({"ROOT/.git/config->../part/settings"});
    expect_kept("settings", config(), ws("part"));
    expect_written("other", ws("part"));
}

TEST_F(OuterGit, has_its_settings_where_a_variable_says) {
    Setting setting = as_user();
    setting.variables["XDG_CONFIG_HOME"] = ws("xdg");
    const std::vector<std::string> words = {"call", "write_file", replacement("xdg/git/config"),
                                            "--root", ws()};
    EXPECT_NE(paddock(words, setting).err.find("denied_by_rule"), std::string::npos);
    setting.variables["HOME"] = "";
    EXPECT_NE(paddock(words, setting).err.find("denied_by_rule"), std::string::npos);
    expect_written("xdg/git/config", ws());
}

// Who may replace one of them leads git elsewhere.
TEST_F(OuterGit, has_links_inside_on_its_way) {
    tree({"ROOT/.git->part/there", "ROOT/part/there->@/OUT/main/.git",
          "OUT/main/.git/config=", "OUT/main/.git/HEAD=x\n", "ROOT/part/plain->@/OUT/main",
          "OUT/sub/a->@/ROOT/part", "OUT/.gitconfig->sub/a/b/c"});
    const auto moved = [&](const std::string& name) {
        return paddock({"mv", name, "moved", "--root", ws("part")}, as_user());
    };
    EXPECT_NE(moved("there").exit_code, 0);
    EXPECT_EQ(moved("plain").exit_code, 0);
    expect_protected("b/c", ws("part"));
    expect_written("b/d", ws("part"));
}

TEST_F(ObeyedOutside, hooks_of_a_repository_that_lead_inside) {
    as_owner("git init -q . && mkdir -p part/githooks && rm -r .git/hooks", ws());
    tree({"ROOT/.git/hooks/pre-commit->../../part/pre-commit"});
    expect_kept("pre-commit", hook(), ws("part"));
    std::filesystem::remove_all(ws(".git/hooks"));
    tree({"ROOT/.git/hooks->../part/githooks"});
    expect_kept("githooks/pre-commit", hook(), ws("part"));
    expect_written("other", ws("part"));
}

TEST_F(ObeyedOutside, hooks_of_the_user_that_lead_inside) {
    as_owner("git init -q . && mkdir part", ws());
    tree({"OUT/hooks/pre-commit->@/ROOT/part/check", "ROOT/mine/pre-commit->../part/checked"});
    const std::string core = kIdentity + std::string("[core]\n hooksPath = ");
    os_write(out(".gitconfig"), core + "~/hooks\n");
    expect_kept("check", hook(), ws("part"));
    os_write(out(".gitconfig"), core + "mine\n");
    expect_kept("checked", hook(), ws("part"));
    expect_kept("part/checked", hook(), ws());
    os_write(out(".gitconfig"), core + "part/hooks\n");
    expect_kept("hooks/pre-commit", hook(), ws("part"));
}

// What a file includes is looked for in the directory of the name under which it is found.
TEST_F(ObeyedOutside, what_a_file_of_two_names_includes) {
    as_owner("git init -q .", ws());
    tree({"OUT/dot/main=[include]\n path = local\n", "ROOT/cfg/main->@/OUT/dot/main"});
    os_write(out(".gitconfig"),
             kIdentity + ("[include]\n path = ~/dot/main\n path = " + ws("cfg/main") + "\n"));
    expect_kept("cfg/local", config(), ws());
}

TEST_F(OuterGit, is_read_to_an_end_whatever_names_it_gives_itself) {
    std::string names;
    for (int i = 0; i < 500; ++i) {
        const std::string name = "d" + std::to_string(i) + "/loop";
        tree({"OUT/" + name + "->../loop"});
        names += " path = ~/" + name + "\n";
    }
    tree({"OUT/loop=[include]\n" + names,
          "OUT/.gitconfig=[include]\n path = loop\n[core]\n hooksPath = .myhooks\n"});
    const auto begin = std::chrono::steady_clock::now();
    expect_protected(".myhooks/pre-commit", ws());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace paddock::testing
