// Where commands run: the directory that a session remembers is held, and neither a variable, nor a
// link, nor settings of git move it or lead a command out of the workspace.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "escape/call_hook.h"
#include "tools/bash_desk.h"

namespace paddock::testing {
namespace {

class BashDirectory : public BashDesk {
protected:
    std::string here() {
        const std::string text = bash("pwd -P");
        return text.substr(0, text.find('\n'));
    }
};

TEST_F(BashDirectory, name_that_is_no_text_is_told_escaped) {
    bash("mkdir $'o\\nd]\\xff' && cd $'o\\nd]\\xff'");
    EXPECT_EQ(here(), ws("o")) << "the first line of it";
    const std::string text = bash("cd /tmp");
    EXPECT_TRUE(holds(text, R"(starts in '"o\nd]\377"')")) << text;
}

// What a shell without any guard prints.
std::string plain(const std::string& script) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(script.c_str(), "r"), &::pclose);
    std::string text;
    std::array<char, 4096> buffer;
    while (pipe) {
        const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe.get());
        if (got == 0) break;
        text.append(buffer.data(), got);
    }
    return text;
}

ATTACK_F(BashDirectory, SH_02, outward_link) {
    tree({"ROOT/l->../OUT", "ROOT/abs->@/OUT", "ROOT/in->sub"});
    EXPECT_EQ(plain("cd " + ws("l") + "; cat secret"), kSecret) << "a careless tool follows it";
    for (const std::string& cwd :
         {std::string("l"), std::string("l/"), std::string("abs"), std::string("../OUT"), out()}) {
        EXPECT_EQ(refused("bash", {{"command", "cat secret"}, {"cwd", cwd}}), "path_escape") << cwd;
    }
    EXPECT_TRUE(ok("bash", {{"command", "pwd -P"}, {"cwd", "in"}}).starts_with(ws("sub") + "\n"));
}

// The directory is swapped before each system call that the server makes for the command.
ATTACK_F(BashDirectory, SH_03, swapped_between_check_and_start) {
    const auto start_anew = [this] {
        std::filesystem::remove_all(ws("d"));
        std::filesystem::remove_all(ws("moved"));
        tree({"ROOT/d/secret=inside"});
    };
    const auto swap = [this] {
        ASSERT_EQ(::rename(ws("d").c_str(), ws("moved").c_str()), 0);
        ASSERT_EQ(::symlink("../OUT", ws("d").c_str()), 0);
    };
    start_anew();
    ASSERT_EQ(std::filesystem::canonical(ws("d")), ws("d"));
    swap();
    EXPECT_EQ(plain("cd " + ws("d") + "; cat secret"), kSecret) << "checked, and followed after it";

    int started = 0;
    int refusals = 0;
    at_every_call(start_anew, swap, [&] {
        const tools::Answer answer = call("bash", {{"command", "cat secret"}, {"cwd", "d"}});
        ++(answer.error ? refusals : started);
        EXPECT_TRUE(answer.error || answer.text().starts_with("inside")) << answer.text();
        EXPECT_FALSE(holds(answer.text(), kSecret)) << answer.text();
    });
    EXPECT_GT(started, 0);
    EXPECT_GT(refusals, 0);
}

ATTACK_F(BashDirectory, SH_09, newline_and_raw_bytes) {
    const std::pair<std::string, std::string> names[] = {{"new\nline", "new\nline"},
                                                         {"new\nline", R"("new\nline")"},
                                                         {"raw\xff\xfe", R"("raw\377\376")"},
                                                         {" ", " "},
                                                         {"-", "-"}};
    for (const auto& [name, cwd] : names) {
        std::filesystem::create_directories(ws(name));
        os_write(ws(name + "/f"), "here");
        EXPECT_TRUE(ok("bash", {{"command", "cat f"}, {"cwd", cwd}}).starts_with("here")) << cwd;
    }
}

ATTACK_F(BashDirectory, SH_07, forged_variable) {
    // A tool that believes the variable goes where it says.
    EXPECT_EQ(plain("cd " + ws() + "; PWD=" + out() + "; cd \"$PWD\"; pwd -P"), out() + "\n");
    options.host_environment = {"PWD=" + out(), "OLDPWD=" + out(), "CDPATH=" + base()};
    options.shell->pass_environment = {"PWD", "OLDPWD", "CDPATH"};
    reopen();
    EXPECT_EQ(here(), ws());
    EXPECT_TRUE(bash("pwd").starts_with(ws() + "\n"));
    EXPECT_FALSE(holds(bash("cd OUT && cat secret"), kSecret));
    for (const std::string& forged : {out(), base(), std::string("/"), ws() + "/../OUT"}) {
        SCOPED_TRACE(forged);
        bash("cd sub; PWD=" + forged);
        EXPECT_EQ(here(), ws("sub"));
        // Whatever it does to tell us another directory.
        bash("pwd() { echo " + forged + "; }");
        EXPECT_EQ(here(), ws("sub"));
        bash("trap - EXIT; echo " + forged + " >&3");
        EXPECT_EQ(here(), ws("sub"));
    }
}

