// A machine that has no gate, as before Linux 5.19: run by `launch --openat2=enosys`. What exists
// is protected on the full level, what is new is reported, and every place says so.
#include <algorithm>
#include <string>

#include "cli/doctor_report.h"
#include "tools/bash_desk.h"
#include "tools/session.h"

namespace paddock::testing {
namespace {

class NoGate : public BashDesk {
protected:
    void SetUp() override {
        if (is_root()) (void)!::chown(ws().c_str(), kOwner, kOwner);
        BashDesk::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        const auto shell = tools::Session::of(workspace()).shell();
        ASSERT_TRUE(shell);
        if ((*shell)->is_gated()) GTEST_SKIP() << "there is a gate; see tests/launch";
        full_ = (*shell)->report().level == SandboxLevel::kFull;
        tree({"ROOT/.git/HEAD=ref: refs/heads/main\n", "ROOT/.git/objects/", "ROOT/.git/refs/",
              "ROOT/.git/hooks/post-commit=owned", "ROOT/.git/config=[core]\n",
              "ROOT/.vscode/tasks.json=owned", "ROOT/.tool-versions=owned"});
        if (is_root()) {
            const std::string all = "chown -R 65534:65534 '" + ws() + "'";
            ASSERT_EQ(std::system(all.c_str()), 0);
        }
        reopen();
    }

    static constexpr uid_t kOwner = 65534;
    bool full_ = true;
};

constexpr const char* kNoGate = "This machine has no gate for the workspace";

TEST_F(NoGate, sealed_files_that_exist_are_read_only_on_the_full_level) {
    for (const char* path :
         {".git/hooks/post-commit", ".git/config", ".vscode/tasks.json", ".tool-versions"}) {
        const std::string before = os_read(ws(path)).value_or("");
        const std::string text = bash("echo evil >> " + std::string(path));
        // On the low level nothing can hold them: the same command is the control.
        EXPECT_EQ(os_read(ws(path)) == before, full_) << text;
        EXPECT_EQ(holds(text, "Read-only file system"), full_) << text;
        EXPECT_EQ(holds(text, std::string("'") + path + "' is new or has changed"), !full_) << text;
    }
}

TEST_F(NoGate, sealed_names_that_are_new_are_reported) {
    for (const char* plant :
         {"mkdir -p .claude && echo x > .claude/settings.json", "echo x > .yarnrc.yml"}) {
        const std::string text = bash(plant);
        EXPECT_TRUE(holds(text, "' is new or has changed, and programs act on it")) << text;
        EXPECT_TRUE(holds(text, "[exit code 0")) << text;
    }
    const std::string hook = bash("echo x > .git/hooks/pre-commit");
    EXPECT_EQ(holds(hook, "'.git/hooks/pre-commit' is new or has changed"), !full_) << hook;
    EXPECT_EQ(os_exists(ws(".git/hooks/pre-commit")), !full_);
    EXPECT_FALSE(holds(bash("echo x > plain; mkdir d"), "is new or has changed"));
    // A process that goes on after its command is seen with the next one.
    EXPECT_TRUE(
        holds(bash("mkfifo go; { read x < go; echo x > .mise.toml; echo > go; } >&- 2>&- &"),
              "[exit code 0"));
    EXPECT_TRUE(holds(bash("echo > go; read x < go"), "'.mise.toml' is new or has changed"));
}

TEST_F(NoGate, the_first_answer_of_a_session_says_so) {
    const std::string first = bash("true");
    EXPECT_TRUE(holds(first, kNoGate)) << first;
    EXPECT_EQ(holds(first, "cannot change existing sealed files"), full_) << first;
    EXPECT_EQ(holds(first, "paddock's own journal"), !full_) << first;
    EXPECT_FALSE(holds(bash("true"), kNoGate)) << "once is enough";
    reopen();
    EXPECT_TRUE(holds(ok("bash", {{"command", "true"}, {"run_in_background", true}}), kNoGate));
    options.shell->read_only = true;
    reopen();
    EXPECT_FALSE(holds(bash("true"), kNoGate)) << "nothing is to be judged";
}

TEST_F(NoGate, the_doctor_says_so) {
    const cli::ShellFinding found = cli::examine_shell();
    ASSERT_TRUE(found.report) << found.refusal;
    const auto layers = cli::layers_of(*found.report);
    const auto gate = std::find_if(layers.begin(), layers.end(),
                                   [](const auto& layer) { return layer.name == "gate"; });
    ASSERT_NE(gate, layers.end());
    EXPECT_EQ(gate->state, cli::State::kMissing);
    EXPECT_EQ(holds(gate->detail, "existing sealed files are read-only"), full_) << gate->detail;
    EXPECT_EQ(holds(gate->detail, "existing sealed files and the journal are not protected"),
              !full_)
        << gate->detail;
    EXPECT_FALSE(gate->remedy.empty());
}

TEST_F(NoGate, commands_are_refused_where_it_is_required) {
    options.shell->required = {Layer::kGate};
    reopen();
    const tools::Answer answer = call("bash", {{"command", "echo x > made"}});
    EXPECT_EQ(answer.error, Code::kSandboxUnavailable) << answer.text();
    EXPECT_TRUE(holds(answer.text(), "changes cannot be judged before they are made"))
        << answer.text();
    EXPECT_FALSE(os_exists(ws("made")));
    // File tools have no need of it.
    ok("write_file", {{"path", "made"}, {"content", "x"}});
}

// The file tools record here as everywhere, and the owner's `paddock undo` believes what is
// recorded.
TEST_F(NoGate, commands_do_not_reach_the_journal_on_the_full_level) {
    ok("write_file", {{"path", "f"}, {"content", "x"}});
    const std::string log = ".git/paddock/*/log";
    const std::string text = bash("ls -A .git/paddock; cat " + log + "; for l in " + log +
                                  "; do echo forged >> $l; done; touch .git/paddock/new");
    // On the low level each of these works: the control.
    EXPECT_EQ(holds(text, "write_file"), !full_) << text;
    EXPECT_EQ(os_exists(ws(".git/paddock/new")), !full_) << text;
    const std::string moved = bash("mv .git/paddock p");
    EXPECT_EQ(os_exists(ws(".git/paddock")), full_) << moved;
}

TEST_F(NoGate, a_journal_that_a_command_makes_is_reported) {
    EXPECT_TRUE(
        holds(bash("mv .git g; mkdir -p .git/paddock"), "'.git/paddock' is new or has changed"));
    EXPECT_TRUE(holds(bash("mkdir .paddock"), "'.paddock' is new or has changed"));
    // With the next command it is covered like any other.
    EXPECT_EQ(holds(bash("touch .paddock/x && echo made"), "made\n"), !full_);
    EXPECT_FALSE(holds(bash("true"), "is new or has changed"));
}

}  // namespace
}  // namespace paddock::testing
