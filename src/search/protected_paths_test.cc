#include "search/protected_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include <paddock/limits.h>

#include "escape/call_hook.h"
#include "policy/path_defaults.h"
#include "testing/jail.h"
#include "testing/shell.h"

namespace paddock::search {
namespace {

using policy::Access;
using policy::PathRules;

class Protected : public testing::Jail {
protected:
    void given(std::vector<PathRule> rules, bool defaults = true,
               std::vector<PathRule> further = {}) {
        rules_ = PathRules::compile(
                     rules, defaults ? policy::default_path_rules() : std::span<const PathRule>(),
                     further)
                     .value();
        paths_.reset();
    }

    std::string home;

    // "+" read-only, "-" hidden, "=" pinned; with the kind where it is one of git's.
    std::string found() {
        if (!paths_) paths_.emplace(root({.symlinks = Symlinks::kReject}), rules_, home);
        const auto list = paths_->find();
        if (!list) return "error: " + std::string(code_name(list.error().code));
        std::string text;
        for (const ProtectedPath& one : *list) {
            text += one.protection == Protection::kPinned   ? "="
                    : one.protection == Protection::kHidden ? "-"
                                                            : "+";
            text += one.path;
            text += one.kind == ProtectedKind::kGitConfig    ? ":config"
                    : one.kind == ProtectedKind::kGitHooks   ? ":hooks"
                    : one.kind == ProtectedKind::kGitPointer ? ":pointer"
                                                             : "";
            text += " ";
            EXPECT_NE(one.stat.identity.inode, 0U) << one.path;
            EXPECT_FALSE(one.rule.empty()) << one.path;
        }
        return text;
    }

    bool is_cut() const { return paths_->is_cut(); }

