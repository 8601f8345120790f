// What commands make under protected names, and what they do to protected things where the kernel
// does not hold them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tools/guarded.h"

namespace paddock::testing {
namespace {

using tools::GuardRecord;
using tools::Since;
using tools::Undone;

class GuardTest : public Guarded {
protected:
    unsigned mode_of(const std::string& path) const {
        struct stat found {};
        return ::stat(ws(path).c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
    }
};

TEST_F(GuardTest, says_what_to_protect_once) {
    tree({"ROOT/.env=", "ROOT/.git/config=", "ROOT/a/.vscode/x=", "ROOT/.bashrc->nowhere"});
    EXPECT_EQ(before(), ".env .git .git/config a/.vscode ");
    EXPECT_EQ(before(), "");
    EXPECT_EQ(after(), "");
    tree({"ROOT/b/.env="});
    EXPECT_EQ(before(), "b/.env ");
    // Another object under the same name is not bound any more.
    std::filesystem::rename(ws("b/.env"), ws("b/old"));
    tree({"ROOT/b/.env="});
    EXPECT_EQ(before(), "b/.env ");
    EXPECT_EQ(before(), "");
}

TEST_F(GuardTest, hides_sockets_of_the_host_and_leaves_those_of_commands) {
    const auto make_socket = [&](const char* name) {
        ASSERT_EQ(::mknod(ws(name).c_str(), S_IFSOCK | 0600, 0), 0);
    };
    tree({"ROOT/a/b/"});
    make_socket("a/b/host");
    EXPECT_EQ(before(), "a/b/host ");
    EXPECT_EQ(before(), "");
    make_socket("a/own");  // by a command
    EXPECT_EQ(after(), "");
    make_socket("late");
    EXPECT_EQ(before(), "late ");
    make_socket("busy");
    EXPECT_EQ(before(Since::kBusy), "");
    EXPECT_EQ(before(), "");
    // Another one in the place of one of a command's is the host's again.
    std::filesystem::remove(ws("a/own"));
    EXPECT_EQ(before(), "");
    make_socket("a/own");
    EXPECT_EQ(before(), "a/own ");
}

TEST_F(GuardTest, takes_away_every_protected_name_that_a_command_makes) {
    EXPECT_EQ(before(), "");
    ASSERT_TRUE(
        sh("mkdir -p .vscode .claude .codex a/b/.idea .cursor .gemini .agents .husky; "
           "for f in .env .bashrc .envrc .mcp.json .vscode/tasks.json .zshrc "
           ".claude/settings.json .codex/config.toml a/b/.idea/x a/.env.local .BashRC; "
           "do echo evil > $f; done; ln -s /etc a/.profile; mkfifo a/.bash_login; touch ok"));
    EXPECT_EQ(after(),
              ".BashRC:quarantined .agents:quarantined .bashrc:quarantined "
              ".claude:quarantined .codex:quarantined .cursor:quarantined "
              ".env:quarantined .envrc:quarantined .gemini:quarantined "
              ".husky:quarantined .mcp.json:quarantined .vscode:quarantined "
              ".zshrc:quarantined a/.bash_login:quarantined a/.env.local:quarantined "
              "a/.profile:quarantined a/b/.idea:quarantined ");
    EXPECT_EQ(names(), "a a/b ok ");
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, keeps_what_it_takes_away_where_nothing_obeys_it) {
    (void)before();
    ASSERT_TRUE(
        sh("mkdir -p n/.vscode/d; echo task > n/.vscode/tasks.json; "
           "ln -s /etc/passwd n/.vscode/d/x; echo file > n/.vscode/d/x.link; "
           "chmod 777 n/.vscode/tasks.json; "
           "echo rc > .bashrc; chmod 4755 .bashrc"));
    const auto undone = report();
    ASSERT_EQ(undone.records.size(), 2U);
    EXPECT_EQ(kept(undone.records[0]), "rc\n");
    EXPECT_EQ(undone.records[0].rule, ".bashrc");
    const std::string directory = base() + "/KEPT/" + undone.records[1].kept;
    EXPECT_TRUE(directory.ends_with("/.vscode.kept")) << directory;
    EXPECT_EQ(os_read(directory + "/tasks.json.kept"), "task\n");
    EXPECT_EQ(os_read(directory + "/d.kept/x.link"), "/etc/passwd\n");
    EXPECT_EQ(os_read(directory + "/d.kept/x.link.kept"), "file\n");
    EXPECT_EQ(os_read(std::filesystem::path(directory).parent_path() / "origin"), "n/.vscode\n");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(base() + "/KEPT")) {
        EXPECT_FALSE(entry.is_symlink());
        const auto mode = static_cast<unsigned>(entry.status().permissions());
        EXPECT_EQ(mode, entry.is_directory() ? 0700U : 0600U) << entry.path();
    }
}

TEST_F(GuardTest, keeps_no_repository_that_git_finds) {
    (void)before();
    ASSERT_TRUE(
        sh("mkdir .vscode; cd .vscode; git init -q r && git -C r config core.fsmonitor evil"));
    const auto undone = report();
    ASSERT_EQ(undone.records.size(), 1U);
    const std::string directory = base() + "/KEPT/" + undone.records[0].kept;
    EXPECT_TRUE(os_read(directory + "/r.kept/.git.kept/config.kept"));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        EXPECT_EQ(entry.path().extension(), ".kept");
    }
}

TEST_F(GuardTest, says_under_which_name_a_link_is_kept) {
    (void)before();
    ASSERT_TRUE(sh("ln -s /etc .profile"));
    const auto undone = report();
    ASSERT_EQ(undone.records.size(), 1U);
    EXPECT_EQ(kept(undone.records[0]), "/etc\n");
}

TEST_F(GuardTest, removes_where_there_is_no_quarantine) {
    quarantines = false;
    (void)before();
    ASSERT_TRUE(sh("echo x > .env; mkdir .vscode; echo x > .vscode/y"));
    EXPECT_EQ(after(), ".env:removed .vscode:removed ");
    EXPECT_EQ(names(), "");
}

TEST_F(GuardTest, leaves_what_the_operator_allows) {
    rules = {{".vscode", PathAccess::kAllow}, {".env", PathAccess::kAllow}};
    (void)before();
    ASSERT_TRUE(sh("mkdir .vscode .idea; echo x > .env; echo x > .vscode/y"));
    EXPECT_EQ(after(), ".idea:quarantined ");
    EXPECT_EQ(names(), ".env .vscode .vscode/y ");
}

TEST_F(GuardTest, puts_back_a_directory_that_was_renamed) {
    tree({"ROOT/src/a/main.cc=text", "ROOT/src/b="});
    (void)before();
    ASSERT_TRUE(sh("mv src .vscode"));
    EXPECT_EQ(after(), ".vscode:moved-back(to src) ");
    EXPECT_EQ(os_read(ws("src/a/main.cc")), "text");
    EXPECT_FALSE(os_exists(ws(".vscode")));
}

TEST_F(GuardTest, follows_what_is_protected_when_a_directory_above_is_renamed) {
    tree({"ROOT/p/.env=secret", "ROOT/p/.git/config=[core]\n hooksPath=mine\n",
          "ROOT/p/.git/hooks/pre-commit=mine"});
    (void)before();
    ASSERT_TRUE(sh("mv p q"));
    EXPECT_EQ(after(), "");
    EXPECT_EQ(before(), "");  // what is bound has moved along
    ASSERT_TRUE(sh("mkdir -p p/.git/hooks; echo evil > p/.git/hooks/pre-commit; echo x > p/.env"));
    EXPECT_EQ(after(), "p/.env:quarantined p/.git/hooks/pre-commit:quarantined ");
    EXPECT_EQ(os_read(ws("q/.git/hooks/pre-commit")), "mine");
    EXPECT_EQ(os_read(ws("q/.env")), "secret");
}

// In one step: another directory has the place, with names that were protected there.
TEST_F(GuardTest, is_not_deceived_by_a_directory_in_the_place_of_another) {
    tree({"ROOT/p/.env=secret", "ROOT/p/.git/config=[core]\n hooksPath=mine\n",
          "ROOT/p/.git/hooks/pre-commit=mine"});
    (void)before();
    ASSERT_TRUE(
        sh("mv p q; mkdir -p p/.git/hooks; echo evil > p/.git/hooks/pre-commit; "
           "echo evil > p/.env; git config -f p/.git/config alias.x !y"));
    EXPECT_EQ(after(),
              "p/.env:quarantined p/.git/config:cleaned(alias.x) "
              "p/.git/hooks/pre-commit:quarantined ");
    EXPECT_EQ(os_read(ws("q/.git/config")), "[core]\n hooksPath=mine\n");
    EXPECT_EQ(os_read(ws("q/.git/hooks/pre-commit")), "mine");
    EXPECT_EQ(os_read(ws("q/.env")), "secret");
    // Out of sight, where nobody looks, and back again.
    ASSERT_TRUE(sh("mv q ../OUT/q; mkdir q; echo evil > q/.env"));
    EXPECT_EQ(after(), "q/.env:quarantined ");
    ASSERT_TRUE(sh("rmdir q; mv ../OUT/q q"));
    EXPECT_EQ(after(), "");
    EXPECT_EQ(os_read(ws("q/.env")), "secret");
}

TEST_F(GuardTest, undoes_what_hides_in_closed_directories) {
    (void)before();
    ASSERT_TRUE(
        sh("mkdir -p a/b/.vscode c/.git/hooks d/e; touch a/b/.vscode/x c/.git/hooks/h "
           "d/e/.env; chmod 0555 a/b/.vscode a/b c/.git/hooks c/.git; chmod 0311 a d/e; "
           "chmod 0 d"));
    const std::string undone = after();
    if (is_root()) {
        EXPECT_EQ(undone,
                  "a/b/.vscode:quarantined d/e/.env:quarantined c/.git/hooks/h:quarantined ");
    } else {
        EXPECT_EQ(undone,
                  "a:made-readable d:made-readable(1 more below) "
                  "a/b/.vscode:quarantined d/e/.env:quarantined "
                  "c/.git/hooks/h:quarantined ");
    }
    EXPECT_FALSE(os_exists(ws("a/b/.vscode")));
    EXPECT_FALSE(os_exists(ws("d/e/.env")));
    EXPECT_EQ(after(), "");
}

// Beyond what a path can name.
TEST_F(GuardTest, takes_away_what_is_closed_however_deep) {
    (void)before();
    ASSERT_TRUE(
        sh("mkdir .vscode; cd .vscode; touch 1 2 3; n=$(printf %0200d 0); "
           "for i in $(seq 25); do mkdir $n && cd -P $n || exit 1; done; "
           "mkdir d; touch d/x; chmod 0 d"));
    EXPECT_TRUE(after().ends_with(" .vscode:quarantined ") || is_root());
    EXPECT_EQ(names(), "");
}

// Names that have to be cut to be kept stay different, and one that cannot be kept takes no other
// along.
TEST_F(GuardTest, keeps_all_that_can_be_kept) {
    (void)before();
    ASSERT_TRUE(
        sh("mkdir .vscode; cd .vscode; n=$(printf %0252d 0); echo 1 > ${n}_a; echo 2 > ${n}_b; "
           "echo precious > precious; n=$(printf %0200d 0); "
           "for i in $(seq 25); do mkdir $n && cd -P $n || exit 1; done"));
    EXPECT_TRUE(after().ends_with(".vscode:quarantined "));
    std::vector<std::string> contents;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(base() + "/KEPT")) {
        if (entry.is_regular_file()) contents.push_back(os_read(entry.path()).value_or(""));
    }
    for (const char* kept : {"1\n", "2\n", "precious\n"}) {
        EXPECT_EQ(std::count(contents.begin(), contents.end(), kept), 1) << kept;
    }
}

