// Repositories that commands make: real work is left alone, and whatever would have git run
// something outside is undone before git is asked.
#include <gtest/gtest.h>

#include <filesystem>

#include "tools/guarded.h"

namespace paddock::testing {
namespace {

using tools::Since;

class GuardGit : public Guarded {
protected:
    void SetUp() override {
        if (!has_program("git")) GTEST_SKIP() << "git is not installed";
        ASSERT_TRUE(sh("git init -q main && cd main && git commit -q --allow-empty -m one"));
    }

    // A program for git to run by mistake; it leaves a mark.
    std::string evil() {
        tree({"ROOT/evil=#!/bin/sh\ntouch " + mark() + "\ncat\n"});
        std::filesystem::permissions(ws("evil"), std::filesystem::perms::owner_all);
        return ws("evil");
    }
    std::string mark() const { return base() + "/OUT/mark"; }

    // Did a user's git, run in that directory, run the program?
    bool is_obeyed(const std::string& directory, const std::string& git = "git status") {
        std::filesystem::remove(mark());
        (void)sh(git, directory);
        return os_exists(mark());
    }

    // The attack works; after() undoes it, says so once, and git no longer obeys.
    void expect_undone(const std::string& attack, const std::string& directory,
                       const std::string& records, const std::string& git = "git status") {
        (void)before();
        ASSERT_TRUE(sh(attack)) << attack;
        EXPECT_TRUE(is_obeyed(directory, git)) << "the attack is none: " << attack;
        EXPECT_EQ(after(), records);
        EXPECT_FALSE(is_obeyed(directory, git)) << attack;
        EXPECT_EQ(after(), "");
    }
};

// --- real work -----------------------------------------------------------------------------------

TEST_F(GuardGit, works_in_a_repository_that_was_there) {
    EXPECT_EQ(before(), "main/.git main/.git/config main/.git/hooks ");
    ASSERT_TRUE(
        sh("cd main && echo x > a && git add a && git commit -q -m two && "
           "git branch topic.key && git checkout -q topic.key && git checkout -q -b config && "
           "git tag .env && git stash -q || true; git checkout -q - && git gc -q && "
           "git merge -q config && git log -p && git reset -q --hard HEAD^ && "
           "git rebase -q config"));
    EXPECT_EQ(after(), "");
    EXPECT_TRUE(sh("git fsck --strict", "main"));
}

TEST_F(GuardGit, works_in_repositories_that_commands_make) {
    (void)before();
    ASSERT_TRUE(
        sh("git clone -q main copy && git clone -q --bare main bare.git && "
           "git clone -q --mirror main mirror && git init -q a/b/c/d/e/deep && "
           "cd copy && git config user.name n && git config pull.rebase true && "
           "git remote add other https://example.org/x.git && git worktree add -q ../tree && "
           "git checkout -q -b topic && git push -q -u origin topic && "
           "git -c protocol.file.allow=always submodule add -q ../bare.git sub && "
           "git commit -q -m sub && git sparse-checkout init --cone"));
    EXPECT_EQ(after(), "");
    EXPECT_EQ(after(), "");
    const std::string fresh = before(Since::kBusy);
    for (const char* path :
         {"copy/.git/config ", "copy/.git/hooks ", "bare.git/config ", "mirror/hooks ",
          "a/b/c/d/e/deep/.git/config ", "tree/.git ", "copy/.git/modules/sub/config ",
          "copy/sub/.git ", "copy/.git/worktrees/tree/commondir ", "copy/.git/config.worktree "}) {
        EXPECT_NE(fresh.find(path), fresh.npos) << path << "is not in " << fresh;
    }
    EXPECT_TRUE(
        sh("cd copy && git commit -q --allow-empty -m x && git submodule status && "
           "cd ../tree && git commit -q --allow-empty -m y && cd ../copy/sub && git log && "
           "cd ../../bare.git && git log && cd ../a/b/c/d/e/deep && "
           "git commit -q --allow-empty -m z"));
    EXPECT_EQ(after(), "");
    ASSERT_TRUE(sh("git worktree remove ../tree", "copy"));
    EXPECT_EQ(after(), "");
}

TEST_F(GuardGit, works_in_worktrees_and_submodules_that_were_there) {
    ASSERT_TRUE(
        sh("git clone -q --bare . ../bare.git && git worktree add -q ../tree && "
           "git -c protocol.file.allow=always submodule add -q ../bare.git sub",
           "main"));
    (void)before();
    ASSERT_TRUE(
        sh("git commit -q --allow-empty -m x; git checkout -q -b other; cd ../main/sub && "
           "git commit -q --allow-empty -m y",
           "tree"));
    EXPECT_EQ(after(), "");
}

// --- attacks -------------------------------------------------------------------------------------

TEST_F(GuardGit, hook_of_a_new_repository) {
    const std::string program = evil();
    expect_undone("git init -q n && cp evil n/.git/hooks/pre-commit", "n",
                  "n/.git/hooks/pre-commit:quarantined ", "git commit --allow-empty -m x");
}

TEST_F(GuardGit, hook_of_a_repository_five_levels_deep) {
    const std::string program = evil();
    expect_undone("git init -q a/b/c/d/e && cp evil a/b/c/d/e/.git/hooks/post-commit", "a/b/c/d/e",
                  "a/b/c/d/e/.git/hooks/post-commit:quarantined ", "git commit --allow-empty -m x");
}

TEST_F(GuardGit, hooks_directory_that_is_a_link) {
    const std::string program = evil();
    expect_undone(
        "git init -q n && mkdir h && cp evil h/pre-commit && rm -r n/.git/hooks && "
        "ln -s ../../h n/.git/hooks",
        "n", "n/.git/hooks:quarantined ", "git commit --allow-empty -m x");
}

TEST_F(GuardGit, hooks_directory_missing_before) {
    const std::string program = evil();
    ASSERT_TRUE(sh("rm -r main/.git/hooks"));
    expect_undone("mkdir main/.git/hooks && cp evil main/.git/hooks/pre-commit", "main",
                  "main/.git/hooks/pre-commit:quarantined ", "git commit --allow-empty -m x");
}

TEST_F(GuardGit, settings_that_run_programs_in_a_new_repository) {
    const std::string program = evil();
    expect_undone("git init -q n && git -C n config core.fsmonitor " + program, "n",
                  "n/.git/config:cleaned(core.fsmonitor) ");
    expect_undone(
        "git init -q m && git -C m config core.hooksPath ../h && mkdir h && "
        "cp evil h/pre-commit",
        "m", "m/.git/config:cleaned(core.hookspath) ", "git commit --allow-empty -m x");
    EXPECT_TRUE(os_exists(ws("h/pre-commit")));  // of no repository any more
    expect_undone("git init -q p && git -C p config alias.st !" + program, "p",
                  "p/.git/config:cleaned(alias.st) ", "git st");
    expect_undone(
        "git init -q f && echo \"* filter=x\" > f/.gitattributes && "
        "git -C f config filter.x.clean " +
            program + " && echo > f/y",
        "f", "f/.git/config:cleaned(filter.x.clean) ", "git add y");
    EXPECT_TRUE(sh("git -C n status && git -C m commit --allow-empty -m x"));
}

TEST_F(GuardGit, settings_in_an_included_file) {
    const std::string program = evil();
    expect_undone("git init -q n && git config -f inc core.fsmonitor " + program +
                      " && git -C n config include.path ../../inc",
                  "n", "n/.git/config:cleaned(include.path) ");
    EXPECT_TRUE(os_exists(ws("inc")));  // of no repository any more
}

TEST_F(GuardGit, file_that_a_trusted_config_includes_and_that_was_not_there) {
    const std::string program = evil();
    tree({"ROOT/notes.txt=not a config at all"});
    ASSERT_TRUE(
        sh("git config include.path ../../local.conf && "
           "git config core.hooksPath ../later",
           "main"));
    expect_undone("git config -f local.conf core.fsmonitor " + program +
                      "; echo > more.conf; git config -f local.conf include.path more.conf",
                  "main", "local.conf:cleaned(core.fsmonitor, include.path) ");
    expect_undone("mkdir later && cp evil later/pre-commit", "main",
                  "later/pre-commit:quarantined ", "git commit --allow-empty -m x");
    EXPECT_EQ(os_read(ws("notes.txt")), "not a config at all");
}

// Git begins a relative path where the link is that it opened, not where that leads.
TEST_F(GuardGit, file_that_a_linked_config_includes) {
    const std::string program = evil();
    ASSERT_TRUE(
        sh("mkdir cfg shared deep && git config -f shared/main.inc include.path local.inc && "
           "ln -s ../shared/main.inc cfg/main.inc && git config include.path ../cfg/main.inc && "
           "mv .git/config deep/own && ln -s ../deep/own .git/config",
           "main"));
    const std::string plant = "git config -f $f core.fsmonitor " + program;
    expect_undone("f=main/cfg/local.inc; " + plant, "main",
                  "main/cfg/local.inc:cleaned(core.fsmonitor) ");
    (void)before();
    ASSERT_TRUE(sh("f=main/shared/local.inc; " + plant));
    EXPECT_FALSE(is_obeyed("main")) << "git does not look there";
    EXPECT_EQ(after(), "");
}

TEST_F(GuardGit, config_that_makes_innocent_files_look_guilty) {
    tree({"ROOT/src/main.c=int main;", "ROOT/src/lib.c=int lib;"});
    (void)before();
    ASSERT_TRUE(
        sh("git init -q n; git -C n config core.hooksPath ../src; "
           "git -C n config include.path ../../src/main.c; echo \"gitdir: src\" > .git"));
    EXPECT_EQ(after(), ".git:quarantined n/.git/config:cleaned(core.hookspath, include.path) ");
    EXPECT_EQ(os_read(ws("src/main.c")), "int main;");
    EXPECT_EQ(os_read(ws("src/lib.c")), "int lib;");
}

TEST_F(GuardGit, bare_repository_by_shape_only) {
    const std::string program = evil();
    expect_undone(
        "mkdir -p x/objects x/refs && echo \"ref: refs/heads/m\" > x/HEAD && "
        "git config -f x/config core.repositoryformatversion 0 && git config -f x/config core.bare "
        "false && git config -f x/config core.worktree .. && "
        "git config -f x/config core.fsmonitor " +
            program,
        "x", "x/config:cleaned(core.fsmonitor) ");
    expect_undone(
        "mkdir -p y/objects y/refs y/hooks && echo \"ref: refs/heads/m\" > y/HEAD && "
        "git config -f y/config core.bare true && cp evil y/hooks/reference-transaction",
        "y", "y/hooks/reference-transaction:quarantined ",
        "git update-ref HEAD $(git commit-tree -m x "
        "$(git hash-object -t tree -w /dev/null))");
}

TEST_F(GuardGit, shared_parts_that_have_no_shape_of_their_own) {
    const std::string program = evil();
    expect_undone(
        "mkdir -p y/objects y/refs x && echo \"ref: refs/heads/m\" > x/HEAD && "
        "echo ../y > x/commondir && git config -f y/config alias.st !" +
            program,
        "x", "x/commondir:quarantined ", "git st");
}

TEST_F(GuardGit, commondir_in_a_repository_that_was_there) {
    const std::string program = evil();
    expect_undone("git init -q n && git -C n config core.fsmonitor " + program +
                      " && echo ../../n/.git > main/.git/commondir",
                  "main", "main/.git/commondir:quarantined n/.git/config:cleaned(core.fsmonitor) ");
}

TEST_F(GuardGit, git_file_that_leads_to_an_evil_directory) {
    const std::string program = evil();
    expect_undone(
        "mkdir w && git init -q --bare store && "
        "git -C store config core.fsmonitor " +
            program +
            " && git -C store config core.bare false && "
            "git -C store config core.worktree ../w && echo \"gitdir: ../store\" > w/.git",
        "w", "store/config:cleaned(core.fsmonitor) ");
    expect_undone(
        "mkdir v && git init -q --bare ../OUT/store && "
        "git -C ../OUT/store config core.fsmonitor " +
            program +
            " && git -C ../OUT/store config core.bare false && "
            "git -C ../OUT/store config core.worktree " +
            ws("v") + " && echo \"gitdir: ../../OUT/store\" > v/.git",
        "v", "v/.git:quarantined ");
}

TEST_F(GuardGit, git_that_is_a_link) {
    const std::string program = evil();
    expect_undone("mkdir w && git init -q s && git -C s config core.fsmonitor " + program +
                      " && ln -s ../s/.git w/.git",
                  "w", "w/.git:quarantined s/.git/config:cleaned(core.fsmonitor) ");
    expect_undone("mkdir v && git init -q ../OUT/s && git -C ../OUT/s config core.fsmonitor " +
                      program + " && ln -s ../../OUT/s/.git v/.git",
                  "v", "v/.git:quarantined ");
}

TEST_F(GuardGit, config_replaced_by_rename) {
    const std::string program = evil();
    (void)before();
    ASSERT_TRUE(sh("cp main/.git/config c && git config -f c core.fsmonitor " + program +
                   " && git config -f c user.name n && mv c main/.git/config"));
    EXPECT_TRUE(is_obeyed("main"));
    EXPECT_EQ(after(), "main/.git/config:cleaned(core.fsmonitor) ");
    EXPECT_FALSE(is_obeyed("main"));
    EXPECT_TRUE(sh("test $(git config user.name) = n", "main"));
    EXPECT_EQ(before(), "main/.git/config ");
}

TEST_F(GuardGit, config_that_nobody_can_read) {
    (void)before();
    ASSERT_TRUE(
        sh("git init -q n && echo \"[core\" >> n/.git/config; git init -q m && "
           "rm m/.git/config && ln -s ../../evil.conf m/.git/config; git init -q l && "
           "head -c 2000000 /dev/zero | tr \"\\\\0\" \"#\" >> l/.git/config"));
    EXPECT_EQ(after(),
              "l/.git/config:quarantined m/.git/config:quarantined "
              "n/.git/config:quarantined ");
    EXPECT_TRUE(sh("git -C n status && git -C m status && git -C l status"));
}

TEST_F(GuardGit, what_was_accepted_is_not_trusted) {
    const std::string program = evil();
    (void)before();
    ASSERT_TRUE(sh("git init -q n"));
    EXPECT_EQ(after(), "");
    ASSERT_TRUE(sh("git -C n config core.fsmonitor " + program + "; cp evil n/.git/hooks/update"));
    EXPECT_EQ(before(Since::kBusy), "n/.git n/.git/config n/.git/hooks ");
    EXPECT_EQ(after(), "n/.git/config:cleaned(core.fsmonitor) n/.git/hooks/update:quarantined ");
    // Between the last look and the binding somebody was quick.
    ASSERT_TRUE(sh("cp evil n/.git/hooks/update; git config -f n/.git/config core.fsmonitor x"));
    EXPECT_EQ(after(), "n/.git/config:cleaned(core.fsmonitor) n/.git/hooks/update:quarantined ");
}

TEST_F(GuardGit, trusted_settings_of_the_owner_stay) {
    ASSERT_TRUE(
        sh("git config core.hooksPath .githooks && git config alias.st status && "
           "git config filter.lfs.clean lfs && mkdir .githooks && touch .githooks/pre-push",
           "main"));
    EXPECT_EQ(before(), "main/.git main/.git/config main/.git/hooks main/.githooks ");
    ASSERT_TRUE(sh("git commit -q --allow-empty -m x", "main"));
    EXPECT_EQ(after(), "");
    // The owner adds a remote outside: git replaces the file.
    ASSERT_TRUE(sh("git remote add o https://example.org/", "main"));
    EXPECT_EQ(after(), "");
    EXPECT_EQ(before(), "main/.git/config ");
    EXPECT_TRUE(sh("test $(git config core.hooksPath) = .githooks", "main"));
}

// --- what leads git elsewhere than its text says
// ----------------------------------------------------

// A repository whose config runs the program, where nobody looks for one: outside.
constexpr const char* kHiddenRepository =
    "mkdir -p ../../OUT/foo && git init -q --bare ../../OUT/cc && "
    "git -C ../../OUT/cc config core.bare false && git -C ../../OUT/cc config core.fsmonitor ";

TEST_F(GuardGit, a_pointer_that_goes_up_from_a_link) {
    expect_undone("cd main && " + std::string(kHiddenRepository) + evil() +
                      " && ln -s ../../OUT/foo lk && git init -q --bare cc && mkdir sub && "
                      "echo \"gitdir: ../lk/../cc\" > sub/.git",
                  "main/sub", "main/sub/.git:quarantined ", "git --work-tree=. status");
}

TEST_F(GuardGit, a_submodule_named_like_the_object_store) {
    expect_undone(
        "cd main && git init -q --bare .git/modules/objects && "
        "git -C .git/modules/objects config core.fsmonitor " +
            evil(),
        "main", "main/.git/modules/objects/config:cleaned(core.fsmonitor) ",
        "git --git-dir=.git/modules/objects --work-tree=. status");
}

TEST_F(GuardGit, a_link_on_the_way_to_trusted_hooks) {
    ASSERT_TRUE(sh("cd main && git config core.hooksPath tools/hooks && mkdir -p tools/hooks"));
    expect_undone("cd main && mv tools t2 && mkdir -p t3/hooks && cp " + evil() +
                      " t3/hooks/pre-commit && ln -s t3 tools",
                  "main", "main/tools:quarantined ", "git commit -q --allow-empty -m x");
}

// A pointer that was accepted leads through a directory that a later command replaces.
TEST_F(GuardGit, a_link_in_the_place_of_what_an_accepted_pointer_leads_to) {
    (void)before();
    ASSERT_TRUE(
        sh("cd main && mkdir x sub && git init -q --bare x/gd && "
           "echo \"gitdir: ../x/gd\" > sub/.git"));
    EXPECT_EQ(after(), "");
    const std::string hidden = "cd main && " + std::string(kHiddenRepository) + evil();
    expect_undone(hidden + " && mv x x2 && mkdir x && ln -s ../../../OUT/cc x/gd", "main/sub",
                  "main/x/gd:quarantined ", "git --work-tree=. status");
    EXPECT_EQ(os_read(ws("main/sub/.git")), "gitdir: ../x/gd\n");
    // The link one directory higher.
    expect_undone(
        "cd main && rm -r x && mkdir ../../OUT/dd && ln -s ../cc ../../OUT/dd/gd && "
        "ln -s ../../OUT/dd x",
        "main/sub", "main/x:quarantined ", "git --work-tree=. status");
}

TEST_F(GuardGit, a_link_in_the_place_of_what_an_accepted_commondir_leads_to) {
    (void)before();
    ASSERT_TRUE(
        sh("cd main && mkdir x y && git init -q --bare x/gd && git -C x/gd config core.bare false "
           "&& echo ../x/gd > y/commondir && cp x/gd/HEAD y/HEAD"));
    EXPECT_EQ(after(), "");
    const std::string hidden = "cd main && " + std::string(kHiddenRepository) + evil();
    expect_undone(hidden + " && mv x x2 && mkdir x && ln -s ../../../OUT/cc x/gd", "main",
                  "main/x/gd:quarantined ", "git --git-dir=y --work-tree=. status");
}

TEST_F(GuardGit, what_links_of_hooks_and_configs_lead_to) {
    const std::string program = evil();
    ASSERT_TRUE(
        sh("cd main && rm -r .git/hooks && mkdir githooks && ln -s ../githooks .git/hooks && "
           "mkdir scripts && touch scripts/pre-push && ln -s ../scripts/pre-push githooks/pre-push "
           "&& mkdir dot && mv .git/config dot/config && ln -s ../dot/config .git/config && "
           "git init -q ../two && touch scripts/two && "
           "ln -s ../../../main/scripts/two ../two/.git/hooks/pre-commit"));
    EXPECT_EQ(before(),
              "main main/.git main/dot main/dot/config main/githooks main/scripts "
              "main/scripts/pre-push main/scripts/two two/.git two/.git/config two/.git/hooks ");
    expect_undone(
        "cd main && mv dot d2 && mkdir dot && git config -f dot/config core.fsmonitor " + program,
        "main", "main/dot/config:cleaned(core.fsmonitor) ");
    expect_undone("cd main && mv githooks g2 && mkdir githooks && cp ../evil githooks/pre-commit",
                  "main", "main/githooks/pre-commit:quarantined main/githooks/pre-push:restored ",
                  "git commit -q --allow-empty -m x");
    expect_undone("cd main && mv scripts s2 && mkdir scripts && cp ../evil scripts/two", "two",
                  "main/scripts/two:quarantined ", "git commit -q --allow-empty -m x");
}

TEST_F(GuardGit, what_a_hook_leads_to_that_was_not_there) {
    (void)evil();
    ASSERT_TRUE(sh("ln -s ../../scripts/check main/.git/hooks/pre-commit"));
    const std::string commit = "git commit -q --allow-empty -m x";
    expect_undone("mkdir main/scripts && cp evil main/scripts/check", "main",
                  "main/scripts/check:quarantined ", commit);
    expect_undone("cd main && rmdir scripts && mkdir s && cp ../evil s/check && ln -s s scripts",
                  "main", "main/scripts:quarantined ", commit);
}

// To push is to have the hooks of the other repository run.
TEST_F(GuardGit, a_remote_among_objects) {
    const std::string program = evil();
    const auto hidden = [](const std::string& name) {
        return "git init -q --bare main/.git/objects/" + name + " && cp evil main/.git/objects/" +
               name + "/hooks/pre-receive && ";
    };
    expect_undone(hidden("aa") + "git init -q n && cd n && git commit -q --allow-empty -m x && " +
                      "git remote add o ../main/.git/objects/aa && "
                      "git config remote.../main/.git/objects/aa.url x",
                  "n", "main/.git/objects/aa/hooks/pre-receive:quarantined ",
                  "git push o HEAD:refs/heads/x");
    expect_undone(hidden("bb") + "git init -q m && cd m && git commit -q --allow-empty -m x && " +
                      "ln -s ../main/.git/objects/bb lk.git && git config remote.pushDefault lk",
                  "m", "m/lk.git:quarantined main/.git/objects/bb/hooks/pre-receive:quarantined ",
                  "git push lk HEAD:refs/heads/x");
    expect_undone(hidden("dd") + "git init -q f && cd f && git commit -q --allow-empty -m x && " +
                      "git remote add o file://host$PWD/../main/.git/objects/dd && "
                      "git remote add p file://$PWD/../main/%2egit/objects/dd",
                  "f",
                  "f/.git/config:cleaned(remote.o.url, remote.p.url) "
                  "main/.git/objects/dd/hooks/pre-receive:quarantined ",
                  "git push o HEAD:refs/heads/x");
    // Where a remote of the owner's was.
    ASSERT_TRUE(sh("git init -q --bare up.git && git -C main remote add up ../up.git"));
    expect_undone(hidden("cc") + "mv up.git u && ln -s main/.git/objects/cc up.git", "main",
                  "main/.git/objects/cc/hooks/pre-receive:quarantined up.git:quarantined ",
                  "git push up HEAD:refs/heads/x");
}

// However git gets there.
TEST_F(GuardGit, remotes_among_objects_whose_addresses_are_hard_to_follow) {
    (void)evil();
    (void)before();
    std::string winding;
    for (int i = 0; i < 260; ++i) winding.insert(0, "x/").append("../");
    const std::string hidden = ".git/objects/evil";
    const std::vector<std::string> addresses = {
        "../../ROOT/n/" + hidden,
        "/proc/self/cwd/" + hidden,
        "/proc/self/root" + ws("n/") + hidden,
        "/proc/.." + ws("n/") + hidden,
        winding + hidden,
        "file:///@[]" + ws("n/") + hidden,
        "[x]/../" + hidden,
    };
    ASSERT_TRUE(sh("git init -q n && cd n && git commit -q --allow-empty -m x && mkdir -p ] " +
                   winding + " && ln -s /tmp [x] && git init -q --bare " + hidden +
                   " && cp ../evil " + hidden + "/hooks/pre-receive"));
    const auto push = [](std::size_t remote, const std::string& branch) {
        const std::string name = std::to_string(remote);
        return "git push r" + name + " HEAD:refs/heads/" + branch + name;
    };
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        ASSERT_TRUE(sh("git remote add r" + std::to_string(i) + " " + addresses[i], "n"));
        EXPECT_TRUE(is_obeyed("n", push(i, "a"))) << "the attack is none: " << addresses[i];
    }
    EXPECT_EQ(after(),
              "n/.git/config:cleaned(remote.r0.url, remote.r1.url, remote.r2.url, remote.r3.url, "
              "remote.r4.url, remote.r5.url, remote.r6.url) "
              "n/.git/objects/evil/hooks/pre-receive:quarantined ");
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        EXPECT_FALSE(is_obeyed("n", push(i, "b"))) << addresses[i];
    }
}