    int sh(const std::string& command) {
        return testing::run_shell(ws(), "exec >/dev/null 2>&1; " + command);
    }

private:
    PathRules rules_ = PathRules::compile({}, policy::default_path_rules()).value();
    std::optional<ProtectedPaths> paths_;
};

constexpr const char* kRepository[] = {"HEAD=ref: refs/heads/main\n", "objects/", "refs/"};

// Git outside of the tree obeys what lies there, repository or not.
TEST_F(Protected, are_further_rules_also_inside_a_git_directory) {
    tree({"ROOT/.git/myhooks/pre-commit=x", "ROOT/.git/modules/m/config=x",
          "ROOT/node_modules/co/.husky/pre-commit=x"});
    EXPECT_EQ(found(), "");
    given({}, true,
          {{"**/.git/myhooks", Access::kReadOnly},
           {"/.git/modules/m/config", Access::kReadOnly},
           {"**/node_modules/co/.husky", Access::kReadOnly}});
    EXPECT_EQ(found(),
              "=.git =.git/modules +.git/modules/m/config +.git/myhooks =node_modules/co "
              "+node_modules/co/.husky ");
}

TEST_F(Protected, are_what_rules_name_the_topmost_only) {
    tree({"ROOT/.env=", "ROOT/a/.env.local=", "ROOT/.env.example=", "ROOT/.vscode/x/settings.json=",
          "ROOT/b/.ssh/id_rsa=", "ROOT/b/.bashrc->nowhere",
          "ROOT/src/main.cc=", "ROOT/.claude/.env=", "ROOT/.claude/.vscode/x=", "ROOT/.Mcp.Json|"});
    EXPECT_EQ(found(),
              "+.Mcp.Json +.claude -.claude/.env -.env +.vscode -a/.env.local +b/.bashrc "
              "-b/.ssh ");
}

TEST_F(Protected, follow_the_operators_rules_first) {
    given(
        {{".vscode", Access::kAllow}, {".git/config", Access::kAllow}, {"docs/**", Access::kDeny}});
    tree({"ROOT/.vscode/x=", "ROOT/.git/config=", "ROOT/.git/hooks/",
          "ROOT/docs/a=", "ROOT/docs/b/c="});
    EXPECT_EQ(found(), "=.git +.git/hooks:hooks =docs -docs/a -docs/b ");
}

TEST_F(Protected, are_none_where_there_are_no_rules) {
    given({}, false);
    tree({"ROOT/.env=", "ROOT/.git/config=", "ROOT/.git/hooks/", "ROOT/x/.git=gitdir: ../.git"});
    EXPECT_EQ(found(), "");
    given({{".git", Access::kReadOnly}}, false);
    EXPECT_EQ(found(), "+.git +x/.git:pointer ");
}

TEST_F(Protected, are_the_parts_of_every_repository) {
    tree({"ROOT/.git/config=", "ROOT/.git/hooks/pre-commit=", "ROOT/.git/objects/",
          "ROOT/.git/HEAD=", "ROOT/a/b/c/d/e/.git/config=", "ROOT/a/b/c/d/e/.git/hooks/",
          "ROOT/node_modules/m/.git/config=", "ROOT/hooks/h=", "ROOT/config="});
    EXPECT_EQ(found(),
              "=.git +.git/config:config +.git/hooks:hooks "
              "=a/b/c/d/e/.git +a/b/c/d/e/.git/config:config +a/b/c/d/e/.git/hooks:hooks "
              "=node_modules/m/.git +node_modules/m/.git/config:config ");
}

TEST_F(Protected, are_the_parts_of_what_only_looks_like_a_repository) {
    tree({"ROOT/bare/config=", "ROOT/bare/hooks/x=", "ROOT/no/config=", "ROOT/no/hooks/",
          "ROOT/no/HEAD=", "ROOT/no/refs/"});
    for (const char* part : kRepository) tree({"ROOT/bare/" + std::string(part)});
    EXPECT_EQ(found(), "+bare/config:config +bare/hooks:hooks ");
    // It shares the parts of one that has no HEAD of its own.
    tree({"ROOT/x/HEAD=ref: refs/heads/m", "ROOT/x/commondir=../y\n",
          "ROOT/y/config=", "ROOT/y/refs/", "ROOT/y/objects/"});
    EXPECT_EQ(found(),
              "+bare/config:config +bare/hooks:hooks +x/commondir:pointer "
              "+y/config:config ");
}

TEST_F(Protected, are_what_leads_git_elsewhere_and_where_it_leads) {
    tree({"ROOT/w/.git=gitdir: ../store\n", "ROOT/store/config=", "ROOT/store/hooks/",
          "ROOT/l/.git->../other", "ROOT/other/config=", "ROOT/o/.git=gitdir: /etc\n",
          "ROOT/u/.git=gitdir: ../../OUT\n"});
    EXPECT_EQ(found(),
              "+l/.git:pointer +o/.git:pointer +other/config:config +store/config:config "
              "+store/hooks:hooks +u/.git:pointer +w/.git:pointer ");
}

TEST_F(Protected, are_the_hooks_and_files_that_a_config_names) {
    tree({"ROOT/.git/config=[core]\n hooksPath = tools/git\n[include]\n path = ../shared.conf\n",
          "ROOT/shared.conf=[includeIf \"onbranch:x\"]\n path = more/deep.conf\n",
          "ROOT/more/deep.conf=[core]\n hooksPath = @/ROOT/abs\n[include]\npath=deep.conf\n",
          "ROOT/tools/git/pre-commit=", "ROOT/abs/x=", "ROOT/more/x="});
    os_write(ws("more/deep.conf"), "[core]\n hooksPath = " + ws("abs") + "\n");
    EXPECT_EQ(found(),
              "=.git +.git/config:config +abs:hooks +more/deep.conf:config "
              "+shared.conf:config +tools/git:hooks ");
}

TEST_F(Protected, are_the_hooks_that_a_config_names_last) {
    tree({"ROOT/.git/config=[core]\n hooksPath = a\n hooksPath = b\n", "ROOT/a/x=", "ROOT/b/x="});
    EXPECT_EQ(found(), "=.git +.git/config:config +b:hooks ");
}

// Whichever config names the work tree.
TEST_F(Protected, are_the_hooks_in_a_work_tree_that_another_config_names) {
    tree({"ROOT/.git/config=[core]\n hooksPath = hk\n[include]\n path = more\n",
          "ROOT/.git/config.worktree=[core]\n worktree = ../tree\n", "ROOT/tree/hk/pre-commit=",
          "ROOT/.git/more=[core]\n worktree = ../other\n", "ROOT/other/hk/pre-commit=",
          "ROOT/.git/worktrees/w/HEAD=", "ROOT/.git/worktrees/w/commondir=../..\n",
          "ROOT/.git/worktrees/w/config.worktree=[core]\n worktree = ../../../third\n",
          "ROOT/third/hk/pre-commit="});
    for (const char* hooks : {"+tree/hk:hooks", "+other/hk:hooks", "+third/hk:hooks"}) {
        EXPECT_NE(found().find(hooks), std::string::npos) << found();
    }
}

// Git runs them in the work tree, however it comes to the repository.
TEST_F(Protected, are_the_hooks_of_a_repository_behind_a_link) {
    const std::string config = "=[core]\n hooksPath = hk\n";
    tree({"ROOT/a/.git->lnk/git", "ROOT/a/lnk->real", "ROOT/a/real/git/config" + config,
          "ROOT/a/hk/pre-commit=", "ROOT/b/.git=gitdir: lnk/git\n", "ROOT/b/lnk->real",
          "ROOT/b/real/git/config" + config, "ROOT/b/hk/pre-commit="});
    for (const char* part : kRepository) {
        tree({"ROOT/a/real/git/" + std::string(part), "ROOT/b/real/git/" + std::string(part)});
    }
    EXPECT_NE(found().find("+a/hk:hooks"), std::string::npos) << found();
    EXPECT_NE(found().find("+b/hk:hooks"), std::string::npos) << found();
}

TEST_F(Protected, are_what_a_config_names_from_the_home_of_the_user) {
    home = base();
    tree({"ROOT/.git/config=[core]\n hooksPath = ~/ROOT/hk\n[include]\n path = ~/ROOT/inc.conf\n",
          "ROOT/hk/pre-commit=", "ROOT/inc.conf=", "ROOT/ROOT/hk/x="});
    EXPECT_EQ(found(), "=.git +.git/config:config +hk:hooks +inc.conf:config ");
}

TEST_F(Protected, do_not_make_a_whole_workspace_a_directory_of_hooks) {
    tree(
        {"ROOT/.git/config=[core]\n hooksPath = .\n", "ROOT/r/.git/config=[core]\nhooksPath=..\n"});
    EXPECT_EQ(found(), "=.git +.git/config:config =r/.git +r/.git/config:config ");
}

TEST_F(Protected, are_no_branches) {
    tree({"ROOT/.git/config=", "ROOT/.git/refs/heads/fix.key=", "ROOT/.git/logs/refs/heads/id_rsa=",
          "ROOT/.git/modules/m/refs/heads/config=", "ROOT/.git/modules/m/refs/heads/hooks/x="});
    EXPECT_EQ(found(), "=.git +.git/config:config ");
}

TEST_F(Protected, pin_what_gives_a_rule_its_name) {
    given({{"a/b/secret", Access::kReadOnly}, {"top", Access::kReadOnly}});
    tree({"ROOT/a/b/secret/x=", "ROOT/d/top=", "ROOT/d/.aws/credentials=", "ROOT/d/e/.env="});
    EXPECT_EQ(found(), "=a =a/b +a/b/secret =d/.aws -d/.aws/credentials -d/e/.env +d/top ");
}

// Whatever else is renamed, one name by which the rule matches stays: the topmost, below which
// everything keeps it.
TEST_F(Protected, pin_one_of_the_names_that_would_do) {
    given({{"**/private/**/*.json", Access::kDeny}});
    tree({"ROOT/private/private/k.json=", "ROOT/x/private/y/private/z/k.json=",
          "ROOT/x/private/y/k.json="});
    EXPECT_EQ(found(),
              "=private -private/private/k.json =x/private -x/private/y/k.json "
              "-x/private/y/private/z/k.json ");
}

TEST_F(Protected, pin_the_names_of_one_of_the_rules_that_would_do) {
    given({{"**/a/*.json", Access::kDeny},
           {"**/b/**/*.json", Access::kDeny},
           {"**/c/d/**/*.json", Access::kDeny},
           {"**/e/f/**/*.json", Access::kDeny}});
    tree({"ROOT/b/a/k.json=", "ROOT/c/d/e/f/k.json="});
    EXPECT_EQ(found(), "=b -b/a/k.json =c =c/d -c/d/e/f/k.json ");
}

TEST_F(Protected, pin_a_directory_that_a_wildcard_counts_as_a_level) {
    given({{"**/a/*/k.json", Access::kDeny},
           {"/*/top.json", Access::kDeny},
           {"b/?/k.json", Access::kDeny},
           {"c/[!.]*/**/k.json", Access::kDeny}});
    tree({"ROOT/a/x/k.json=", "ROOT/x/top.json=", "ROOT/b/x/k.json=", "ROOT/c/x/y/k.json="});
    EXPECT_EQ(found(),
              "=a =a/x -a/x/k.json =b =b/x -b/x/k.json =c =c/x -c/x/y/k.json =x -x/top.json ");
}

TEST_F(Protected, pin_nothing_where_the_name_of_the_file_is_enough) {
    given({{"**/private/**/*.json", Access::kDeny}, {"*.json", Access::kDeny}});
    tree({"ROOT/private/k.json=", "ROOT/a/b/c/.env=", "ROOT/a/b/node_modules/m/.env="});
    EXPECT_EQ(found(), "-a/b/c/.env -a/b/node_modules/m/.env -private/k.json ");
}

// Judging each on its own would pass the limit several times over.
TEST_F(Protected, are_found_deep_in_a_tree) {
    const Root made = root({});
    std::string directory = "a";
    for (int depth = 1; depth < 1900; ++depth) directory += "/a";
    ASSERT_TRUE(made.mkdir_all(directory));
    std::string expected;
    for (int i = 10; i < 80; ++i) {
        const std::string path = directory + "/" + std::to_string(i) + ".pem";
        ASSERT_TRUE(made.write_file(path, "x"));
        expected += "-" + path + " ";
    }
    EXPECT_EQ(found(), expected);
    ASSERT_TRUE(made.mkdir(directory + "/.aws"));
    ASSERT_TRUE(made.write_file(directory + "/.aws/credentials", "x"));
    expected.insert(0, "=" + directory + "/.aws -" + directory + "/.aws/credentials ");
    EXPECT_EQ(found(), expected);
}

TEST_F(Protected, take_no_walk_for_each_link_of_a_deep_directory) {
    if (root({}).resolver() == ResolverKind::kWalk) GTEST_SKIP() << "each name takes calls there";
    const Root made = root({});
    std::string directory = "a";
    for (int depth = 1; depth < 200; ++depth) directory += "/a";
    ASSERT_TRUE(made.mkdir_all(directory));
    const auto calls = [&] { return testing::count_calls([&] { EXPECT_EQ(found(), ""); }); };
    const int without = calls();
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(made.symlink("nowhere", directory + "/" + std::to_string(i)));
    }
    EXPECT_LE(calls(), without + 100);
}

// What the rules tell apart in the same place is judged on its own.
TEST_F(Protected, pin_for_each_name_what_that_name_needs) {
    given({{"a/x*.json", Access::kAllow}, {"*.json", Access::kDeny}});
    tree({"ROOT/a/b/y.json=", "ROOT/a/c/x.json=", "ROOT/a/c/y.json="});
    EXPECT_EQ(found(), "-a/b/y.json =a/c -a/c/x.json -a/c/y.json ");
}

TEST_F(Protected, are_not_looked_for_without_end) {
    tree({"ROOT/a/b/.env=", "ROOT/.env="});
    const PathRules rules = PathRules::compile({}, policy::default_path_rules()).value();
    ProtectedPaths paths(root({.symlinks = Symlinks::kReject}), rules, {});
    const auto late = paths.find(std::chrono::milliseconds(-1));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Code::kLimitReached);
    EXPECT_EQ(paths.snapshot().directories(), 2U) << "what was seen by then is kept";
    EXPECT_EQ(paths.find()->size(), 2U);
}