// Whoever calls the next command has not made it.
TEST_F(GuardTest, does_not_take_what_it_had_to_leave_for_the_owners) {
    tree({"ROOT/src/.env=mine"});
    EXPECT_EQ(before(), "src/.env ");
    ASSERT_TRUE(sh("mkdir .vscode; touch .vscode/1; mv src .vscode/"));
    const std::string left =
        ".vscode:left(remove '.vscode': holds something that is protected. Choose another file.) ";
    EXPECT_EQ(after(), left);
    EXPECT_EQ(before(), "");
    ASSERT_TRUE(sh("touch .vscode/2"));
    EXPECT_EQ(after(), left);
    EXPECT_EQ(names(), ".vscode .vscode/src .vscode/src/.env ");
    ASSERT_TRUE(sh("mv .vscode/src .; rmdir .vscode; mkdir .vscode"));
    EXPECT_EQ(before(), ".vscode src/.env ");
    EXPECT_EQ(after(), "");
}

// What must go anyway leads git nowhere.
TEST_F(GuardTest, takes_names_away_before_it_believes_what_they_hold) {
    tree({"ROOT/src/config=mine", "ROOT/src/hooks/mine=mine"});
    (void)before();
    ASSERT_TRUE(
        sh("mkdir -p .vscode/x; echo \"gitdir: ../../src\" > .vscode/x/.git; "
           "echo evil > .mcp.json"));
    EXPECT_EQ(after(), ".mcp.json:quarantined .vscode:quarantined ");
    EXPECT_EQ(names(), "src src/config src/hooks src/hooks/mine ");
}

