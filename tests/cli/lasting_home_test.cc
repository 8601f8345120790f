// The home of commands that lasts: what it keeps, whose it is, and what it cannot do.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/world.h"

namespace paddock::testing {
namespace {

namespace files = std::filesystem;

// On every level.
class CommandHome : public World {
protected:
    std::string homes() const { return base() + "/state/paddock/homes"; }

    // What lies above the home of this workspace, on the host.
    std::string place(const std::string& workspace) const {
        const std::string begin = files::path(workspace).filename().string() + "-";
        for (const auto& entry : files::directory_iterator(homes())) {
            if (entry.path().filename().string().starts_with(begin)) return entry.path().string();
        }
        ADD_FAILURE() << "there is no home of " << workspace;
        return {};
    }
    static mode_t mode_of(const std::string& path) {
        struct stat seen {};
        EXPECT_EQ(::stat(path.c_str(), &seen), 0) << path;
        return seen.st_mode & 07777U;
    }
    Ran sh(const std::string& command, const std::vector<std::string>& options = {},
           const std::string& root = {}) {
        return inside({"sh", "-c", command}, options, root);
    }
};

class LastingHome : public CommandHome {
protected:
    void SetUp() override {
        CommandHome::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        const Ran probe = inside({"true"});
        for (const char* why : {"without a mount namespace", "cannot be mounted for the user"}) {
            if (probe.err.find(why) != std::string::npos) GTEST_SKIP() << probe.err;
        }
        ASSERT_EQ(probe.err, "");
    }
};

// There the home would be a plain directory of the host.
TEST_F(CommandHome, ends_with_the_session_without_a_mount_namespace) {
    const Ran ran = sh("echo > ~/x && ls ~");
    if (ran.err.empty()) GTEST_SKIP() << "there is a mount namespace";
    EXPECT_NE(ran.err.find("the home of commands ends with this session"), std::string::npos);
    EXPECT_EQ(ran.out, "x\n");
    EXPECT_EQ(sh("ls ~").out, "");
}

TEST_F(LastingHome, keeps_caches_across_sessions) {
    EXPECT_EQ(sh("mkdir -p ~/.cache/npm && echo cached > ~/.cache/npm/x && chmod 600 "
                 "~/.cache/npm/x")
                  .exit_code,
              0);
    EXPECT_EQ(sh("cat ~/.cache/npm/x; stat -c %a ~/.cache/npm/x ~").out, "cached\n600\n700\n");
    EXPECT_EQ(sh("cat ~/.cache/npm/x", {"--fresh-home"}).out, "");
    const std::string history = "HISTFILE=~/.bash_history bash --norc -i -c 'set -o history; ";
    EXPECT_EQ(sh(history + "history -s \"make world\"; history -w' 2>/dev/null").exit_code, 0);
    EXPECT_EQ(sh("tail -n 1 ~/.bash_history").out, "make world\n");
    EXPECT_EQ(sh("echo gone > ~/fresh", {"--fresh-home"}).exit_code, 0);
    EXPECT_EQ(sh("ls ~").out, "");
    EXPECT_EQ(sh("test -O ~ && test -O ~/.cache && echo mine").out, "mine\n");
    EXPECT_EQ(mode_of(homes()) & 0077U, 0U);
}

// A `.git` file may lead git to a repository in the home, also where git asks for no owner: in a
// submodule.
ATTACK_F(LastingHome, WD_05, holds_nothing_that_git_of_the_owner_would_run) {
    if (is_root()) {
        ASSERT_EQ(::chown(ws().c_str(), 0, 0), 0);
    }
    const std::string mark = base() + "/OUT/planted";
    const std::string run = "echo > '" + mark + "'; false";
    const std::string setting_text = "[core]\\n\\tfsmonitor = \\\"" + run + "\\\"\\n";
    const std::string home = place(ws()) + "/home";
    const std::string begin =
        "cd ~ && git init -q r && cd r && git -c user.name=a -c user.email=b commit -q "
        "--allow-empty -m x; ";
    const std::vector<std::string> plants{
        begin + "git config core.fsmonitor \"" + run + "\"",
        begin + "printf \"" + setting_text + "\" > c; cat c .git/config > d; mv d .git/config",
        begin + "mv .git e; printf \"" + setting_text + "\" >> e/config; mv e .git",
        begin + "mv .git/refs k; printf \"" + setting_text +
            "\" >> .git/config; mv k .git/refs; true",
        begin + "printf \"#!/bin/sh\\n" + run +
            "\" > h; chmod +x h; mv h .git/hooks/post-index-change; rm -f .git/index",
    };
    const std::string status =
        "cd '" + ws() + "' && git init -q . && mkdir -p d && echo \"gitdir: " + home +
        "/r/.git\" > d/.git && git update-index --add --cacheinfo \"160000,$(git -C '" + home +
        "/r' rev-parse HEAD),d\"; git status; git -C d status; git -C d read-tree HEAD; rm -rf "
        ".git d";
    for (const std::string& plant : plants) {
        (void)sh(plant);
        (void)outside(status);
        EXPECT_FALSE(os_exists(mark)) << "the owner's git ran what a command wrote: " << plant;
        files::remove(mark);
        // The control: made by somebody whom no gate judges.
        files::remove_all(home + "/r");
        (void)outside("HOME='" + home + "'; " + plant);
        (void)outside(status);
        EXPECT_TRUE(os_exists(mark)) << "the plant is no good: " << plant;
        files::remove(mark);
        files::remove_all(home + "/r");
    }
}

// What works at home: clones, caches with repositories in them, and their removal.
TEST_F(LastingHome, lets_tools_keep_repositories) {
    const Ran ran = sh(
        "set -e; cd ~; git init -q a; cd a; git config user.name a; git config user.email b; "
        "echo x > f; git add f; git commit -q -m x; git branch b; cd ..; git clone -q a c; cd c; "
        "git log --format=%s; git fetch -q; cd ..; mkdir -p .cache/t; echo 1 > .cache/t/x; "
        "mv .cache/t .cache/u; ln -s u .cache/v; cat .cache/v/x; rm -rf a c .cache; ls -A");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "x\n1\n") << ran.err;
}

// Nothing of it can be reached where the workspace holds the state directory.
TEST_F(LastingHome, is_out_of_reach_of_a_session_around_it) {
    ASSERT_EQ(sh("echo decoy > ~/token").exit_code, 0);
    const std::string home = place(ws()) + "/home";
    const std::string around = base() + "/state";
    if (is_root()) {
        ASSERT_EQ(::chown(around.c_str(), kOwner, kOwner), 0);
    }
    EXPECT_EQ(outside("cat '" + home + "/token'"), "decoy\n");
    for (const std::string& command :
         {"cat '" + home + "/token'", "echo x > '" + home + "/.npmrc'", "ls '" + homes() + "'",
          "chmod 755 '" + homes() + "'", "mv '" + homes() + "' '" + around + "/moved'",
          "mv '" + around + "/paddock' '" + around + "/moved'",
          "flock -n '" + homes() + "' true && echo locked"}) {
        const Ran ran = sh(command, {}, around);
        EXPECT_EQ(ran.out, "") << command;
        EXPECT_NE(ran.exit_code, 0) << command;
    }
    const std::string path = home.substr(around.size() + 1) + "/token";
    const Ran read = paddock({"cat", "--root", around, path}, setting());
    EXPECT_NE(read.exit_code, 0);
    EXPECT_EQ(read.out, "");
    EXPECT_EQ(sh("cat ~/token; ls -A ~").out, "decoy\ntoken\n");
}

TEST_F(CommandHome, is_no_directory_to_work_in) {
    files::create_directories(homes() + "/some/home");
    files::create_directory(base() + "/state/paddock/workspaces");
    for (const char* name : {"", "/homes", "/homes/some/home"}) {
        const std::string directory = base() + "/state/paddock" + name;
        const std::vector<std::vector<std::string>> ways{{"--root", directory},
                                                         {"--root", ws(), "--see", directory},
                                                         {"--root", ws(), "--also", directory}};
        for (std::vector<std::string> words : ways) {
            words.insert(words.begin(), "run");
            words.insert(words.end(), {"--", "true"});
            const Ran ran = paddock(words, setting());
            EXPECT_EQ(ran.exit_code, 2);
            EXPECT_NE(ran.err.find("where paddock keeps the homes of commands"), std::string::npos)
                << ran.err;
        }
    }
    EXPECT_EQ(sh("true", {"--see", base() + "/state/paddock/workspaces"}).exit_code, 0);
}

TEST_F(LastingHome, is_shared_by_sessions_at_the_same_time) {
    Process waiting({"run", "--root", ws(), "--", "sh", "-c",
                     "echo > ~/begun; while [ ! -e ~/other ]; do sleep 0.01; done; cat ~/other"},
                    setting());
    EXPECT_EQ(sh("while [ ! -e ~/begun ]; do sleep 0.01; done; echo hello > ~/.t; mv ~/.t ~/other")
                  .exit_code,
              0);
    EXPECT_EQ(waiting.wait().out, "hello\n");
}

TEST_F(LastingHome, belongs_to_one_workspace) {
    files::create_directory(base() + "/second");
    if (is_root()) {
        ASSERT_EQ(::chown((base() + "/second").c_str(), kOwner, kOwner), 0);
    }
    ASSERT_EQ(sh("echo secret > ~/mine").exit_code, 0);
    EXPECT_EQ(sh("ls ~", {}, base() + "/second").out, "");
    // Nor by its path on the host, which plain bash can read (as root, or as the same user).
    const std::string path = place(ws()) + "/home/mine";
    EXPECT_EQ(outside("cat '" + path + "'"), "secret\n");
    EXPECT_EQ(sh("cat '" + path + "'", {}, base() + "/second").out, "");
    EXPECT_EQ(sh("ls '" + homes() + "'").out, "");
    EXPECT_NE(sh("echo > '" + homes() + "/planted'").exit_code, 0);
    EXPECT_FALSE(os_exists(homes() + "/planted"));
}

TEST_F(LastingHome, of_a_workspace_that_was_made_again_is_fresh) {
    const std::string root = base() + "/again";
    const auto make = [&] {
        files::create_directory(root);
        if (is_root()) {
            ASSERT_EQ(::chown(root.c_str(), kOwner, kOwner), 0);
        }
    };
    make();
    ASSERT_EQ(sh("echo old > ~/old", {}, root).exit_code, 0);
    EXPECT_EQ(sh("cat ~/old", {}, root).out, "old\n");
    files::remove_all(root);
    make();
    EXPECT_EQ(sh("cat ~/old", {}, root).out, "");
}

// Start files there are the session's own: they run inside, and nowhere else.
ATTACK_F(LastingHome, WD_04, plants_nothing_for_anybody_outside) {
    const std::string mark = base() + "/OUT/planted";
    const std::string plant = "echo > '" + mark + "'";
    ASSERT_EQ(
        sh("for f in .bashrc .profile .bash_profile .bash_logout .zshenv; do echo \"" + plant +
           "; echo ran\" > ~/$f; done; "
           "printf '[core]\\n\\tfsmonitor = \"" +
           plant + "; false\"\\n[alias]\\n\\tst = \"!" + plant +
           "\"\\n[user]\\n\\tname = Planted\\n' > ~/.gitconfig; git init -q .")
            .exit_code,
        0);
    // The control: whoever has it as the own home obeys it.
    setting().variables["HOME"] = place(ws()) + "/home";
    EXPECT_NE(outside("bash -ic true"), "");
    EXPECT_TRUE(os_exists(mark)) << "the plant is no good";
    files::remove(mark);
    setting().variables["HOME"] = home();
    // Inside it is obeyed as at home, without effect outside.
    EXPECT_EQ(inside({"bash", "-ic", "true"}).out, "ran\n");
    EXPECT_FALSE(os_exists(mark));
    // Neither paddock nor the owner's git reads it.
    EXPECT_EQ(outside("cd '" + ws() + "' && git config user.name"), "");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"log", "--root", ws()},
                                                  {"doctor"},
                                                  {"ls", "--root", ws()},
                                                  {"run", "--root", ws(), "--", "true"},
                                                  {"clean", "--root", ws(), "--dry-run"}}) {
        (void)paddock(words, setting());
        EXPECT_FALSE(os_exists(mark)) << words[0];
    }
}