TEST_F(Protected, are_found_again_when_they_change) {
    tree({"ROOT/a/x="});
    EXPECT_EQ(found(), "");
    tree({"ROOT/a/.env="});
    EXPECT_EQ(found(), "-a/.env ");
    tree({"ROOT/bare/config="});
    EXPECT_EQ(found(), "-a/.env ");
    for (const char* part : kRepository) tree({"ROOT/bare/" + std::string(part)});
    EXPECT_EQ(found(), "-a/.env +bare/config:config ");
    std::filesystem::rename(ws("bare"), ws("a/bare"));
    EXPECT_EQ(found(), "-a/.env +a/bare/config:config ");
    std::filesystem::remove_all(ws("a"));
    EXPECT_EQ(found(), "");
}

TEST_F(Protected, are_right_for_what_git_makes) {
    if (!testing::has_program("git")) GTEST_SKIP() << "git is not installed";
    ASSERT_EQ(sh("git init -q main && cd main && git config user.name n && "
                 "git config user.email e && git commit -q --allow-empty -m x && "
                 "git worktree add -q ../tree && cd .. && git clone -q --bare main bare.git && "
                 "cd main && git -c protocol.file.allow=always submodule add -q ../bare.git sub"),
              0);
    EXPECT_EQ(found(),
              "+bare.git/config:config +bare.git/hooks:hooks =main/.git +main/.git/config:config "
              "+main/.git/hooks:hooks =main/.git/modules +main/.git/modules/sub/config:config "
              "+main/.git/modules/sub/hooks:hooks =main/.git/worktrees "
              "=main/.git/worktrees/tree +main/.git/worktrees/tree/commondir:pointer "
              "+main/sub/.git:pointer +tree/.git:pointer ");
}