// Each leads to the next, so that each makes a repository of one until the next has gone. Somebody
// who is alive lets the guard take a few looks only.
TEST_F(GuardTest, undoes_a_chain_of_pointers_at_once) {
    tree({"ROOT/.git/HEAD=ref: refs/heads/m", "ROOT/.git/objects/", "ROOT/.git/refs/",
          "ROOT/.git/config=[core]\n\tbare = false\n"});
    (void)before();
    alive = true;
    ASSERT_TRUE(
        sh("mkdir c; cd c; for i in $(seq 10 49); do mkdir r$i; cp ../.git/HEAD r$i; "
           "echo ../r$((i + 1)) > r$i/commondir; done; cd ..; mkdir w; "
           "echo \"gitdir: ../c/r10\" > w/.git; cp -r .git ev; "
           "git config -f ev/config core.fsmonitor x; echo ../ev > .git/commondir; "
           "echo evil > .envrc"));
    const auto undone = report();
    EXPECT_EQ(undone.records.size(), 44U);
    EXPECT_EQ(undone.records.front().path, ".envrc");
    EXPECT_EQ(undone.records.back().path, "ev/config");
    EXPECT_FALSE(os_exists(ws("w/.git")));
    EXPECT_EQ(names().find("c/r10/commondir"), std::string::npos);
    EXPECT_EQ(names().find("c/r49/commondir"), std::string::npos);
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, undoes_what_lies_in_a_directory_that_nobody_may_change) {
    tree({"ROOT/.git/HEAD=", "ROOT/.git/config=[core]\n\tbare = false\n", "ROOT/.bashrc->mine",
          "ROOT/src/main.c=mine"});
    (void)before();
    ASSERT_TRUE(
        sh("echo x > .env; echo /x > .git/commondir; echo x > .git/config.worktree; mv src .idea; "
           "rm .bashrc; chmod 1555 .; chmod 555 .git"));
    EXPECT_EQ(after(),
              ".env:quarantined .idea:moved-back(to src) .git/commondir:quarantined "
              ".git/config.worktree:cleaned(x) .bashrc:restored ");
    EXPECT_EQ(names(), ".bashrc .git .git/config src src/main.c ");
    EXPECT_EQ(mode_of("."), 01555U);
    EXPECT_EQ(mode_of(".git"), 0555U);
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, opens_a_repository_and_the_workspace_where_they_are_closed) {
    if (is_root()) GTEST_SKIP() << "nothing is closed to root";
    tree({"ROOT/.git/HEAD=", "ROOT/.git/config="});
    (void)before();
    ASSERT_TRUE(sh("echo x > .git/commondir; chmod 311 .git"));
    EXPECT_EQ(after(), ".git:made-readable .git/commondir:quarantined ");
    for (const char* mode : {"311", "644", "0"}) {
        ASSERT_TRUE(sh("echo x > .env; chmod " + std::string(mode) + " ."));
        EXPECT_EQ(after(), ".:made-readable .env:quarantined ") << mode;
        ASSERT_TRUE(sh("true")) << mode;
        std::filesystem::permissions(ws(), std::filesystem::perms::owner_all);
    }
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, opens_what_can_be_listed_and_not_searched) {
    if (is_root()) GTEST_SKIP() << "nothing is closed to root";
    (void)before();
    ASSERT_TRUE(sh("mkdir d; echo x > d/.env; chmod 644 d"));
    EXPECT_EQ(after(), "d:made-readable d/.env:quarantined ");
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, opens_what_is_in_the_place_of_a_directory_that_was_closed_before) {
    if (is_root()) GTEST_SKIP() << "nothing is closed to root";
    tree({"ROOT/closed/x="});
    ASSERT_EQ(::chmod(ws("closed").c_str(), 0), 0);
    (void)before();
    ASSERT_TRUE(sh("mv closed away; mkdir closed; echo x > closed/.env; chmod 311 closed"));
    EXPECT_EQ(after(), "away:made-readable closed:made-readable closed/.env:quarantined ");
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, opens_any_number_of_closed_directories) {
    if (is_root()) GTEST_SKIP() << "nothing is closed to root";
    (void)before();
    ASSERT_TRUE(
        sh("p=.; for i in $(seq 60); do p=$p/d; mkdir $p; done; echo x > $p/.env; "
           "for i in $(seq 60); do chmod 311 $p; p=${p%/d}; done"));
    const std::string undone = after();
    EXPECT_TRUE(undone.starts_with("d:made-readable(59 more below) d/d/")) << undone;
    EXPECT_TRUE(undone.ends_with("/d/.env:quarantined ")) << undone;
    EXPECT_EQ(names().find(".env"), std::string::npos);
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, leaves_a_directory_that_was_closed_before) {
    tree({"ROOT/closed/x="});
    ASSERT_EQ(::chmod(ws("closed").c_str(), 0), 0);
    (void)before();
    EXPECT_EQ(after(), "");
    ASSERT_EQ(::chmod(ws("closed").c_str(), 0700), 0);
}