// Git makes only files there, and directories of files.
TEST_F(GuardGit, a_repository_of_files_and_links_among_objects) {
    (void)evil();
    const std::string shared =
        "git init -q n && cd n && git commit -q --allow-empty -m x && mkdir -p .git/objects/ab && "
        "git init -q --bare y && cp y/HEAD .git/objects/ab && rm y/HEAD && "
        "cp ../evil y/hooks/pre-receive && git remote add o .git/objects/ab && ";
    const std::string push = "git push o HEAD:refs/heads/x";
    expect_undone(shared + "echo ../../../y > .git/objects/ab/commondir", "n",
                  "n/.git/objects/ab/commondir:quarantined ", push);
    ASSERT_TRUE(sh("rm -rf n"));
    expect_undone(shared +
                      "ln -s ../../../y/objects ../../../y/refs ../../../y/hooks "
                      ".git/objects/ab",
                  "n", "n/.git/objects/ab/hooks:quarantined ", push);
}

TEST_F(GuardGit, a_remote_outside) {
    (void)evil();
    expect_undone(
        "git init -q --bare ../OUT/aa && cp evil ../OUT/aa/hooks/update && git init -q n && cd n "
        "&& "
        "git commit -q --allow-empty -m x && git remote add o " +
            out("aa") + " && git remote add p ../../OUT/aa && git remote add q ../main/.git",
        "n", "n/.git/config:cleaned(remote.o.url, remote.p.url) ", "git push o HEAD:refs/heads/x");
    EXPECT_FALSE(is_obeyed("n", "git push p HEAD:refs/heads/y"));
    EXPECT_TRUE(sh("git push q HEAD:refs/heads/z", "n"));
}

