// The gate: commands change the workspace through it, and make nothing that is sealed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "journal/journal.h"
#include "policy/path_defaults.h"
#include "policy/path_rules.h"
#include "sandbox/session.h"

namespace paddock::testing {
namespace {

class GateOnBothLevels : public OnBothLevels {
protected:
    GateOnBothLevels() {
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

TEST_P(GateOnBothLevels, EverydayChangesWork) {
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

TEST_P(GateOnBothLevels, GitWorks) {
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

TEST_P(GateOnBothLevels, NothingSealedIsMade) {
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
TEST_P(GateOnBothLevels, WithoutItTheyAreMade) {
    give_to_commands();
    START(warden, spec());
    EXPECT_EQ(run(warden,
                  "echo evil > .git/hooks/pre-commit && git config core.fsmonitor evil && "
                  "mkdir .vscode")
                  .exit_code,
              0);
}

// Landlock before ABI 3 (Linux 5.19 to 6.1) does not know truncation: nothing but the gate refuses
// it.
class TruncationOnBothLevels : public GateOnBothLevels {
protected:
    sandbox::WardenSpec truncating(sandbox::WardenSpec wanted) {
        wanted.ceiling.landlock_abi = 2;
        wanted.options.read_only_directories = {out()};
        tree({"ROOT/file=text", "ROOT/other=text", "ROOT/.git/hooks/owned=text", "OUT/file=text",
              "OUT/other=text", "ROOT/link->@/OUT/other"});
        give_to_commands();
        if (::geteuid() == 0) {
            EXPECT_EQ(std::system(("chown -R 65534:65534 '" + out() + "'").c_str()), 0);
        }
        (void)inmate();
        return wanted;
    }

    static std::string by_name(const std::string& path) {
        return "./inmate truncate_by_name " + path + "; ";
    }
    static std::string by_reading(const std::string& path) {
        return "./inmate truncate_by_reading " + path + "; ";
    }
};

TEST_P(TruncationOnBothLevels, IsJudgedInsideAndRefusedOutside) {
    START(warden, truncating(gated()));
    if (!warden.is_gated()) GTEST_SKIP() << "no listener can be had here";
    sandbox::Command command = shell(warden, by_name("file") + by_reading("other"));
    command.call = journal_->begin_call("bash", "truncate");
    auto process = warden.spawn(command);
    ASSERT_TRUE(process.has_value());
    const auto record = sandbox::read_exit(process->status.get());
    ASSERT_TRUE(record.has_value() && record->has_value());
    EXPECT_EQ((*record)->exit_code, 0);
    EXPECT_EQ(os_read(ws("file")), "t");
    EXPECT_EQ(os_read(ws("other")), "");
    EXPECT_EQ((*record)->changes.changed, 2U);
    EXPECT_EQ((*record)->changes.not_kept, 0U);

    for (const std::string& path : {ws(".git/hooks/owned"), out("file"), std::string("link")}) {
        EXPECT_NE(run(warden, by_name(path)).exit_code, 0) << path;
        EXPECT_NE(run(warden, by_reading(path)).exit_code, 0) << path;
    }
    EXPECT_EQ(os_read(ws(".git/hooks/owned")), "text");
    EXPECT_EQ(os_read(out("file")), "text");
    EXPECT_EQ(os_read(out("other")), "text");
    // What programs do instead works in the private directory, too.
    EXPECT_EQ(run(warden, "echo x > $TMPDIR/f; : > $TMPDIR/f; wc -c < $TMPDIR/f").output, "0\n");
}

// Without the gate each of these works where no mount is in the way.
TEST_P(TruncationOnBothLevels, WithoutTheGateNobodyRefusesIt) {
    START(warden, truncating(spec()));
    (void)run(warden, by_name(ws(".git/hooks/owned")) + by_name(out("file")) + by_reading("link"));
    EXPECT_EQ(os_read(ws(".git/hooks/owned")), "t");
    EXPECT_EQ(os_read(out("file")), full() ? "text" : "t");
    EXPECT_EQ(os_read(out("other")), full() ? "text" : "");
}

TEST_P(GateOnBothLevels, WithoutAListenerThereIsNone) {
    sandbox::WardenSpec wanted = gated();
    wanted.ceiling.listener = false;
    {
        START(warden, wanted);
        EXPECT_FALSE(warden.is_gated());
        EXPECT_EQ(run(warden, "echo x > made").exit_code, 0);
        EXPECT_TRUE(os_exists(ws("made")));
        const auto& missing = warden.report().missing;
        EXPECT_TRUE(std::any_of(missing.begin(), missing.end(), [](const MissingLayer& each) {
            return each.layer == Layer::kGate;
        }));
    }
    wanted.options.required.push_back(Layer::kGate);
    EXPECT_CODE(start(wanted), Code::kSandboxUnavailable);
    wanted.ceiling.listener = true;
    START(warden, wanted);
    EXPECT_TRUE(warden.is_gated());
}

TEST_P(GateOnBothLevels, WhatACallChangedIsCounted) {
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

INSTANTIATE_TEST_SUITE_P(Levels, GateOnBothLevels,
                         ::testing::Values(SandboxLevel::kFull, SandboxLevel::kLow),
                         [](const auto& level) { return std::string(level_name(level.param)); });
INSTANTIATE_TEST_SUITE_P(Levels, TruncationOnBothLevels,
                         ::testing::Values(SandboxLevel::kFull, SandboxLevel::kLow),
                         [](const auto& level) { return std::string(level_name(level.param)); });

}  // namespace
}  // namespace paddock::testing
