#include "git/obeyed_names.h"

#include <gtest/gtest.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "escape/in_memory.h"
#include "policy/path_defaults.h"
#include "policy/path_rules.h"
#include "testing/secret_samples.h"

namespace paddock::git {
namespace {

using policy::PathRules;
using testing::Chance;

TEST(ObeyedNames, the_worktree_of_a_submodule_is_no_part_of_a_git_directory) {
    EXPECT_TRUE(is_worktree_of_submodule(".git/modules/m", "../../../m"));
    EXPECT_FALSE(is_worktree_of_submodule(".git/modules/m", "../../../.git/hooks"));
    EXPECT_FALSE(is_worktree_of_submodule(".git/modules/m", "../../../a/.GIT"));
}

TEST(ObeyedNames, know_the_worktree_that_is_called_like_its_submodule) {
    EXPECT_TRUE(is_usual_worktree("a/.git/modules/lib/m", "../../../../lib/m"));
    EXPECT_FALSE(is_usual_worktree(".git/modules/m", "../../../n"));
    EXPECT_FALSE(is_usual_worktree("elsewhere/m", "m"));
}

TEST(ObeyedNames, know_the_files_that_are_judged_by_their_content) {
    const auto directory_of = [](std::string_view path) {
        const auto file = judged_file(path);
        return file ? std::string(file->git_directory) : "none";
    };
    EXPECT_EQ(directory_of("a/.git/config"), "a/.git");
    EXPECT_EQ(directory_of("a/.git/sharedindex.1"), "a/.git");
    EXPECT_EQ(directory_of("a/.git/merge_rr"), "a/.git");
    EXPECT_EQ(directory_of("a/.git/objects/info/alternates"), "a/.git");
    EXPECT_EQ(directory_of("b/Objects/INFO/http-alternates"), "b");
    EXPECT_EQ(directory_of("a/.git/info/alternates"), "none");
    EXPECT_EQ(directory_of("a/.git/HEAD"), "none");
}

class Ordinary : public testing::InMemory {
protected:
    // A small tree of telling names and others, some of them obeyed by git.
    void grow(const std::string& at, Chance& chance, int depth) {
        static const std::vector<std::string> kNames = {
            "a",    "src",   "hooks",   ".git",    "config",   "worktrees", ".env", "x.pem~",
            "ci",   "deep",  ".github", "paddock", ".paddock", "objects",   "refs", "commondir",
            "HEAD", "locks", "doc.",    "secret",  "b",        "c",         "d",    "e"};
        for (std::uint32_t i = 0; i < 3; ++i) {
            const std::string& name =
                kNames[chance.below(static_cast<std::uint32_t>(kNames.size()))];
            if (depth == 0 || chance.below(4) == 0) {
                tree({at + name + "=gitdir: ../x\n"});
            } else {
                tree({at + name + "/"});
                grow(at + name + "/", chance, depth - 1);
            }
        }
    }
};

// Where a directory may go or move, the judge refuses none of what it calls ordinary below it.
TEST_F(Ordinary, issue_17_12_ordinary_names_are_never_refused) {
    const std::vector<PathRule> rules = {{"lift/**", PathAccess::kAllow},
                                         {"src/*/secret", PathAccess::kReadOnly},
                                         {"**/deep/**/b", PathAccess::kDeny}};
    int ordinary = 0;
    int refused = 0;
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        Chance chance(seed);
        const std::string at = "w" + std::to_string(seed);
        tree({"ROOT/" + at + "/"});
        const Root below = root({.symlinks = Symlinks::kReject}).sub_root(at).value();
        for (const char* top : {"top/", "src/", "lift/", "deep/"}) {
            try {
                grow("ROOT/" + at + "/" + top, chance, 3);
            } catch (const std::runtime_error&) {
                // A name was taken by another kind.
            }
        }
        if (chance.below(3) == 0) {
            tree({"ROOT/" + at + "/.git/config=[core]\n hooksPath = top/a\n",
                  "ROOT/" + at + "/.git/objects/", "ROOT/" + at + "/.git/refs/"});
        }
        const auto compiled = PathRules::compile(
            seed % 2 == 0 ? std::span<const PathRule>(rules) : std::span<const PathRule>(),
            policy::default_path_rules());
        const Judge judge(below, seed % 5 == 0 ? "top" : "", *compiled,
                          {.is_own = [&](const Stat& stat) { return stat.identity.inode % 3 == 0; },
                           .is_secret = [](const std::string&, const Stat&) { return true; }});
        for (const std::string from : {"top", "src", "lift", "deep"}) {
            const std::string to = chance.below(2) == 0 ? "moved" : "src/moved";
            const bool may_go = !judge.remove(from);
            const bool may_move = !judge.move(from, to, FileType::kDirectory);
            OrdinaryNames leaving(judge, from);
            OrdinaryNames arriving(judge, to);
            const auto walked = below.walk(from, [&](const WalkEntry& entry) {
                if (entry.failure != nullptr) return WalkAction::kContinue;
                const std::string path(entry.path);
                const std::string now = to + path.substr(from.size());
                const Verdict goes = judge.remove(path);
                const Verdict arrives = judge.carry(now);
                const bool is_ordinary = leaving.include(entry);
                EXPECT_FALSE(may_go && is_ordinary && goes)
                    << at << "/" << path << " " << goes->rule;
                const bool is_ordinary_there = arriving.include(entry);
                EXPECT_FALSE(may_move && is_ordinary_there && arrives) << at << "/" << now;
                ordinary += is_ordinary && is_ordinary_there ? 1 : 0;
                refused += goes || arrives ? 1 : 0;
                return WalkAction::kContinue;
            });
        }
    }
    EXPECT_GT(ordinary, 100);
    EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace paddock::git