TEST_F(GuardTest, judges_what_is_new_while_something_runs) {
    (void)before();
    tree({"ROOT/.vscode/tasks.json=evil"});
    EXPECT_EQ(before(Since::kBusy), "");
    EXPECT_FALSE(os_exists(ws(".vscode")));
    EXPECT_EQ(after(), ".vscode:quarantined ");
    tree({"ROOT/.vscode/tasks.json=mine"});
    EXPECT_EQ(before(Since::kQuiet), ".vscode ");
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, leaves_what_somebody_outside_does_to_what_the_kernel_holds) {
    tree({"ROOT/.env=1", "ROOT/.vscode/a=1", "ROOT/.mcp.json=1"});
    (void)before();
    os_write(ws(".env"), "2");
    os_write(ws(".vscode/b"), "2");
    os_write(ws("new"), "2");
    std::filesystem::rename(ws("new"), ws(".mcp.json"));
    EXPECT_EQ(after(), ".mcp.json:replaced ");
    EXPECT_EQ(after(), "");
    EXPECT_EQ(before(Since::kBusy), ".mcp.json ");
    std::filesystem::remove(ws(".env"));
    EXPECT_EQ(after(), "");
    EXPECT_EQ(names(), ".mcp.json .vscode .vscode/a .vscode/b ");
}

