// What commands are refused is told, and being observed changes nothing for them.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "sandbox/denial.h"
#include "sandbox/session.h"
#include "sys/seccomp.h"

namespace paddock::testing {
namespace {

using sandbox::DenialLog;
using sandbox::Process;
using sandbox::read_exit;
using sandbox::Warden;

class DenialOnBothLevels : public OnBothLevels {
protected:
    void SetUp() override {
        if (const std::string why = no_listener(); !why.empty()) GTEST_SKIP() << why;
    }

    // Found out without the code under test.
    static std::string no_listener() {
        const pid_t child = ::fork();
        if (child == 0) {
            const sock_filter allow{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
            const sock_fprog program{1, const_cast<sock_filter*>(&allow)};
            ::syscall(SYS_prctl, 38 /* PR_SET_NO_NEW_PRIVS */, 1, 0, 0, 0);
            const long answer = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                          SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
            ::_exit(answer < 0 ? errno : 0);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        if (WEXITSTATUS(status) == 0) return {};
        return "no seccomp filter can have a listener here: errno " +
               std::to_string(WEXITSTATUS(status));
    }

    static int end_of(const Process& process) {
        const auto record = read_exit(process.status.get());
        return record && *record ? (*record)->exit_code : -1;
    }

    static std::vector<std::string> told(const Process& process) {
        DenialLog log;
        EXPECT_TRUE(process.denials.valid());
        EXPECT_TRUE(log.read(process.denials.get()));
        std::vector<std::string> targets;
        for (const sandbox::Denial& denial : log.denials()) targets.push_back(denial.target);
        return targets;
    }
};

INSTANTIATE_TEST_SUITE_P(levels, DenialOnBothLevels,
                         ::testing::Values(SandboxLevel::kFull, SandboxLevel::kLow),
                         [](const auto& level) { return std::string(level_name(level.param)); });

using Targets = std::vector<std::string>;

TEST_P(DenialOnBothLevels, all_of_a_command_is_told_when_its_end_is) {
    START(warden, spec());
    EXPECT_EQ(warden.report().denials_untold, "");
    for (int i = 0; i < 20; ++i) {
        const Process process =
            leave_running(warden, "echo ok > fine; (echo > /usr/one) ; (echo > /etc/two); exit 7");
        EXPECT_EQ(end_of(process), 7);
        EXPECT_EQ(told(process), (Targets{"/usr/one", "/etc/two"}));
    }
    EXPECT_EQ(os_read(ws("fine")), "ok\n");
    const Process quiet = leave_running(warden, "echo > fine; echo > \"$TMPDIR/x\"; mkdir ~/d");
    EXPECT_EQ(end_of(quiet), 0);
    EXPECT_EQ(told(quiet), Targets{});
}

TEST_P(DenialOnBothLevels, a_read_only_workspace_is_told) {
    sandbox::WardenSpec wanted = spec();
    wanted.read_only = true;
    START(warden, wanted);
    const Process process = leave_running(warden, "echo > new; true");
    EXPECT_EQ(end_of(process), 0);
    DenialLog log;
    ASSERT_TRUE(log.read(process.denials.get()));
    ASSERT_EQ(log.denials().size(), 1U);
    EXPECT_EQ(log.denials()[0].wall, sandbox::Wall::kReadOnly);
    EXPECT_EQ(log.denials()[0].target, ws("new"));
}

TEST_P(DenialOnBothLevels, what_is_protected_later_is_told_too) {
    tree({"ROOT/keep/hooks/x=1", "ROOT/keep/y=1"});
    START(warden, spec());
    if (full()) {
        const std::vector<sandbox::Protection> protections{
            {"keep/hooks", sandbox::Shield::kReadOnly}};
        ASSERT_TRUE(warden.protect(protections));
    }
    const Process process = leave_running(warden, "echo > keep/y; echo > keep/hooks/x; true");
    EXPECT_EQ(end_of(process), 0);
    EXPECT_EQ(told(process), full() ? Targets({ws("keep/hooks/x")}) : Targets{});
}

TEST_P(DenialOnBothLevels, processes_that_are_left_behind_go_on_and_are_observed) {
    START(warden, spec());
    ASSERT_EQ(run(warden, "mkfifo go done").exit_code, 0);
    const Process process = leave_running(
        warden, "(read x < go; echo works > made; echo > /etc/late; echo > done) & exit 3");
    EXPECT_EQ(end_of(process), 3);
    EXPECT_EQ(told(process), Targets{});
    EXPECT_EQ(run(warden, "echo > go; read x < done").exit_code, 0);
    EXPECT_EQ(os_read(ws("made")), "works\n");
    EXPECT_EQ(told(process), Targets{"/etc/late"});
}

TEST_P(DenialOnBothLevels, nobody_needs_to_listen) {
    START(warden, spec());
    Process process =
        leave_running(warden, "for i in 1 2 3; do echo > /etc/$i; echo $i > made; done");
    process.denials.reset();
    EXPECT_EQ(end_of(process), 0);
    EXPECT_EQ(os_read(ws("made")), "3\n");
    EXPECT_EQ(run(warden, "echo still").output, "still\n");
}

// Each of the busy ones waits for the warden most of the time, and the warden for each new child.
TEST_P(DenialOnBothLevels, commands_start_and_end_while_others_are_busy) {
    START(warden, spec());
    std::vector<Process> busy;
    for (int i = 0; i < 4; ++i) {
        const std::string file = "busy" + std::to_string(i);
        busy.push_back(leave_running(warden, "while :; do echo > " + file + "; done"));
    }
    for (int i = 0; i < 50; ++i) {
        const Process process = leave_running(warden, "echo > mine; echo > /etc/mine; exit 5");
        EXPECT_EQ(end_of(process), 5);
        EXPECT_EQ(told(process), Targets{"/etc/mine"});
    }
    for (const Process& process : busy) EXPECT_TRUE(warden.kill_tree(process.id));
    for (const Process& process : busy) {
        const auto record = read_exit(process.status.get());
        ASSERT_TRUE(record.has_value() && record->has_value());
        EXPECT_EQ((*record)->signal, SIGKILL);
    }
    EXPECT_EQ(*warden.processes(), 0U);
}

TEST_P(DenialOnBothLevels, beyond_the_bound_commands_run_unobserved) {
    sandbox::WardenSpec wanted = spec();
    wanted.options.limits.processes = 4096;
    START(warden, wanted);
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd out(ends[0]);
    UniqueFd in(ends[1]);
    sandbox::Command leaving = shell(warden, "exec 4<&0; (read x <&4) & exit 0");
    leaving.input = out.get();
    for (std::size_t i = 0; i < sandbox::kObserversMax; ++i) {
        const auto process = warden.spawn(leaving);
        ASSERT_TRUE(process.has_value()) << process.error().message();
        ASSERT_EQ(end_of(*process), 0) << i;
        ASSERT_TRUE(process->denials.valid()) << i;
    }
    const Process beyond = leave_running(warden, "echo works > made; echo > /etc/x; exit 4");
    EXPECT_FALSE(beyond.denials.valid());
    EXPECT_EQ(end_of(beyond), 4);
    EXPECT_EQ(os_read(ws("made")), "works\n");
    in.reset();
    ASSERT_TRUE(eventually([&] { return warden.processes().value() == 0; }));
    const Process again = leave_running(warden, "echo > /etc/x; exit 0");
    EXPECT_EQ(end_of(again), 0);
    EXPECT_EQ(told(again), Targets{"/etc/x"});
}

TEST_P(DenialOnBothLevels, a_program_gets_no_listener_of_its_own_and_a_clean_error) {
    START(warden, spec());
    EXPECT_EQ(run(warden, inmate() + "own_filter").exit_code, 0);
    EXPECT_EQ(run(warden, inmate() + "own_listener").exit_code, EBUSY);
    EXPECT_EQ(run(warden, inmate() + "own_listener; echo > /dev/null; echo fine").output, "fine\n");
}

TEST_P(DenialOnBothLevels, without_listeners_commands_run_and_the_report_says_so) {
    sandbox::WardenSpec wanted = spec();
    wanted.ceiling.listener = false;
    START(warden, wanted);
    EXPECT_NE(warden.report().denials_untold, "");
    const Process process = leave_running(warden, "echo works > made; echo > /etc/x; exit 4");
    EXPECT_FALSE(process.denials.valid());
    EXPECT_EQ(end_of(process), 4);
    EXPECT_EQ(os_read(ws("made")), "works\n");
    EXPECT_EQ(run(warden, inmate() + "own_listener").exit_code, 0) << "there is room for one";
}

// As in a container whose manager listens itself.
TEST_P(DenialOnBothLevels, under_a_listener_of_somebody_else_there_is_none_for_commands) {
    const std::string why = no_level(spec());
    if (!why.empty()) GTEST_SKIP() << why;
    in_child([&] {
        const sock_filter allow{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
        ASSERT_EQ(::syscall(SYS_prctl, 38 /* PR_SET_NO_NEW_PRIVS */, 1, 0, 0, 0), 0);
        const auto listener = sys::seccomp::install_with_listener({&allow, 1});
        ASSERT_TRUE(listener.has_value());
        auto warden = start(spec());
        ASSERT_TRUE(warden.has_value()) << warden.error().message();
        EXPECT_NE(warden->report().denials_untold, "");
        EXPECT_EQ(run(*warden, "echo works; echo > /etc/x").output.substr(0, 6), "works\n");
    });
}

}  // namespace
}  // namespace paddock::testing