TEST_F(GuardGit, a_remote_that_has_its_address_in_a_file) {
    const std::string program = evil();
    ASSERT_TRUE(sh("mkdir -p main/.git/branches && echo mine > main/.git/branches/mine"));
    expect_undone(
        "git init -q --bare ../OUT/aa && cp evil ../OUT/aa/hooks/update && "
        "cd main && mkdir -p .git/remotes && echo \"URL: ../../OUT/aa\" > .git/remotes/origin",
        "main", "main/.git/remotes/origin:quarantined ", "git push origin HEAD:refs/heads/x");
    expect_undone("echo ../../OUT/aa > main/.git/branches/up", "main",
                  "main/.git/branches/up:quarantined ", "git push up HEAD:refs/heads/y");
    EXPECT_EQ(os_read(ws("main/.git/branches/mine")), "mine\n");
}

TEST_F(GuardGit, a_link_in_the_place_of_an_accepted_worktree) {
    (void)before();
    ASSERT_TRUE(sh("git init -q n && git -C n config core.worktree ../../w && mkdir w"));
    EXPECT_EQ(after(), "");
    (void)before();
    ASSERT_TRUE(sh("rmdir w && ln -s ../OUT w && echo x > n/f && git -C n --work-tree=. add f"));
    EXPECT_TRUE(sh("git -C n checkout f") && os_exists(out("f"))) << "the attack is none";
    std::filesystem::remove(out("f"));
    EXPECT_EQ(after(), "w:quarantined ");
    (void)sh("git -C n checkout f");
    EXPECT_FALSE(os_exists(out("f")));
}