// One command moves it to where the rules excuse it, and the next one back.
TEST_F(GuardTest, knows_what_comes_back_from_where_no_rule_restricts_it) {
    tree({"ROOT/ed/.vscode/tasks.json=mine", "ROOT/certs/server.key=mine"});
    EXPECT_EQ(before(), "certs/server.key ed/.vscode ");
    ASSERT_TRUE(sh("mkdir node_modules; mv ed certs node_modules/"));
    EXPECT_EQ(after(), "");
    EXPECT_EQ(before(), "");
    EXPECT_EQ(before(), "");
    ASSERT_TRUE(sh("mkdir -p ed/.vscode; mv node_modules/certs ."));
    EXPECT_EQ(after(), "ed/.vscode:quarantined ");
    ASSERT_TRUE(sh("rmdir ed; mv node_modules/ed ed"));
    EXPECT_EQ(after(), "");
    EXPECT_EQ(os_read(ws("ed/.vscode/tasks.json")), "mine");
    EXPECT_EQ(os_read(ws("certs/server.key")), "mine");
}

TEST_F(GuardTest, puts_a_link_back_that_no_kernel_can_hold) {
    tree({"ROOT/.bashrc->dot/bashrc", "ROOT/dot/bashrc=mine", "ROOT/evil=evil"});
    (void)before();
    ASSERT_TRUE(sh("ln -sfn evil .bashrc"));
    EXPECT_EQ(after(), ".bashrc:restored ");
    EXPECT_EQ(std::filesystem::read_symlink(ws(".bashrc")), "dot/bashrc");
    ASSERT_TRUE(sh("rm .bashrc; echo evil > .bashrc"));
    EXPECT_EQ(after(), ".bashrc:restored ");
    ASSERT_TRUE(sh("rm .bashrc"));
    EXPECT_EQ(after(), ".bashrc:restored ");
    EXPECT_EQ(os_read(ws(".bashrc")), "mine");
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, puts_a_link_back_that_leads_outside) {
    tree({"ROOT/.env->@/OUT/env", "ROOT/.bashrc->../OUT/rc", "ROOT/.zshrc->/nowhere"});
    (void)before();
    ASSERT_TRUE(sh("rm .env; ln -sfn /etc/passwd .bashrc; rm .zshrc; echo evil > .zshrc"));
    EXPECT_EQ(after(), ".bashrc:restored .zshrc:restored .env:restored ");
    EXPECT_EQ(std::filesystem::read_symlink(ws(".env")), base() + "/OUT/env");
    EXPECT_EQ(std::filesystem::read_symlink(ws(".bashrc")), "../OUT/rc");
    EXPECT_EQ(std::filesystem::read_symlink(ws(".zshrc")), "/nowhere");
    EXPECT_EQ(after(), "");
}

