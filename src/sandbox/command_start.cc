#include "sandbox/command_start.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <paddock/limits.h>

#include "sys/files.h"
#include "sys/identity.h"
#include "sys/landlock.h"
#include "sys/process.h"
#include "sys/seccomp.h"
#include "sys/signal.h"
#include "sys/socket.h"
#include "sys/terminal.h"

namespace paddock::sandbox {
namespace {

bool is_plain(const char* name, std::size_t length) {
    if (length == 0 || length > limits::kComponentBytesMax) return false;
    return !(name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.')));
}

}  // namespace

Outcome<UniqueFd> descend(int directory, const char* path, UniqueFd* reached) {
    if (*path == '\0' || std::strcmp(path, ".") == 0) {
        return sys::openat(directory, ".", O_PATH | O_DIRECTORY);
    }
    UniqueFd held;
    int here = directory;
    for (const char* name = path;;) {
        const std::size_t length = std::strcspn(name, "/");
        if (!is_plain(name, length)) return refuse(Code::kInvalidPath, {}, EINVAL);
        char component[limits::kComponentBytesMax + 1];
        std::memcpy(component, name, length);
        component[length] = '\0';
        auto next = sys::openat(here, component, O_PATH | O_NOFOLLOW);
        if (!next && reached != nullptr) *reached = std::move(held);
        if (!next) return next.error();
        held = std::move(*next);
        here = held.get();
        if (name[length] == '\0') return held;
        name += length + 1;
    }
}

Outcome<UniqueFd> descend_to_directory(int directory, const char* path) {
    PADDOCK_ASSIGN(found, descend(directory, path));
    PADDOCK_ASSIGN(stat, sys::fstat(found.get()));
    if (stat.type != FileType::kDirectory) return Failure::from_errno(ENOTDIR);
    return std::move(found);
}

namespace {

constexpr int kReportDescriptor = 3;

Done lead(CommandStart& /*start*/) {
    sys::become_plain_child();
    PADDOCK_TRY(sys::new_session());
    // What loses its parent while the command runs stays below it.
    return sys::adopt_orphans();
}

Done get_terminal(CommandStart& start) {
    return start.terminal < 0 ? Done() : sys::take_terminal(start.terminal);
}

Done arrange_descriptors(CommandStart& start) {
    const auto or_terminal = [&](int stream) { return stream < 0 ? start.terminal : stream; };
    PADDOCK_TRY(sys::place_descriptor(or_terminal(start.input), 0));
    PADDOCK_TRY(sys::place_descriptor(or_terminal(start.output), 1));
    PADDOCK_TRY(sys::place_descriptor(or_terminal(start.error), 2));
    return start.report < 0 ? Done() : sys::place_descriptor(start.report, kReportDescriptor);
}

Done enter(CommandStart& start) { return sys::enter_directory(start.directory); }

Done limit(CommandStart& start) {
    const CommandLimits& limits = start.plan->limits;
    // What the cgroup refuses is counted, and what this limit does is not: the cgroup comes first.
    const std::uint64_t behind = start.plan->process_events.valid() ? 1 : 0;
    PADDOCK_TRY(
        sys::set_limit(sys::Limit::kProcesses, start.plan->others + limits.processes + behind));
    PADDOCK_TRY(
        sys::set_limit(sys::Limit::kFileBytes, start.writes_no_file ? 0 : limits.file_bytes));
    // As on a full disk: a program that cannot write goes on.
    if (start.writes_no_file) sys::ignore_signal(SIGXFSZ);
    PADDOCK_TRY(sys::set_limit(sys::Limit::kOpenFiles, limits.open_files));
    return sys::set_limit(sys::Limit::kCoreBytes, 0);
}

Done give_up_rights(CommandStart& start) {
    const WardenPlan& plan = *start.plan;
    if (plan.level == SandboxLevel::kLow && plan.user.chosen) {
        PADDOCK_TRY(sys::forget_groups());
        PADDOCK_TRY(sys::become(plan.user.user, plan.user.group));
    }
    return sys::drop_capabilities();
}

Done put_under_landlock(CommandStart& start) {
    PADDOCK_TRY(sys::landlock::restrict_self(start.ruleset, 0));
    return sys::close_from_when_run(start.report < 0 ? kReportDescriptor : kReportDescriptor + 1);
}

// From here to the program nothing may be called that is observed: nobody would answer.
Done put_under_filter(CommandStart& start) {
    if (start.listener_to < 0) return sys::seccomp::install(start.plan->filter);
    PADDOCK_ASSIGN(listener,
                   sys::seccomp::install_with_listener(
                       start.is_gated ? start.plan->gated_filter : start.plan->observing_filter));
    const int passed = listener.get();
    return sys::send_message(start.listener_to, "L", {&passed, 1});
}

// Without a slash, as a shell looks it up in PATH; a program that may not be run does not end the
// search, but is what is reported.
Failure run(CommandStart& start) {
    const char* name = start.arguments[0];
    if (std::strchr(name, '/') != nullptr) {
        return sys::run_program(name, start.arguments, start.environment);
    }
    const char* rest = "/usr/bin:/bin";
    for (char* const* variable = start.environment; *variable != nullptr; ++variable) {
        if (std::strncmp(*variable, "PATH=", 5) == 0) rest = *variable + 5;
    }
    Failure answer = Failure::from_errno(ENOENT);
    const std::size_t name_bytes = std::strlen(name);
    for (bool last = false; !last;) {
        const std::size_t length = std::strcspn(rest, ":");
        last = rest[length] == '\0';
        if (length > 0 && length + name_bytes + 2 <= start.path_buffer.size()) {
            char* path = start.path_buffer.data();
            std::memcpy(path, rest, length);
            path[length] = '/';
            std::memcpy(path + length + 1, name, name_bytes + 1);
            const Failure failed = sys::run_program(path, start.arguments, start.environment);
            if (failed.os_error != ENOENT && failed.os_error != ENOTDIR) answer = failed;
            if (failed.os_error != ENOENT && failed.os_error != ENOTDIR &&
                failed.os_error != EACCES) {
                return failed;
            }
        }
        rest += length + 1;
    }
    return answer;
}

Done become_program(CommandStart& start) { return run(start); }

struct Step {
    Stage stage;
    Done (*take)(CommandStart& start);
};

// The filter comes last: it refuses what the steps before it need.
constexpr std::array<Step, 9> kSteps{{
    {Stage::kFork, lead},
    {Stage::kTerminal, get_terminal},
    {Stage::kDescriptors, arrange_descriptors},
    {Stage::kDirectory, enter},
    {Stage::kLimits, limit},
    {Stage::kUser, give_up_rights},
    {Stage::kLandlock, put_under_landlock},
    {Stage::kFilter, put_under_filter},
    {Stage::kProgram, become_program},
}};

int take_steps(void* argument) {
    CommandStart& start = *static_cast<CommandStart*>(argument);
    for (const Step& step : kSteps) {
        if (const auto taken = step.take(start); !taken) {
            *start.failed = {step.stage, taken.error().os_error};
            break;
        }
    }
    sys::leave(127);
}

// An end of a pipe that is closed when the program runs, or when there is none.
struct StartSignal {
    UniqueFd ours;
    UniqueFd child;
};

Outcome<StartSignal> make_gate() {
    PADDOCK_ASSIGN(pipe, sys::pipe());
    PADDOCK_ASSIGN(child, sys::duplicate(pipe.write.get(), kFirstOwnDescriptor));
    return StartSignal{std::move(pipe.read), std::move(child)};
}

}  // namespace

// A command that is running can stop this child as any other process of the session. The warden
// must not stand still with it: it would not see the end of the server.
Outcome<pid_t> start_command(CommandStart& start, std::span<std::byte> stack) {
    PADDOCK_ASSIGN(gate, make_gate());
    PADDOCK_ASSIGN(child, sys::share_process(take_steps, &start, stack, SIGCHLD));
    gate.child.reset();
    std::array<pollfd, 2> polled{
        {{gate.ours.get(), POLLIN, 0}, {start.plan->server.get(), POLLIN, 0}}};
    const auto ready = sys::wait_ready(polled, static_cast<int>(start.plan->patience.count()));
    if (ready && polled[0].revents != 0) return child.id;
    (void)sys::send_signal(child.held.get(), SIGKILL);
    (void)sys::wait_for(child.held.get());
    return ready ? Failure::from_errno(ETIMEDOUT) : ready.error();
}

}  // namespace paddock::sandbox
