// How commands live and die: alone, left running, killed as a tree, and with their session.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>

#include "sandbox/cgroup.h"
#include "sandbox/session.h"

namespace paddock::testing {
namespace {

using sandbox::Process;
using sandbox::read_exit;
using sandbox::Warden;

INSTANTIATE_TEST_SUITE_P(levels, OnBothLevels,
                         ::testing::Values(SandboxLevel::kFull, SandboxLevel::kLow),
                         [](const auto& level) { return std::string(level_name(level.param)); });

// Processes of the whole host whose arguments contain `mark`.
std::set<int> marked(const std::string& mark) {
    std::set<int> found;
    for (const std::string& name : os_list("/proc")) {
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const UniqueFd file(::open(("/proc/" + name + "/cmdline").c_str(), O_RDONLY | O_CLOEXEC));
        const std::string text = drain(file.get());
        if (text.find(mark) != std::string::npos && std::stoi(name) != ::getpid()) {
            found.insert(std::stoi(name));
        }
    }
    return found;
}

// Different in every test, so that a test that runs at the same time is not counted.
std::string new_mark() {
    static int next = 0;
    return "mark-" + std::to_string(::getpid()) + "-" + std::to_string(++next) + "-end";
}

TEST_P(OnBothLevels, exit_codes_and_signals_are_told) {
    START(warden, spec());
    EXPECT_EQ(run(warden, "exit 0").exit_code, 0);
    EXPECT_EQ(run(warden, "exit 42").exit_code, 42);
    EXPECT_EQ(run(warden, "kill -TERM $$").signal, SIGTERM);
    const Ran busy = run(warden, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
    ASSERT_TRUE(busy.record);
    EXPECT_GT(busy.record->user_us + busy.record->system_us, 0U);
    EXPECT_GT(busy.record->peak_memory_kb, 100U);
    EXPECT_EQ(busy.record->killed, 0U);
}

// Numbers that the warden gave back must not be taken by what it keeps.
// As far as the kernel lets anybody, which the attempt without a sandbox shows.
TEST_P(OnBothLevels, a_command_counts_its_own_events_and_not_those_of_a_processor) {
    START(warden, spec());
    EXPECT_EQ(run(warden, inmate() + "count_time -1 0").exit_code, EPERM);
    EXPECT_EQ(run(warden, inmate() + "count_time 0 0").exit_code, EPERM);
    const std::string outside = "cd " + ws() + " && exec " + inmate() + "count_time 0 -1";
    if (std::system(outside.c_str()) != 0) GTEST_SKIP() << "the kernel lets nobody count";
    const Ran ran = run(warden, inmate() + "count_time 0 -1");
    if (ran.exit_code == EACCES && is_root()) GTEST_SKIP() << "the kernel lets only root count";
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_NE(run(warden, inmate() + "count_time 1 -1").exit_code, 0) << "the warden, or init";
}

TEST_P(OnBothLevels, a_report_does_not_get_into_the_way_of_the_directory) {
    tree({"ROOT/sub/"});
    sandbox::WardenSpec wanted = spec();
    if (full()) wanted.options.network_allow = {"example.org"};  // a socket is passed on and closed
    START(warden, wanted);
    for (int i = 0; i < 3; ++i) {
        sandbox::Command command = shell(warden, "pwd -P >&3");
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        const UniqueFd out(ends[0]);
        UniqueFd in(ends[1]);
        command.report = in.get();
        const auto process = warden.spawn(command);
        in.reset();
        ASSERT_TRUE(process.has_value()) << process.error().message();
        EXPECT_EQ(drain(out.get()), i == 0 ? ws() + "\n" : ws("sub") + "\n");
        ASSERT_TRUE(read_exit(process->status.get()));
        ASSERT_EQ(warden.enter("sub").value(), sandbox::Entering::kEntered);
    }
}

TEST_P(OnBothLevels, what_cannot_be_run_is_an_error_and_nothing_is_left) {
    START(warden, spec());
    sandbox::Command command = shell(warden, "true");
    command.arguments = {"/no/such/program"};
    EXPECT_CODE(warden.spawn(command), Code::kNotFound);
    command.arguments = {"no-such-program"};
    EXPECT_CODE(warden.spawn(command), Code::kNotFound);
    command.arguments = {"/etc/passwd"};
    EXPECT_CODE(warden.spawn(command), Code::kPermissionDenied);
    command.arguments = {};
    EXPECT_CODE(warden.spawn(command), Code::kInvalidArgument);
    command.arguments = {"true", std::string(sandbox::kWardenMessageBytes, 'x')};
    EXPECT_CODE(warden.spawn(command), Code::kTooLarge);
    command.arguments = {"true"};
    command.directory = "missing";
    EXPECT_CODE(warden.spawn(command), Code::kNotFound);
    command.directory = "../OUT";
    EXPECT_FALSE(warden.spawn(command).has_value());
    command.directory = ".";
    EXPECT_OK(warden.spawn(command));
    EXPECT_TRUE(eventually([&] { return warden.processes().value_or(9) == 0; }));
    EXPECT_EQ(run(warden, "echo works").output, "works\n");
}

TEST_P(OnBothLevels, commands_get_their_descriptors_and_no_others) {
    const int leaked =
        ::open(out("secret").c_str(), O_RDONLY);  // without close-on-exec, on purpose
    START(warden, spec());
    EXPECT_EQ(run(warden, inmate() + "count_descriptors").exit_code, 3);
    ::close(leaked);
    EXPECT_EQ(run(warden, "cat").output, "") << "standard input is not empty";
    EXPECT_EQ(run(warden, "echo out; echo err >&2; echo out").output, "out\nerr\nout\n");

    std::array<int, 2> report;
    ASSERT_EQ(::pipe2(report.data(), O_CLOEXEC), 0);
    sandbox::Command command = shell(warden, "pwd -P >&3");
    command.report = report[1];
    const auto process = warden.spawn(command);
    ASSERT_TRUE(process.has_value()) << process.error().message();
    ::close(report[1]);
    EXPECT_EQ(drain(report[0]), ws() + "\n");
    ::close(report[0]);
}

TEST_P(OnBothLevels, the_environment_is_what_was_given) {
    ::setenv("PADDOCK_TEST_TOKEN", "secret", 1);
    START(warden, spec());
    EXPECT_EQ(run(warden, "env | cut -d= -f1 | sort | tr '\\n' ' '").output,
              "CARGO_NET_RETRY GIT_CONFIG_NOSYSTEM HOME LOGNAME NO_UPDATE_NOTIFIER PATH "
              "PIP_DISABLE_PIP_VERSION_CHECK PIP_RETRIES PWD SHELL TMPDIR USER "
              "npm_config_fetch_retries npm_config_update_notifier ");
    EXPECT_EQ(run(warden, "umask").output, "0022\n");
}

TEST_P(OnBothLevels, the_directory_is_kept_and_never_leaves_the_workspace) {
    tree({"ROOT/a/b/", "ROOT/file=x", "ROOT/out->@/OUT", "ROOT/in->a"});
    START(warden, spec());
    using sandbox::Entering;
    EXPECT_EQ(warden.directory(), ".");
    EXPECT_EQ(*warden.enter("a/b"), Entering::kEntered);
    EXPECT_EQ(run(warden, "pwd -P").output, ws("a/b") + "\n");
    EXPECT_EQ(warden.directory(), "a/b");
    EXPECT_EQ(*warden.enter(ws("a")), Entering::kEntered);
    EXPECT_EQ(warden.directory(), "a");
    EXPECT_EQ(*warden.enter("missing"), Entering::kMissing);
    EXPECT_EQ(*warden.enter("file"), Entering::kMissing);
    EXPECT_EQ(*warden.enter("out"), Entering::kMissing);
    EXPECT_EQ(*warden.enter("in"), Entering::kMissing);
    for (const std::string& outside : {std::string("/"), std::string("/tmp"), out(), ws() + "x",
                                       std::string(".."), std::string("a/../..")}) {
        EXPECT_EQ(*warden.enter(outside), Entering::kOutside) << outside;
    }
    EXPECT_EQ(run(warden, "pwd -P").output, ws("a") + "\n");
    EXPECT_EQ(*warden.enter(ws()), Entering::kEntered);
    EXPECT_EQ(warden.directory(), ".");
    sandbox::Command command = shell(warden, "pwd");
    command.directory = "a/b";
    EXPECT_OK(warden.spawn(command));
    EXPECT_EQ(run(warden, "pwd -P").output, ws() + "\n");
}

TEST_P(OnBothLevels, what_a_command_leaves_running_lives_until_the_session_ends) {
    START(warden, spec());
    const std::string mark = new_mark();
    EXPECT_EQ(run(warden, "sleep 1000 " + mark + " >/dev/null 2>&1 & echo $! > pid").exit_code, 0);
    // The shell takes the mark for a second time to sleep, and does not start; so by name.
    EXPECT_EQ(run(warden,
                  "sh -c 'while :; do sleep 1; done' " + mark + " >/dev/null 2>&1 & echo $! > pid")
                  .exit_code,
              0);
    EXPECT_TRUE(eventually([&] { return marked(mark).size() == 1; }));
    EXPECT_GE(warden.processes().value_or(0), 1U);
    if (full()) {
        EXPECT_EQ(run(warden, "kill -9 $(cat pid)").exit_code, 0)
            << "the model cannot kill its own";
        EXPECT_TRUE(eventually([&] { return marked(mark).empty(); }));
        EXPECT_EQ(run(warden, "sh -c 'while :; do sleep 1; done' " + mark + " >/dev/null 2>&1 &")
                      .exit_code,
                  0);
        EXPECT_TRUE(eventually([&] { return marked(mark).size() == 1; }));
    }
    warden.end();
    EXPECT_TRUE(marked(mark).empty());
    EXPECT_CODE(warden.processes(), Code::kSandboxUnavailable);
}

TEST_P(OnBothLevels, a_tree_is_killed_with_everything_in_it) {
    START(warden, spec());
    const std::string mark = new_mark();
    const std::string daemon = inmate() + "become_daemon ";
    const Process process =
        leave_running(warden, daemon + "started " + mark + "; " + daemon + "also " + mark +
                                  "; trap '' TERM INT HUP; sh -c 'while :; do sleep 1; done' " +
                                  mark + " & while :; do sleep 1; done");
    ASSERT_TRUE(eventually([&] { return os_exists(ws("started")) && os_exists(ws("also")); }));
    ASSERT_TRUE(eventually([&] { return marked(mark).size() == 4; }));  // and the shell itself
    const Process other = leave_running(warden, "while :; do sleep 1; done");
    EXPECT_OK(warden.kill_tree(process.id));
    const auto record = read_exit(process.status.get());
    ASSERT_TRUE(record.has_value() && record->has_value());
    EXPECT_EQ((*record)->signal, SIGKILL);
    EXPECT_GE((*record)->killed, 4U);
    EXPECT_TRUE(eventually([&] { return marked(mark).empty(); }));
    EXPECT_CODE(warden.kill_tree(process.id), Code::kNotFound);
    EXPECT_CODE(warden.kill_tree(0), Code::kNotFound);
    EXPECT_CODE(warden.kill_tree(12345), Code::kNotFound);
    // The other command goes on.
    EXPECT_GE(warden.processes().value_or(0), 1U);
    EXPECT_OK(warden.kill_tree(other.id));
}

TEST_P(OnBothLevels, no_command_gives_away_what_it_starts) {
    START(warden, spec());
    for (const std::string way : {"lose_orphans", "start_sibling"}) {
        const Process process = leave_running(warden, "exec " + inmate() + way + " " + way);
        ASSERT_TRUE(eventually([&] { return os_exists(ws(way)); }));
        EXPECT_EQ(warden.census()->left, 0U) << way;
        EXPECT_OK(warden.kill_tree(process.id));
        ASSERT_TRUE(read_exit(process.status.get()).has_value());
        EXPECT_EQ(warden.processes().value_or(99), 0U) << way;
    }
}

TEST_P(OnBothLevels, what_was_left_is_killed_and_no_command_that_runs) {
    START(warden, spec());
    EXPECT_EQ(warden.kill_left().value(), 0U);
    const std::string daemon = inmate() + "become_daemon ";
    const std::string left = new_mark();
    EXPECT_EQ(run(warden, "(" + daemon + "first " + left + "; " + daemon + "second " + left +
                              ") > /dev/null 2>&1")
                  .exit_code,
              0);
    const Process small = leave_running(warden, "exec sleep 1000");
    const std::string kept = new_mark();
    const Process large =
        leave_running(warden, daemon + "third " + kept +
                                  "; sleep 1000 & sleep 1000 & touch ready; exec sleep 1000");
    for (const char* name : {"first", "second", "third", "ready"}) {
        ASSERT_TRUE(eventually([&] { return os_exists(ws(name)); }));
    }
    ASSERT_TRUE(eventually([&] { return warden.census()->alive == 7; }));
    // The shell has become "sleep".
    ASSERT_TRUE(eventually([&] { return marked(kept).size() == 1; }));
    EXPECT_EQ(warden.census()->left, 2U);
    EXPECT_EQ(warden.census()->largest, large.id);

    EXPECT_EQ(warden.kill_left().value(), 2U);
    EXPECT_TRUE(marked(left).empty());
    EXPECT_EQ(marked(kept).size(), 1U);
    EXPECT_EQ(warden.census()->alive, 5U);
    EXPECT_EQ(warden.census()->left, 0U);
    EXPECT_OK(warden.kill_tree(large.id));
    ASSERT_TRUE(read_exit(large.status.get()).has_value());
    EXPECT_EQ(warden.census()->largest, small.id);
    EXPECT_OK(warden.kill_tree(small.id));
    ASSERT_TRUE(read_exit(small.status.get()).has_value());
    EXPECT_EQ(warden.census()->largest, 0U);
}

// Who looks at /proc misses it (Children.who_live_by_forking_escape_a_look_at_proc).
TEST_P(OnBothLevels, who_lives_by_forking_is_counted) {
    START(warden, spec());
    ASSERT_EQ(run(warden, inmate() + "hop stop").exit_code, 0);
    for (int i = 0; i < 300; ++i) {
        const auto census = warden.census();
        ASSERT_TRUE(census.has_value()) << census.error().message();
        ASSERT_GE(census->alive, 1U) << "look " << i;
    }
    tree({"ROOT/stop="});
    EXPECT_TRUE(eventually([&] { return warden.processes().value_or(9) == 0; }));
}

// The signal that stops it arrives while it makes one more.
TEST_P(OnBothLevels, a_tree_that_grows_is_killed_to_the_last) {
    START(warden, spec());
    const std::string mark = new_mark();
    for (int i = 0; i < 40; ++i) {
        const std::string file = "forks" + std::to_string(i);
        const Process process =
            leave_running(warden, "touch " + file + "; while :; do sleep 1000 " + mark +
                                      " & sh -c : " + mark + "; done");
        ASSERT_TRUE(eventually([&] { return os_exists(ws(file)); }));
        ASSERT_TRUE(warden.kill_tree(process.id).has_value());
        ASSERT_TRUE(read_exit(process.status.get()).has_value());
        ASSERT_EQ(warden.processes().value_or(99), 0U) << "round " << i;
    }
}

TEST_P(OnBothLevels, a_chain_of_forks_is_stopped) {
    START(warden, spec());
    const std::string mark = new_mark();
    for (int i = 0; i < 3; ++i) {
        const Process process =
            leave_running(warden, inmate() + "fork_chain " + mark + "; while :; do sleep 1; done");
        ASSERT_TRUE(eventually([&] { return !marked(mark).empty(); }));
        const auto killed = warden.kill_tree(process.id);
        if (!killed.has_value()) {
            // The session ended instead, which is reported.
            EXPECT_EQ(killed.error().code, Code::kLimitReached);
            EXPECT_TRUE(eventually([&] { return marked(mark).empty(); }));
            return;
        }
        EXPECT_TRUE(eventually([&] { return marked(mark).empty(); }));
    }
}

// Also the one that is about to become a command. Only on the full level: there a command reaches
// nobody else.
TEST_F(Session, a_process_that_stops_all_others_does_not_hold_up_the_warden) {
    sandbox::WardenSpec impatient = spec();
    impatient.patience = std::chrono::milliseconds(300);
    START(warden, impatient);
    const Process stopper = leave_running(warden, "exec " + inmate() + "stop_all started");
    ASSERT_TRUE(eventually([&] { return os_exists(ws("started")); }));
    const auto refused = [&] { return !warden.spawn(shell(warden, "true")).has_value(); };
    EXPECT_TRUE(eventually(refused)) << "no command was stopped before it began";
    EXPECT_OK(warden.kill_tree(stopper.id));
    EXPECT_EQ(run(warden, "echo works").output, "works\n");
}

TEST_P(OnBothLevels, signals_reach_the_command) {
    START(warden, spec());
    const Process process =
        leave_running(warden, "trap 'exit 7' USR1; touch ready; while :; do sleep 0.01; done");
    ASSERT_TRUE(eventually([&] { return os_exists(ws("ready")); }));
    EXPECT_OK(warden.signal(process.id, SIGUSR1));
    const auto record = read_exit(process.status.get());
    ASSERT_TRUE(record.has_value() && record->has_value());
    EXPECT_EQ((*record)->exit_code, 7);
    EXPECT_CODE(warden.signal(process.id, SIGUSR1), Code::kNotFound);
}

TEST_P(OnBothLevels, the_warden_cannot_be_reached_by_a_command) {
    if (!full() && kernel_abi() < 6) GTEST_SKIP() << "Landlock scopes signals from ABI 6";
    START(warden, spec());
    const std::string pid = full() ? "1" : "$PPID";
    EXPECT_NE(run(warden,
                  "kill -9 " + pid + " && kill -STOP " + pid + " && sleep 0.01 && ! kill -0 " + pid)
                  .exit_code,
              0);
    EXPECT_EQ(run(warden, "echo alive").output, "alive\n");
    EXPECT_NE(run(warden, "cat /proc/" + pid + "/environ").exit_code, 0);
}

// After everything was killed that should take them along. The long form (scripts/sessions) holds
// the time too, which depends on the machine.
void expect_gone(const std::string& mark) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    EXPECT_TRUE(eventually([&] { return marked(mark).empty(); })) << "processes are left";
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    if (std::getenv("PADDOCK_SESSIONS") == nullptr) return;
    std::cout << "no process is left after " << took.count() << " ms\n";
    EXPECT_LT(took, std::chrono::seconds(1));
}

// A server of its own for each way to die.
void be_killed(const sandbox::WardenSpec& spec, const std::string& script,
               const std::function<void(pid_t server)>& kill, const std::string& mark,
               std::size_t processes) {
    std::array<int, 2> told;
    ASSERT_EQ(::pipe2(told.data(), O_CLOEXEC), 0);
    const pid_t server = ::fork();
    ASSERT_GE(server, 0);
    if (server == 0) {
        auto warden = Warden::start(spec);
        if (!warden) ::_exit(1);
        sandbox::Command command;
        command.arguments = {"/bin/sh", "-c", script};
        command.environment = {"PATH=/usr/bin:/bin"};
        const auto process = warden->spawn(command);
        const char answer = process ? '1' : '0';
        if (::write(told[1], &answer, 1) != 1) ::_exit(1);
        for (;;) ::pause();
    }
    ::close(told[1]);
    char answer = 0;
    ASSERT_EQ(::read(told[0], &answer, 1), 1);
    ::close(told[0]);
    ASSERT_EQ(answer, '1');
    ASSERT_TRUE(eventually([&] { return marked(mark).size() == processes; }));
    kill(server);
    expect_gone(mark);
    ::kill(server, SIGKILL);
    ::waitpid(server, nullptr, 0);
}

TEST_P(OnBothLevels, nothing_outlives_a_killed_server) {
    const std::string mark = new_mark();
    const std::string script = inmate() + "become_daemon started " + mark +
                               "; sh -c 'while :; do sleep 1; done' " + mark + " & sleep 1000";
    START(probe, spec());  // prepares the workspace, or skips
    probe.end();
    be_killed(
        spec(), script, [](pid_t server) { ::kill(server, SIGKILL); }, mark, 3);
}

std::string proc_text(int process, const std::string& name) {
    const std::string path = "/proc/" + std::to_string(process) + "/" + name;
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    return drain(file.get());
}

std::vector<int> children_of(int process) {
    std::istringstream text(proc_text(process, "task/" + std::to_string(process) + "/children"));
    return {std::istream_iterator<int>(text), {}};
}

// Is a child of the server's warden stopped that is no command yet? It still has the warden's name.
bool has_stopped_start(pid_t server) {
    for (const int warden : children_of(server)) {
        for (const int child : children_of(warden)) {
            if (proc_text(child, "stat").find("(warden) T") != std::string::npos) return true;
        }
    }
    return false;
}

TEST_F(Session, nothing_outlives_a_killed_server_whose_commands_are_stopped) {
    const std::string mark = new_mark();
    const std::string script = "exec " + inmate() + "stop_all started " + mark;
    START(probe, spec());
    probe.end();
    const pid_t server = ::fork();
    ASSERT_GE(server, 0);
    if (server == 0) {
        auto warden = Warden::start(spec());
        if (!warden) ::_exit(1);
        (void)warden->spawn(shell(*warden, script));
        for (;;) (void)warden->spawn(shell(*warden, "true"));
    }
    EXPECT_TRUE(eventually([&] { return os_exists(ws("started")); }));
    EXPECT_TRUE(eventually([&] { return has_stopped_start(server); }));
    ::kill(server, SIGKILL);
    expect_gone(mark);
    ::waitpid(server, nullptr, 0);
}

TEST_F(Session, nothing_outlives_a_killed_warden) {
    START(warden, spec());
    const std::string mark = new_mark();
    const Process process =
        leave_running(warden, inmate() + "become_daemon started " + mark + "; sleep 1000");
    ASSERT_TRUE(eventually([&] { return marked(mark).size() == 2; }));
    // The warden is the only child of this process.
    const std::string children =
        *os_read("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    ASSERT_FALSE(children.empty());
    ASSERT_EQ(::kill(std::stoi(children), SIGKILL), 0);
    expect_gone(mark);
    const auto record = read_exit(process.status.get());
    ASSERT_TRUE(record.has_value());
    EXPECT_FALSE(record->has_value()) << "a record although the session ended";
    EXPECT_CODE(warden.spawn(shell(warden, "true")), Code::kSandboxUnavailable);
    EXPECT_CODE(warden.processes(), Code::kSandboxUnavailable);
}

// On the low level the kernel does not end the commands with the warden; the server does, where it
// has a cgroup for them.
TEST_F(Session, a_cgroup_ends_what_a_killed_warden_leaves) {
    if (!sandbox::SessionGroup::make({}, true)) GTEST_SKIP() << "no cgroup can be made here";
    START(warden, spec(SandboxLevel::kLow));
    const std::string mark = new_mark();
    leave_running(warden, inmate() + "become_daemon started " + mark + "; sleep 1000");
    ASSERT_TRUE(eventually([&] { return marked(mark).size() == 2; }));
    const std::string children =
        *os_read("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    ASSERT_EQ(::kill(std::stoi(children), SIGKILL), 0);
    warden.end();
    EXPECT_TRUE(eventually([&] { return marked(mark).empty(); }));
}

// The name of the only one that this process has in there.
std::string own_group(int parent) {
    const std::string lead = "paddock-" + std::to_string(::getpid()) + "-";
    for (const std::string& name : os_list("/proc/self/fd/" + std::to_string(parent))) {
        if (name.starts_with(lead)) return name;
    }
    return {};
}

TEST_F(Session, a_cgroup_is_emptied_and_removed_by_a_server_that_has_confined_itself) {
    NEEDS_LANDLOCK(1);
    if (!sandbox::SessionGroup::make({}, true)) GTEST_SKIP() << "no cgroup can be made here";
    START(probe, spec(SandboxLevel::kLow));
    probe.end();
    const std::string mark = new_mark();
    const std::string script = inmate() + "become_daemon started " + mark + "; sleep 1000";
    for (const bool may_remove : {false, true}) {
        in_child([&] {
            auto warden = Warden::start(spec(SandboxLevel::kLow));
            ASSERT_TRUE(warden.has_value());
            leave_running(*warden, script);
            ASSERT_TRUE(eventually([&] { return marked(mark).size() == 2; }));
            const std::string children =
                *os_read("/proc/self/task/" + std::to_string(::getpid()) + "/children");
            ASSERT_EQ(::kill(std::stoi(children), SIGKILL), 0);
            const UniqueFd parent(::dup(warden->cgroup_parent()));
            const std::string group = own_group(parent.get());
            ConfineSpec confined;
            if (may_remove) confined.rules = {{parent.get(), Access::kRemoveDirectories}};
            ASSERT_TRUE(confine_self(confined).has_value());
            warden->end();
            EXPECT_EQ(::faccessat(parent.get(), group.c_str(), F_OK, 0) != 0, may_remove);
        });
        EXPECT_TRUE(eventually([&] { return marked(mark).empty(); })) << "processes are left";
    }
    EXPECT_TRUE(sandbox::SessionGroup::make({}, true).has_value()) << "removes what is stale";
}

TEST_P(OnBothLevels, a_terminal_is_a_terminal) {
    START(warden, spec());
    sandbox::Command command =
        shell(warden, inmate() + "terminal_size; stty size; tty >/dev/null && echo has a name");
    command.terminal = sandbox::TerminalSize{33, 111};
    const auto process = warden.spawn(command);
    ASSERT_TRUE(process.has_value()) << process.error().message();
    ASSERT_TRUE(process->terminal.valid());
    const std::string text = drain(process->terminal.get());
    EXPECT_NE(text.find("3 on a terminal"), std::string::npos) << text;
    EXPECT_NE(text.find("33 111"), std::string::npos) << text;
    EXPECT_NE(text.find("has a name"), std::string::npos) << text;
    const auto record = read_exit(process->status.get());
    ASSERT_TRUE(record.has_value() && record->has_value());
}

TEST_P(OnBothLevels, many_commands_at_once_are_bounded) {
    START(warden, spec());
    std::vector<Process> running;
    for (std::size_t i = 0; i < limits::kCommandsMax; ++i) {
        running.push_back(leave_running(warden, "exec sleep 1000"));
    }
    EXPECT_CODE(warden.spawn(shell(warden, "true")), Code::kLimitReached);
    EXPECT_OK(warden.kill_tree(running[3].id));
    EXPECT_TRUE(read_exit(running[3].status.get()).has_value());
    EXPECT_OK(warden.spawn(shell(warden, "true")));
}

}  // namespace
}  // namespace paddock::testing