// A link gives what it leads to the protected name.
TEST_F(GuardTest, protects_what_protected_links_lead_to) {
    tree({"ROOT/.env->cfg/theenv", "ROOT/cfg/theenv=secret", "ROOT/.bashrc->lk/rc", "ROOT/lk->dots",
          "ROOT/dots/rc=mine", "ROOT/.vscode->conf/vs", "ROOT/conf/vs/tasks.json=mine",
          "ROOT/.idea/x->../idea.xml", "ROOT/idea.xml=mine", "ROOT/.husky->.", "ROOT/a/.zed->..",
          "ROOT/.codex->../OUT", "ROOT/.claude->nowhere"});
    EXPECT_EQ(before(), ".idea cfg cfg/theenv conf conf/vs dots dots/rc idea.xml ");
    EXPECT_EQ(after(), "");
    ASSERT_TRUE(
        sh("mkdir nowhere; touch nowhere/settings.json; mv conf c2; mkdir -p conf/vs; "
           "touch conf/vs/tasks.json; mkdir other; touch other/rc; ln -sfn other lk"));
    EXPECT_EQ(after(), "conf/vs:quarantined lk:restored nowhere:quarantined ");
    EXPECT_EQ(names(),
              ".bashrc .claude .codex .env .husky .idea .idea/x .vscode a a/.zed c2 c2/vs "
              "c2/vs/tasks.json cfg cfg/theenv conf dots dots/rc idea.xml lk other other/rc ");
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, links_that_a_command_makes_turn_nothing_into_something_protected) {
    tree({"ROOT/README=mine", "ROOT/src/main.c=mine", "ROOT/.bashrc->dots/rc", "ROOT/dots/rc=mine",
          "ROOT/lk->src"});
    (void)before();
    ASSERT_TRUE(
        sh("ln -s README .env; ln -s src .vscode; ln -sfn README .bashrc; mkdir .idea; "
           "ln -s ../src/main.c .idea/x; ln -s lk/main.c .zshrc"));
    EXPECT_EQ(after(),
              ".bashrc:restored .env:quarantined .idea:quarantined .vscode:quarantined "
              ".zshrc:quarantined ");
    EXPECT_EQ(names(), ".bashrc README dots dots/rc lk src src/main.c ");
    EXPECT_EQ(after(), "");
}

// Rules for a name below another: a link in the place of the directory above.
TEST_F(GuardTest, takes_away_a_link_that_gives_other_names_to_what_is_there) {
    tree({"ROOT/elsewhere/git/config=", "ROOT/elsewhere/paddock/x=", "ROOT/.docker/x=",
          "ROOT/other->elsewhere"});
    (void)before();
    ASSERT_TRUE(
        sh("ln -s elsewhere .config; mkdir -p home; ln -s ../elsewhere home/.Kube; "
           "mv .docker d; ln -s elsewhere .docker; ln -s elsewhere also"));
    EXPECT_EQ(after(), ".config:quarantined .docker:quarantined home/.Kube:quarantined ");
    EXPECT_EQ(names(),
              "also d d/x elsewhere elsewhere/git elsewhere/git/config elsewhere/paddock "
              "elsewhere/paddock/x home other ");
    EXPECT_EQ(after(), "");
}

TEST_F(GuardTest, protects_what_has_its_name_by_a_link_above) {
    tree({"ROOT/.config->dots/config", "ROOT/dots/config/git/config=mine", "ROOT/dots/config/x="});
    EXPECT_EQ(before(), "dots dots/config dots/config/git ");
    ASSERT_TRUE(sh("mkdir dots/config/gh; echo x > dots/config/gh/hosts.yml; touch dots/config/y"));
    EXPECT_EQ(after(), "dots/config/gh/hosts.yml:quarantined ");
    ASSERT_TRUE(sh("ln -sfn elsewhere .config; mkdir -p elsewhere/paddock"));
    EXPECT_EQ(after(), ".config:restored ");
    EXPECT_TRUE(os_exists(ws("elsewhere/paddock")));
    EXPECT_EQ(after(), "");
}

// Names of branches are no names of files of the project, so rules do not apply there.
TEST_F(GuardTest, takes_away_a_link_that_leads_into_a_repository) {
    tree({"ROOT/.git/config=", "ROOT/app/main.c=mine", "ROOT/shown->.git/x", "ROOT/.github/x="});
    (void)before();
    ASSERT_TRUE(
        sh("mkdir -p .git/refs/x; touch .git/refs/x/opencode.json; mv app app2; "
           "ln -s .git/refs/x app; mkdir d; ln -s \"$PWD/.git/refs/x/opencode.json\" d/settings; "
           "ln -s app by; ln -s ../config .git/refs/x/inside; ln -s ../.github d/other"));
    EXPECT_TRUE(os_exists(ws("app/opencode.json"))) << "the attack is none";
    EXPECT_EQ(after(), "app:quarantined d/settings:quarantined ");
    EXPECT_TRUE(os_exists(ws("shown")));
    EXPECT_EQ(after(), "");
    ASSERT_TRUE(sh("ln -sfn .git/y shown"));
    EXPECT_EQ(after(), "shown:restored ");
}