ATTACK_F(BashDirectory, SH_08, remembered_directory_that_changes) {
    tree({"ROOT/other/", "OUT/sub/secret=outside-secret"});
    const auto expect_told = [this] {
        const std::string text = bash("pwd -P");
        EXPECT_TRUE(text.starts_with(ws() + "\n")) << text;
        EXPECT_TRUE(holds(text, "no longer exists")) << text;
        EXPECT_FALSE(holds(bash("pwd -P"), "any more")) << "told once";
    };
    // Its name goes to a link that leads out.
    bash("cd sub");
    ASSERT_EQ(::rename(ws("sub").c_str(), ws("moved").c_str()), 0);
    ASSERT_EQ(::symlink(out("sub").c_str(), ws("sub").c_str()), 0);
    EXPECT_EQ(plain("cd " + ws("sub") + "; cat secret"), kSecret) << "a kept name is followed";
    expect_told();
    // It leaves the workspace.
    bash("cd moved");
    const UniqueFd kept(::open(ws("moved").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(::rename(ws("moved").c_str(), out("moved").c_str()), 0);
    os_write(out("moved/secret"), kSecret);
    EXPECT_EQ(::faccessat(kept.get(), "secret", R_OK, 0), 0) << "a kept descriptor goes with it";
    EXPECT_FALSE(holds(bash("cat secret; echo x > made"), kSecret));
    EXPECT_FALSE(os_exists(out("moved/made")));
    bash("cd other");
    ASSERT_EQ(::rmdir(ws("other").c_str()), 0);
    expect_told();
}

TEST_F(BashDirectory, removed_by_the_command_itself_is_told) {
    const std::string text = bash("mkdir gone; cd gone; rmdir ../gone");
    EXPECT_TRUE(holds(text, "in a directory that no longer exists; the next one starts in '.'"))
        << text;
    EXPECT_EQ(here(), ws());
    bash("mkdir gone; cd gone");
    const std::string last = bash("rmdir ../gone");
    EXPECT_TRUE(holds(last, "starts in '.'")) << "not in the one that it was in before";
    EXPECT_FALSE(holds(bash("pwd -P"), "any more")) << "told once";
}

ATTACK_F(BashDirectory, SH_11, up_from_a_directory_that_was_reached_by_a_link) {
    tree({"ROOT/far/away/", "ROOT/link->far/away"});
    bash("cd link");
    EXPECT_TRUE(bash("pwd").starts_with(ws("far/away") + "\n"));
    EXPECT_TRUE(bash("cd ..; pwd").starts_with(ws("far") + "\n"));
    const auto from_link = [this](const char* command) {
        return ok("bash", {{"command", command}, {"cwd", "link"}});
    };
    EXPECT_TRUE(from_link("pwd").starts_with(ws("far/away") + "\n"));
    EXPECT_TRUE(from_link("cd ..; pwd").starts_with(ws("far") + "\n"));
}

ATTACK_F(BashDirectory, SH_12, git_that_is_led_outside) {
    const std::string git = "git -c user.name=x -c user.email=x ";
    const auto run = [this](const std::string& command) {
        return plain("export GIT_CONFIG_NOSYSTEM=1 XDG_CONFIG_HOME=/ HOME=" + base() + "; { " +
                     command + "; } 2>&1; echo $?");
    };
    ASSERT_EQ(run("cd " + out() + " && git init -q . && " + git + "add secret && " + git +
                  "commit -qm outside"),
              "0\n");
    ASSERT_EQ(run("git init -q " + ws()), "0\n");
    const std::string by_variable = "GIT_DIR=" + out(".git") + " git show HEAD:secret";
    const std::string by_tree = "GIT_WORK_TREE=" + out() + " git status --porcelain";
    EXPECT_TRUE(holds(run(by_variable), kSecret));
    EXPECT_TRUE(holds(run("cd " + ws() + "; " + by_tree), "?? secret"));

    // Variables of whoever started the server do not reach a command.
    options.host_environment = {"GIT_DIR=" + out(".git"), "GIT_WORK_TREE=" + out(),
                                "GIT_CONFIG_GLOBAL=" + out(".git/config")};
    reopen();
    EXPECT_FALSE(holds(bash("env"), out()));
    EXPECT_TRUE(bash("git rev-parse --show-toplevel").starts_with(ws() + "\n"));
    // One that sets them itself reaches nothing there.
    EXPECT_FALSE(holds(bash(by_variable), kSecret));
    EXPECT_FALSE(holds(bash(by_tree), "?? secret"));
    // Nor does one whose repository says so.
    ASSERT_EQ(run("git -C " + ws() + " config core.worktree " + out()), "0\n");
    EXPECT_TRUE(holds(run("git -C " + ws() + " status --porcelain"), "?? secret"));
    EXPECT_FALSE(holds(bash("git status --porcelain; git add -A; git show :secret"), "secret\n"));
    ASSERT_EQ(run("git -C " + ws() + " config --unset core.worktree"), "0\n");
    // And the setting of a new one is cut out, so that it misleads nobody else.
    bash("git init -q new; git -C new config core.worktree " + out());
    EXPECT_TRUE(bash("git -C new config core.worktree").starts_with("[exit code 1"));
}

}  // namespace
}  // namespace paddock::testing
