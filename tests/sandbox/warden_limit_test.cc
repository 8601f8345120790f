// Limits hold for each command, and the next one still runs.
#include <sys/inotify.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>

#include "sandbox/session.h"

namespace paddock::testing {
namespace {

class LimitsOnBothLevels : public OnBothLevels {};

INSTANTIATE_TEST_SUITE_P(levels, LimitsOnBothLevels,
                         ::testing::Values(SandboxLevel::kFull, SandboxLevel::kLow),
                         [](const auto& level) { return std::string(level_name(level.param)); });

TEST_P(LimitsOnBothLevels, processes) {
    sandbox::WardenSpec wanted = spec();
    wanted.options.limits.processes = 30;
    START(warden, wanted);
    const Ran ran = run(warden, inmate() + "fork_many 300");
    ASSERT_EQ(ran.exit_code, 0) << ran.output << ran.error;
    // On the low level processes of the same user that begin meanwhile take room, and those that
    // end make some.
    EXPECT_GE(std::stoi(ran.output), full() ? 5 : 0);
    EXPECT_LE(std::stoi(ran.output), full() ? 30 : 250);
    EXPECT_EQ(run(warden, "echo next").output, "next\n");
}

TEST_P(LimitsOnBothLevels, the_warden_can_still_act_when_all_processes_are_used) {
    sandbox::WardenSpec wanted = spec();
    wanted.options.limits.processes = 30;
    START(warden, wanted);
    const sandbox::Process bomb = leave_running(warden, "exec " + inmate() + "fork_and_stay 300");
    ASSERT_TRUE(eventually([&] { return warden.processes().value_or(0) >= 10; }));
    EXPECT_OK(warden.kill_tree(bomb.id));
    EXPECT_TRUE(eventually([&] { return warden.processes().value_or(99) == 0; }));
    EXPECT_EQ(run(warden, "sh -c 'echo next'").output, "next\n");
}

int take_watchers(std::vector<UniqueFd>& taken) {
    constexpr std::size_t kMost = 4096;
    for (;;) {
        UniqueFd watcher(::inotify_init1(IN_CLOEXEC));
        if (!watcher.valid() || taken.size() == kMost) return static_cast<int>(taken.size());
        taken.push_back(std::move(watcher));
    }
}

class UserLimits : public Session {};

// What a session has is counted for the user outside, too.
TEST_F(UserLimits, leave_half_of_the_watchers_to_programs_outside) {
    START(warden, spec());
    int outside = 0;
    {
        // The control: outside there is nothing between one program and the limit.
        std::vector<UniqueFd> taken;
        outside = take_watchers(taken);
        EXPECT_LT(::inotify_init1(IN_CLOEXEC), 0);
    }
    leave_running(warden, "exec " + inmate() + "watch_and_stay made");
    ASSERT_TRUE(eventually([&] { return !os_read(ws("made")).value_or("").empty(); }));
    const int inside = std::stoi(os_read(ws("made")).value_or("0"));
    EXPECT_GE(inside, outside / 4);
    std::vector<UniqueFd> taken;
    EXPECT_GE(take_watchers(taken), outside / 4) << inside << " inside";
    EXPECT_EQ(run(warden, "echo next").output, "next\n");
}

TEST_P(LimitsOnBothLevels, files) {
    sandbox::WardenSpec wanted = spec();
    wanted.options.limits.file_bytes = 1 << 20;
    wanted.options.limits.open_files = 64;
    START(warden, wanted);
    EXPECT_EQ(run(warden, "head -c 900000 /dev/zero > f").exit_code, 0);
    EXPECT_EQ(run(warden, "exec head -c 3000000 /dev/zero > f").signal, SIGXFSZ);
    EXPECT_EQ(run(warden, "ulimit -n; ulimit -c; ulimit -Hc").output, "64\n0\n0\n");
}

TEST_P(LimitsOnBothLevels, a_command_that_may_write_no_file_can_remove_some_and_goes_on) {
    tree({"ROOT/old=text", "ROOT/other=text"});
    START(warden, spec());
    sandbox::Command command =
        shell(warden, "echo > new; echo >> other; rm old && head -c 9 /dev/zero > new; exit 7");
    command.writes_no_file = true;
    const auto process = warden.spawn(command);
    ASSERT_TRUE(process.has_value()) << process.error().message();
    const auto record = sandbox::read_exit(process->status.get());
    ASSERT_TRUE(record.has_value() && record->has_value());
    EXPECT_EQ((*record)->exit_code, 7);
    EXPECT_FALSE(os_exists(ws("old")));
    EXPECT_EQ(os_read(ws("other")), "text");
    EXPECT_EQ(os_read(ws("new")), "");
    EXPECT_EQ(run(warden, "echo text > new").exit_code, 0) << "the next one can";
}

TEST_P(LimitsOnBothLevels, no_address_space) {
    sandbox::WardenSpec wanted = spec();
    wanted.options.limits.memory_bytes = std::uint64_t{256} << 20;
    START(warden, wanted);
    EXPECT_EQ(run(warden, "ulimit -v; ulimit -d").output, "unlimited\nunlimited\n");
}

class Limits : public Session {};

TEST_F(Limits, private_memory_file_systems) {
    sandbox::WardenSpec wanted = spec();
    wanted.options.limits.scratch_bytes = 1 << 20;
    START(warden, wanted);
    EXPECT_EQ(run(warden, "head -c 500000 /dev/zero > /tmp/f").exit_code, 0);
    EXPECT_NE(run(warden, "head -c 900000 /dev/zero > $HOME/f").exit_code, 0);
    EXPECT_NE(run(warden, "rm -f $HOME/f; head -c 900000 /dev/zero > /dev/shm/f").exit_code, 0);
    EXPECT_EQ(run(warden, "rm -f /tmp/f /dev/shm/f; head -c 900000 /dev/zero > /tmp/f").exit_code,
              0);
}

// They are memory, wherever nobody else counts it.
TEST_F(Limits, of_memory_hold_for_memory_file_systems) {
    sandbox::WardenSpec wanted = spec();
    wanted.options.limits.memory_bytes = 32 << 20;
    START(warden, wanted);
    for (const std::string file : {"/dev/shm/f", "/tmp/f", "$HOME/f"}) {
        EXPECT_EQ(run(warden, "head -c 16M /dev/zero > " + file).exit_code, 0) << file;
        const Ran full = run(warden, "LC_ALL=C head -c 40M /dev/zero > " + file);
        EXPECT_NE(full.exit_code, 0) << file;
        const bool has_cgroup = full.record && full.record->memory_kills > 0;
        if (!has_cgroup) {
            EXPECT_NE(full.output.find("No space left on device"), std::string::npos)
                << full.output;
        }
        EXPECT_EQ(run(warden, "rm " + file).exit_code, 0);
    }
}

TEST_F(Limits, that_leave_no_room_for_a_command_are_refused) {
    sandbox::WardenSpec wanted = spec();
    wanted.options.limits.processes = 0;
    EXPECT_CODE(sandbox::Warden::start(wanted), Code::kInvalidArgument);
}

}  // namespace
}  // namespace paddock::testing