// Unlike those of branches.
TEST_F(GuardTest, undoes_what_has_a_protected_name_among_objects) {
    tree({"ROOT/.git/config=", "ROOT/.git/objects/"});
    (void)before();
    ASSERT_TRUE(sh("mkdir -p .git/objects/ab/x/.vscode; touch .git/objects/ab/x/.vscode/a"));
    EXPECT_EQ(after(), ".git/objects/ab/x/.vscode:quarantined ");
}

TEST_F(GuardTest, counts_what_it_does_not_tell_one_by_one) {
    (void)before();
    ASSERT_TRUE(sh("for i in $(seq 80); do echo $i > $i.key; done"));
    const auto undone = report();
    EXPECT_EQ(undone.records.size(), 50U);
    EXPECT_EQ(undone.more, 30U);
    EXPECT_EQ(names(), "");
}

TEST_F(GuardTest, leaves_no_descriptor_behind) {
    tree({"ROOT/.git/config=", "ROOT/a/b/c/.env="});
    (void)before();
    (void)after();
    const std::size_t descriptors = open_descriptors();
    for (int i = 0; i < 20; ++i) {
        tree({"ROOT/.vscode/x=", "ROOT/n/.git/config=[alias]\nx=!y\n", "ROOT/n/.git/hooks/h="});
        (void)after();
        (void)before();
    }
    EXPECT_EQ(open_descriptors(), descriptors);
}

// --- where the kernel does not hold what exists
// ---------------------------------------------------

class Unheld : public Guarded {
protected:
    void SetUp() override { kernel_holds = false; }
};

TEST_F(Unheld, content_is_restored) {
    tree({"ROOT/.env=secret", "ROOT/.vscode/a/tasks.json=mine", "ROOT/.vscode/b=mine",
          "ROOT/.git/config=[core]\n\tbare = false\n", "ROOT/.git/hooks/pre-commit=mine",
          "ROOT/.bashrc->x"});
    ASSERT_EQ(::chmod(ws(".env").c_str(), 0640), 0);
    EXPECT_EQ(before(), "");
    ASSERT_TRUE(
        sh("echo evil >> .env; echo evil > .vscode/a/tasks.json; rm .vscode/b; "
           "echo evil > .vscode/c; echo evil >> .git/hooks/pre-commit; rm .bashrc; "
           "echo evil > .git/hooks/post-commit; touch ok"));
    EXPECT_EQ(after(),
              ".env:restored .vscode/a/tasks.json:restored .vscode/c:quarantined "
              ".vscode/b:restored .git/hooks/post-commit:quarantined "
              ".git/hooks/pre-commit:restored .bashrc:restored ");
    EXPECT_EQ(os_read(ws(".env")), "secret");
    struct stat env;
    ASSERT_EQ(::stat(ws(".env").c_str(), &env), 0);
    EXPECT_EQ(env.st_mode & 0777U, 0640U);
    EXPECT_EQ(os_read(ws(".vscode/a/tasks.json")), "mine");
    EXPECT_EQ(os_read(ws(".git/hooks/pre-commit")), "mine");
    EXPECT_EQ(after(), "");
    ASSERT_TRUE(sh("chmod +x .git/hooks/pre-commit"));
    EXPECT_EQ(after(), ".git/hooks/pre-commit:restored ");
    ASSERT_TRUE(sh("rm -r .vscode .env .git/hooks"));
    EXPECT_EQ(after(), ".env:restored .git/hooks:restored .vscode:restored ");
    EXPECT_EQ(after(), "");
    EXPECT_EQ(names(),
              ".bashrc .env .git .git/config .git/hooks .git/hooks/pre-commit .vscode "
              ".vscode/a .vscode/a/tasks.json .vscode/b ok ");
}

TEST_F(Unheld, content_behind_a_link_is_restored) {
    tree({"ROOT/.env->cfg/theenv", "ROOT/cfg/theenv=secret", "ROOT/.vscode->conf",
          "ROOT/conf/tasks.json=mine"});
    EXPECT_EQ(before(), "");
    ASSERT_TRUE(sh("echo evil > cfg/theenv; echo evil > conf/tasks.json; touch conf/new"));
    EXPECT_EQ(after(), "cfg/theenv:restored conf/new:quarantined conf/tasks.json:restored ");
    EXPECT_EQ(os_read(ws(".env")), "secret");
    EXPECT_EQ(os_read(ws(".vscode/tasks.json")), "mine");
    ASSERT_TRUE(sh("rm -r cfg; mkdir cfg"));
    EXPECT_EQ(after(), "cfg/theenv:restored ");
    EXPECT_EQ(after(), "");
}

