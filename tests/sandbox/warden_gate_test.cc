// The gate: commands change the workspace through it, and make nothing that is sealed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/journal.h"
#include "policy/path_defaults.h"
#include "policy/path_rules.h"
#include "sandbox/session.h"

namespace paddock::testing {
namespace {

class GateOnBothRungs : public OnBothRungs {
protected:
    GateOnBothRungs() {
        tree({"ROOT/plain=plain", "ROOT/.git/HEAD=ref: refs/heads/main\n", "ROOT/.git/objects/",
              "ROOT/.git/refs/", "ROOT/.git/hooks/", "ROOT/.git/config=[core]\n\tbare = false\n"});
    }

    // With a gate before it. The rules and the journal live as long as the test.
    sandbox::WardenSpec gated() {
        sandbox::WardenSpec wanted = spec();
        give_to_commands();
        auto rules = policy::PathRules::compile({}, policy::default_path_rules());
        EXPECT_TRUE(rules.has_value());
        rules_.emplace(std::move(*rules));
        const UniqueFd workspace(::open(ws().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        auto journal = journal::Journal::open(workspace.get(), {.client = "test"});
        EXPECT_TRUE(journal.has_value());
        if (journal) journal_.emplace(std::move(*journal));
        wanted.gate = sandbox::GateSpec{&*rules_, journal_ ? &*journal_ : nullptr};
        return wanted;
    }

    // Without namespaces root runs commands as the owner of the workspace: not as root.
    void give_to_commands() {
        if (::geteuid() != 0 || full()) return;
        const std::string all = "chown -R 65534:65534 '" + ws() + "' && chmod 755 '" + base() + "'";
        ASSERT_EQ(std::system(all.c_str()), 0);
    }

    std::optional<policy::PathRules> rules_;
    std::optional<journal::Journal> journal_;
};

TEST_P(GateOnBothRungs, EverydayChangesWork) {
    START(warden, gated());
    if (!warden.is_gated()) GTEST_SKIP() << "no listener can be had here";
    const Ran ran = run(warden,
                        "set -e\n"
                        "echo one > a; cat a; echo two >> a; cat a\n"
                        "mkdir -p d/e; mv a d/e/b; cat d/e/b\n"
                        "ln -s d/e/b l; echo three > l; cat d/e/b\n"
                        "ln d/e/b h; rm d/e/b; cat h\n"
                        "umask 077; echo x > private; stat -c %a private\n"
                        "umask 022; echo x > public; stat -c %a public\n"
                        "chmod 600 public; stat -c %a public\n"
                        "mkfifo f; cat f > got & echo through > f; wait; cat got\n"
                        "cd d; echo y > ../up; cat ../up; cd ..; rm -r d; ls\n"
                        "echo out > /dev/null\n");
    EXPECT_EQ(ran.output,
              "one\none\ntwo\none\ntwo\nthree\nthree\n600\n644\n600\nthrough\ny\n"
              "f\ngot\nh\nl\nplain\nprivate\npublic\nup\n");
    EXPECT_EQ(ran.exit_code, 0);
}

TEST_P(GateOnBothRungs, GitWorks) {
    START(warden, gated());
    if (!warden.is_gated()) GTEST_SKIP() << "no listener can be had here";
    const Ran ran = run(warden,
                        "set -e; export GIT_CONFIG_NOSYSTEM=1; exec 2>&1\n"
                        "git init -q r; cd r; git config user.name n; git config user.email e\n"
                        "echo x > f; git add f; git commit -qm one; git branch -m trunk\n"
                        "git clone -q . ../c; cd ../c; git remote add other ../r\n"
                        "git fetch -q other; git worktree add -q ../w; cd ../w; git status -s\n"
                        "cat f; cd ..; git init -q --bare b; cd r; git push -q ../b trunk\n"
                        "rm -rf ../c ../w; git gc -q; git log --format=%s\n");
    EXPECT_EQ(ran.output, "x\none\n");
    EXPECT_EQ(ran.exit_code, 0);
}

TEST_P(GateOnBothRungs, NothingSealedIsMade) {
    START(warden, gated());
    if (!warden.is_gated()) GTEST_SKIP() << "no listener can be had here";
    const char* const plants[] = {
        "echo evil > .git/hooks/pre-commit",
        "cp plain x; mv x .git/hooks/pre-commit",
        "ln plain .git/hooks/pre-commit",
        "ln -s ../../plain .git/hooks/pre-commit",
        "mkdir x; echo evil > x/pre-commit; mv x .git/hooks",
        "echo '[core] fsmonitor = evil' >> .git/config",
        "echo '[core] fsmonitor = evil' > x; mv x .git/config",
        "git config core.fsmonitor evil",
        "git config core.hooksPath x",
        "mkdir -p .vscode",
        "echo evil > .envrc.x; mkdir .claude",
        "mkdir s; echo x > s/settings.json; mv s .vscode",
        "ln .git/config c && echo '[core] fsmonitor = evil' >> c",
        "mkdir -p n/hooks; echo evil > n/hooks/post-commit; mkdir n/objects; mkdir n/refs",
        "mkdir -p m/objects; echo '[core] fsmonitor = evil' > m/config; mkdir m/refs",
        "rm -rf .paddock .git/paddock; echo x > .git/paddock/x",
        "mv .git g",
        "chmod +x .git/hooks",
    };
    for (const char* plant : plants) {
        EXPECT_NE(run(warden, plant).exit_code, 0) << plant;
        EXPECT_NE(::access((ws() + "/.git/hooks/pre-commit").c_str(), F_OK), 0) << plant;
        EXPECT_NE(::access((ws() + "/.vscode").c_str(), F_OK), 0) << plant;
        EXPECT_EQ(os_read(ws() + "/.git/config").value_or("").find("evil"), std::string::npos)
            << plant;
    }
}

// The same without the gate: each of these works, so the test above shows something.
TEST_P(GateOnBothRungs, WithoutItTheyAreMade) {
    give_to_commands();
    START(warden, spec());
    EXPECT_EQ(run(warden,
                  "echo evil > .git/hooks/pre-commit && git config core.fsmonitor evil && "
                  "mkdir .vscode")
                  .exit_code,
              0);
}

TEST_P(GateOnBothRungs, WhatACallChangedIsCounted) {
    START(warden, gated());
    if (!warden.is_gated()) GTEST_SKIP() << "no listener can be had here";
    sandbox::Command command = shell(warden, "echo a > made; echo b > plain; mkdir d; rmdir d");
    command.call = journal_->begin_call("bash", "echo");
    auto process = warden.spawn(command);
    ASSERT_TRUE(process.has_value());
    const auto record = sandbox::read_exit(process->status.get());
    ASSERT_TRUE(record.has_value() && record->has_value());
    EXPECT_EQ((*record)->changes.made, 1U);
    EXPECT_EQ((*record)->changes.changed, 1U);
    EXPECT_EQ((*record)->changes.removed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Rungs, GateOnBothRungs, ::testing::Values(Rung::kFull, Rung::kLow),
                         [](const auto& rung) { return std::string(rung_name(rung.param)); });

}  // namespace
}  // namespace paddock::testing