// Hooks that many settings name in many worktrees of one repository: more than can be held.
TEST_F(GuardGit, more_than_settings_may_lead_to) {
    const std::string flood =
        "mkdir -p f/objects f/refs c && echo ref: refs/heads/x > f/HEAD && "
        "long=$(printf %0200d 0) && long=$long/$long/$long/$long/$long && "
        "echo \"[include]\" > f/config && for i in $(seq 200); do echo path=../c/$i >> f/config; "
        "(echo \"[core]\"; echo hooksPath=$long/$i) > c/$i; "
        "mkdir -p w/$i; echo gitdir: ../../f > w/$i/.git; done";
    (void)before();
    ASSERT_TRUE(sh(flood));
    (void)evil();
    ASSERT_TRUE(sh("git init -q z && cp evil z/.git/hooks/pre-commit"));
    (void)report();
    EXPECT_FALSE(os_exists(ws("z/.git/hooks/pre-commit")));
    EXPECT_EQ(os_read(ws("f/config")).value_or("").find("path"), std::string::npos);
    EXPECT_FALSE(os_exists(ws("w/1/.git"))) << "among those is what is hidden";
    EXPECT_EQ(after(), "") << "nothing leads anywhere now";
}

// A "commondir" has git read another config than the one that the kernel holds.
TEST_F(GuardGit, a_repository_that_was_there_is_not_led_elsewhere) {
    ASSERT_TRUE(sh("git remote add origin https://good.example/r", "main"));
    const auto is_led = [&] { return sh("git remote -v | grep -q evil", "main"); };
    const std::string lead =
        "mkdir z; cp -r main/.git/HEAD main/.git/objects main/.git/refs main/.git/config z; "
        "git -C z config remote.origin.url https://evil.example/r; "
        "echo ../../z > main/.git/commondir; ";
    for (const std::string without : {"true", "mv main/.git/objects ."}) {
        (void)before();
        ASSERT_TRUE(sh(lead + without));
        EXPECT_TRUE(is_led()) << "the attack is none";
        EXPECT_EQ(after(), "main/.git/commondir:quarantined ");
        EXPECT_EQ(after(), "");
        ASSERT_TRUE(sh("rm -rf z; [ ! -e objects ] || mv objects main/.git"));
        EXPECT_FALSE(is_led()) << without;
    }
}