TEST_F(LastingHome, is_emptied_by_clean_and_nothing_else_is) {
    os_write(base() + "/OUT/kept", "kept");
    files::create_directories(base() + "/OUT/d/e");
    ASSERT_EQ(
        sh("mkdir -p ~/a/b ~/closed && ln -s '" + base() + "/OUT' ~/link && ln -s '" + base() +
           "/OUT/kept' ~/a/b/file && ln -s / ~/root && echo x > ~/a/x && "
           "echo > ~/closed/y && chmod 000 ~/closed")
            .exit_code,
        0);
    const Ran dry = paddock({"clean", "--root", ws(), "--dry-run"}, setting());
    EXPECT_EQ(dry.exit_code, 0) << dry.err;
    EXPECT_NE(dry.out.find(ws()), std::string::npos) << dry.out;
    EXPECT_NE(dry.out.find("MB, "), std::string::npos) << dry.out;
    EXPECT_EQ(dry.out.find("Emptied"), std::string::npos) << dry.out;
    EXPECT_EQ(sh("cat ~/a/x").out, "x\n");
    EXPECT_EQ(paddock({"clean", "--root", ws()}, setting()).exit_code, 2) << "nobody was asked";

    const auto json = paddock({"clean", "--root", ws(), "--dry-run", "--json"}, setting()).json();
    const auto bytes = json.at("homes").at(0).at("bytes").to_number<std::uint64_t>();
    EXPECT_LT(bytes, 100'000U) << "the count followed a link";

    const Ran done = paddock({"clean", "--root", ws(), "--yes"}, setting());
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_NE(done.out.find("Emptied 1 home.\n"), std::string::npos) << done.out;
    EXPECT_EQ(os_read(base() + "/OUT/kept"), "kept");
    EXPECT_TRUE(os_exists(base() + "/OUT/d/e"));
    EXPECT_EQ(secret(), kSecret);
    EXPECT_EQ(sh("ls -A ~").out, "");
}

TEST_F(LastingHome, that_a_session_uses_is_not_emptied) {
    Process session({"run", "--root", ws(), "--", "sh", "-c",
                     "echo > ~/begun; while [ ! -e stop ]; do sleep 0.01; done"},
                    setting());
    while (sh("ls ~").out != "begun\n") continue;
    const Ran refused = paddock({"clean", "--root", ws(), "--yes"}, setting());
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_NE(refused.err.find("a session uses this home"), std::string::npos) << refused.err;
    os_write(ws("stop"), "");
    (void)session.wait();
    EXPECT_EQ(paddock({"clean", "--root", ws(), "--yes"}, setting()).exit_code, 0);
}

TEST_F(LastingHome, of_a_workspace_that_is_gone_goes_with_all) {
    const std::string root = base() + "/gone";
    files::create_directory(root);
    if (is_root()) {
        ASSERT_EQ(::chown(root.c_str(), kOwner, kOwner), 0);
    }
    ASSERT_EQ(sh("echo > ~/x", {}, root).exit_code, 0);
    ASSERT_EQ(sh("echo > ~/x").exit_code, 0);
    files::remove_all(root);
    const Ran all = paddock({"clean", "--all", "--root", ws(), "--yes"}, setting());
    EXPECT_EQ(all.exit_code, 0) << all.err;
    EXPECT_NE(all.out.find(root), std::string::npos);
    EXPECT_NE(all.out.find("workspace no longer exists"), std::string::npos);
    const auto left =
        std::distance(files::directory_iterator(homes()), files::directory_iterator());
    EXPECT_EQ(left, 1);
}

TEST_F(CommandHome, that_cannot_be_kept_is_said_and_replaced) {
    setting().variables["XDG_STATE_HOME"] = "/dev/null/none";
    const Ran ran = sh("echo > ~/x && ls ~");
    EXPECT_EQ(ran.out, "x\n");
    EXPECT_NE(ran.err.find("the home of commands ends with this session"), std::string::npos)
        << ran.err;
    EXPECT_EQ(sh("ls ~").out, "");
    // In the workspace it would be within reach of the tools.
    setting().variables["XDG_STATE_HOME"] = ws("state");
    const std::string inside_it = sh("true").err;
    EXPECT_NE(inside_it.find("lies in the workspace; set XDG_STATE_HOME\n"), std::string::npos)
        << inside_it;
    setting().variables["XDG_STATE_HOME"] = "";
    setting().variables["HOME"] = "";
    EXPECT_NE(sh("true").err.find("no $HOME"), std::string::npos);
    const Ran fresh = sh("true", {"--fresh-home"});
    EXPECT_EQ(fresh.err.find("home of commands"), std::string::npos) << fresh.err;
}

// A home that a link leads to, or that somebody else could change, is none.
TEST_F(CommandHome, directory_that_others_may_write_is_refused) {
    files::create_directories(homes());
    ASSERT_EQ(::chmod(homes().c_str(), 0777), 0);
    EXPECT_NE(sh("true").err.find("other users can change the directory of homes"),
              std::string::npos);
}

TEST_F(LastingHome, is_bounded) {
    const Ran ran =
        sh("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); echo x > ~/f$i; sleep 0.01; done",
           {"--bash-limits-home-bytes", "256K"});
    EXPECT_EQ(ran.exit_code, 128 + 9) << ran.out << ran.err;
    EXPECT_NE(ran.err.find("bash.limits.home_bytes"), std::string::npos) << ran.err;
    // What is there can be removed.
    EXPECT_EQ(sh("rm -f ~/f*; sleep 0.3; ls ~", {"--bash-limits-home-bytes", "256K"}).out, "");
}

}  // namespace
}  // namespace paddock::testing