TEST_F(Protected, what_settings_lead_to_is_bounded) {
    tree({"ROOT/.git/HEAD=x", "ROOT/.git/config=[core]\nhooksPath=mine\n", "ROOT/mine/"});
    const std::string usual = "=.git +.git/config:config +mine:hooks ";
    EXPECT_EQ(found(), usual);
    EXPECT_FALSE(is_cut());
    const std::string text(limits::kGitConfigBytesMax - 100, '#');
    const std::size_t enough = limits::kGitLedBytesMax / text.size() + 1;
    std::string includes = "ROOT/.git/config=[core]\nhooksPath=mine\n[include]\n";
    for (std::size_t i = 0; i < enough; ++i) {
        tree({"ROOT/c/" + std::to_string(i) + "=" + text});
        includes += "path=../c/" + std::to_string(i) + "\n";
    }
    // Those of other repositories count as well, unless they are known.
    for (std::size_t i = 0; i < enough; ++i) {
        const std::string at = "ROOT/r" + std::to_string(i) + "/.git/";
        tree({at + "HEAD=x", at + "config=" + text});
    }
    EXPECT_NE(found().find("+r0/.git/config:config "), std::string::npos);
    EXPECT_TRUE(is_cut());
    const PathRules rules = PathRules::compile({}, policy::default_path_rules()).value();
    ProtectedPaths paths(root({.symlinks = Symlinks::kReject}), rules, {});
    const auto list = paths.find(limits::kProtectedLookTimeMax,
                                 [](const std::string& path) { return path == ".git/config"; });
    ASSERT_TRUE(list);
    EXPECT_TRUE(paths.is_flooded());
    EXPECT_TRUE(std::any_of(list->begin(), list->end(),
                            [](const ProtectedPath& entry) { return entry.path == "mine"; }));
    for (std::size_t i = 0; i < enough; ++i) {
        std::filesystem::remove_all(ws("r" + std::to_string(i)));
    }
    tree({includes});
    EXPECT_NE(found().find("+c/0:config "), std::string::npos);
    EXPECT_TRUE(is_cut());
    tree({"ROOT/.git/config=[core]\nhooksPath=mine\n"});
    EXPECT_EQ(found(), usual);
    EXPECT_FALSE(is_cut());
}

}  // namespace
}  // namespace paddock::search