TEST_F(GuardGit, a_worktree_that_was_there_keeps_its_repository) {
    kernel_holds = false;
    ASSERT_TRUE(sh("git -C main worktree add -q ../wt && git clone -q --bare main z"));
    (void)before();
    ASSERT_TRUE(sh("echo ../../../../z > main/.git/worktrees/wt/commondir"));
    EXPECT_EQ(after(), "main/.git/worktrees/wt/commondir:restored ");
    EXPECT_TRUE(sh("git status", "wt"));
}

// The owner's worktrees and hooks are looked at, however many others a command makes.
TEST_F(GuardGit, a_flood_of_worktrees_hides_no_hook) {
    const std::string program = evil();
    ASSERT_TRUE(
        sh("git config core.hooksPath .githooks && mkdir .githooks && touch .githooks/README && "
           "git add . && git commit -q -m hooks && git worktree add -q ../wt",
           "main"));
    (void)before();
    // Each with a path of 3.6 KB, so that they are more than can be followed.
    std::string deep = ws("0");
    for (int i = 0; i < 14; ++i) deep += "/" + std::string(240, '0');
    std::filesystem::create_directories(deep);
    os_write(ws("f"), "gitdir: " + ws("main/.git") + "\n");
    for (int i = 10'000; i < 20'000; ++i) {
        const std::string worktree = deep + "/" + std::string(235, 'a') + std::to_string(i);
        std::filesystem::create_directory(worktree);
        std::filesystem::create_hard_link(ws("f"), worktree + "/.git");
    }
    ASSERT_TRUE(sh("mv wt old; cp -a old wt; cp evil wt/.githooks/pre-commit"));
    EXPECT_TRUE(is_obeyed("wt", "git commit --allow-empty -m x")) << "the attack is none";
    (void)report();
    EXPECT_FALSE(is_obeyed("wt", "git commit --allow-empty -m x"));
    EXPECT_TRUE(os_exists(ws("old/.git"))) << "of the worktree that was there";
    EXPECT_EQ(after(), "");
    EXPECT_EQ(before().find("error"), std::string::npos);
}