TEST_F(Unheld, a_repository_that_was_renamed_goes_back) {
    tree({"ROOT/.git/config=[core]\n\thooksPath = mine\n", "ROOT/.git/HEAD=ref: refs/heads/m\n",
          "ROOT/.git/objects/", "ROOT/.git/refs/", "ROOT/.git/hooks/h=mine"});
    (void)before();
    ASSERT_TRUE(sh("mv .git away"));
    EXPECT_EQ(after(), ".git:moved-back(from away) ");
    ASSERT_TRUE(
        sh("mv .git away; mkdir -p .git/hooks; echo evil > .git/hooks/h; "
           "echo evil > .git/config"));
    EXPECT_EQ(after(), ".git:quarantined .git:moved-back(from away) ");
    EXPECT_EQ(os_read(ws(".git/hooks/h")), "mine");
    EXPECT_EQ(os_read(ws(".git/config")), "[core]\n\thooksPath = mine\n");
    EXPECT_FALSE(os_exists(ws("away")));
    EXPECT_EQ(after(), "");
}

TEST_F(Unheld, a_config_keeps_what_is_trusted_and_gets_what_is_benign) {
    tree(
        {"ROOT/.git/config=# mine\n[core]\n\thooksPath = mine\n[filter \"lfs\"]\n\tclean = lfs\n"});
    (void)before();
    ASSERT_TRUE(sh("git config -f .git/config user.name me"));
    EXPECT_EQ(after(), "");
    ASSERT_TRUE(
        sh("git config -f .git/config core.fsmonitor evil; "
           "git config -f .git/config filter.lfs.clean evil"));
    EXPECT_EQ(after(), ".git/config:cleaned(core.fsmonitor, filter.lfs.clean) ");
    EXPECT_TRUE(sh("test $(git config -f .git/config filter.lfs.clean) = lfs"));
    ASSERT_TRUE(sh("rm .git/config"));
    EXPECT_EQ(after(), ".git/config:restored ");
    ASSERT_TRUE(sh("test $(git config -f .git/config core.hooksPath) = mine"));
    EXPECT_EQ(after(), "");
}

TEST_F(Unheld, what_is_gone_with_its_directory_is_told) {
    tree({"ROOT/lib/.git/config=", "ROOT/lib/.git/hooks/h=", "ROOT/lib/x="});
    (void)before();
    ASSERT_TRUE(sh("rm -r lib"));
    EXPECT_EQ(after(), "lib/.git/config:missing lib/.git/hooks:missing ");
    EXPECT_EQ(names(), "");
    EXPECT_EQ(after(), "");
}

// Another session may have planted it, and has taken it away since.
TEST_F(GuardTest, what_was_met_beside_another_session_is_not_put_back) {
    tree({"ROOT/.git/HEAD=ref: refs/heads/m", "ROOT/.git/objects/", "ROOT/.git/refs/",
          "ROOT/.git/hooks/pre-commit=evil", "ROOT/.env->elsewhere"});
    (void)before(Since::kBusy);
    ASSERT_TRUE(sh("rm .env .git/hooks/pre-commit"));
    EXPECT_EQ(after(), "");
    EXPECT_FALSE(os_exists(ws(".git/hooks/pre-commit")));
    // What was there when nobody else was at work is the owner's.
    tree({"ROOT/.env->elsewhere"});
    (void)before();
    ASSERT_TRUE(sh("rm .env"));
    EXPECT_EQ(after(), ".env:restored ");
}

// The other session's guard undid it, and a command makes it again.
TEST_F(GuardTest, what_was_met_beside_another_session_excuses_nothing_but_itself) {
    tree({"ROOT/x/.git/HEAD=ref: refs/heads/m", "ROOT/x/.git/objects/", "ROOT/x/.git/refs/",
          "ROOT/x/.git/config=[core]\n\tfsmonitor = evil\n", "ROOT/.vscode->elsewhere"});
    (void)before(Since::kBusy);
    EXPECT_EQ(after(), "") << "as it is it may be the owner's";
    ASSERT_TRUE(
        sh("mv .vscode a; ln -s elsewhere .vscode; mv x/.git/config b; cp b x/.git/config"));
    EXPECT_EQ(after(), ".vscode:quarantined x/.git/config:cleaned(core.fsmonitor) ");
}

}  // namespace
}  // namespace paddock::testing