TEST_F(GuardGit, more_settings_than_can_be_held) {
    (void)before();
    ASSERT_TRUE(
        sh("(echo [advice]; yes a | head -n 60000) > big && for i in $(seq 40); do "
           "mkdir -p r$i/.git && ln big r$i/.git/config; done"));
    const tools::GuardReport undone = report();
    EXPECT_EQ(undone.records.size(), 40U);
    EXPECT_FALSE(os_exists(ws("r1/.git/config")));
    EXPECT_TRUE(os_exists(ws("big")));
    EXPECT_EQ(after(), "");
}

// Of as many configs as fit nothing is kept; of more none stays.
TEST_F(GuardGit, more_configs_than_can_be_read) {
    const std::string program = evil();
    (void)before();
    os_write(ws("big"), "[user]\nname=" + std::string(700'000, 'x') + "\n");
    ASSERT_TRUE(
        sh("for i in $(seq 60); do mkdir -p r$i/.git && ln big r$i/.git/config; done; "
           "git init -q z && git -C z config core.fsmonitor " +
           program));
    (void)report();
    EXPECT_FALSE(is_obeyed("z"));
    EXPECT_FALSE(os_exists(ws("r1/.git/config")));
    EXPECT_EQ(after(), "");
    EXPECT_EQ(before().find("error"), std::string::npos);
}

// Of the owner's own: what leads git by links goes on to do so.
TEST_F(GuardGit, links_on_the_way_that_were_there_stay) {
    ASSERT_TRUE(sh(
        "cd main && mkdir real sub && git init -q --bare real/gd && ln -s real lk && "
        "echo \"gitdir: ../lk/gd\" > sub/.git && mv .git/config cfg && ln -s ../cfg .git/config"));
    (void)before();
    ASSERT_TRUE(sh("touch main/new"));
    EXPECT_EQ(after(), "");
    ASSERT_TRUE(
        sh("cd main && mkdir -p other/gd && ln -sfn other lk && ln -sfn ../new .git/config"));
    EXPECT_EQ(after(), "main/.git/config:restored main/lk:restored ");
    EXPECT_TRUE(sh("git status", "main"));
}

}  // namespace
}  // namespace paddock::testing
