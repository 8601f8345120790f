#include "cli/run.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <future>
#include <optional>
#include <stop_token>
#include <system_error>
#include <utility>

#include <paddock/limits.h>
#include <paddock/workspace.h>

#include "cli/arguments.h"
#include "cli/mcp.h"
#include "cli/terminal.h"
#include "cli/workspace_options.h"
#include "sys/io.h"
#include "sys/signal.h"
#include "tools/job.h"
#include "tools/session.h"

namespace paddock::cli {
namespace {

// As "env" and "timeout" answer: paddock failed, the program cannot be run, there is none.
constexpr int kNotStarted = 125;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

using Clock = std::chrono::steady_clock;

// What would end us is for the command, which has a session of its own and does not get it from our
// terminal: when it has ended, what it left is still to be looked at.
void pass_signal(tools::Shell& shell, const sandbox::Process& process, int signals) {
    if (const int number = sys::take_signal(signals); number != 0) shell.signal(process.id, number);
}

// True: it has ended. False: it works still at the deadline.
bool wait_and_pass_signals(tools::Shell& shell, const sandbox::Process& process, int signals,
                           std::optional<Clock::time_point> deadline = {}) {
    for (;;) {
        std::array<pollfd, 2> watched{pollfd{process.status.get(), POLLIN, 0},
                                      pollfd{signals, POLLIN, 0}};
        int timeout_ms = -1;
        if (deadline) {
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
            if (left.count() <= 0) return false;
            timeout_ms = static_cast<int>(left.count());
        }
        if (::poll(watched.data(), watched.size(), timeout_ms) < 0) continue;
        if (watched[0].revents != 0) return true;
        if (watched[1].revents != 0) pass_signal(shell, process, signals);
    }
}

int exit_code(const sandbox::ExitRecord& record) {
    return record.signal == 0 ? record.exit_code : kAddedToSignal + record.signal;
}

void tell(const tools::Remarks& remarks) {
    for (const std::string& line : remarks.lines) complain(line);
}

// While the command has the terminal, which may be raw: a line feed alone would not begin a line.
void tell_meanwhile(const tools::Remarks& remarks) {
    for (const std::string& line : remarks.lines) {
        const std::string text = "paddock: " + line + (is_interactive() ? "\r\n" : "\n");
        static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
    }
}

void end_and_tell(tools::Shell& shell) { tell(shell.end()); }

void tell_denials(tools::Shell& shell, const sandbox::Process& process,
                  const std::optional<tools::MetLimit>& limit, bool succeeded) {
    sandbox::DenialLog log = shell.denials_of(process);
    if (limit) log.add(limit->denial());
    std::string text = log.text(shell.wall_layers(), succeeded);
    if (text.empty()) return;
    text.pop_back();  // the last line feed
    complain(text);
}

int explain(const Error& problem) {
    complain(std::string(code_name(problem.code)) + ": " + tools::explanation_for_model(problem));
    if (problem.code == Code::kNotFound) return kNotFound;
    return problem.code == Code::kPermissionDenied ? kCannotRun : kNotStarted;
}

// The user's terminal is nothing for the command: it could read there what is typed for others.
// What it would print on is a terminal of its own.
sandbox::Command command_of(const std::vector<std::string>& words, int input) {
    sandbox::Command command;
    command.arguments = words;
    const auto unless_terminal = [](int stream) { return is_terminal(stream) ? -1 : stream; };
    command.input = input;
    command.output = unless_terminal(STDOUT_FILENO);
    command.error = unless_terminal(STDERR_FILENO);
    if (screen() >= 0) command.terminal = window_size(screen());
    command.terminal_ends_lines = is_interactive();
    return command;
}

// A terminal that is typed to while others print on it ("run ... | less") cannot be read ahead for
// the command: it gets it for reading only, or nothing. It can change its modes until it ends.
UniqueFd typed_input() {
    UniqueFd input(::open("/proc/self/fd/0", O_RDONLY | O_NOCTTY | O_CLOEXEC));
    return input.valid() ? std::move(input) : UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

// Ends it if it meets a limit, and says which. No signal is for the thread that does it. Not valid:
// there is no thread for that.
std::future<std::optional<tools::EndedBy>> watch_limits(tools::Shell& shell,
                                                        const sandbox::Process& process,
                                                        std::stop_token stop) try {
    const sys::SignalsHeldBack held_back;
    return std::async(std::launch::async, [&shell, id = process.id, stop = std::move(stop)] {
        return shell.watch(id, stop, tell_meanwhile);
    });
} catch (const std::system_error&) {
    return {};
}

void wait_for(tools::Shell& shell, const sandbox::Process& process, int signals,
              const KeptModes& modes) {
    if (!process.terminal.valid()) {
        (void)wait_and_pass_signals(shell, process, signals);
        return;
    }
    if (is_interactive()) modes.make_raw();
    relay_terminal(process.terminal.get(), process.status.get(),
                   {.fd = signals,
                    .pass_on = [&] { pass_signal(shell, process, signals); },
                    .hang_up = [&] { shell.signal(process.id, SIGHUP); }});
}

int run_in(tools::Shell& shell, const std::vector<std::string>& words,
           const ShellOptions& options) {
    sys::ignore_broken_pipes();
    const auto signals = sys::hold_ending_signals();
    if (!signals) return explain(as_error(signals.error(), "run", {}));
    const bool is_typed = is_terminal(STDIN_FILENO) && !is_interactive();
    const UniqueFd typed = is_typed ? typed_input() : UniqueFd();
    const int input = is_terminal(STDIN_FILENO) ? typed.get() : STDIN_FILENO;
    std::optional<KeptModes> modes(STDIN_FILENO);  // as they are before the command can change them
    const auto process = shell.spawn(command_of(words, input), joined(words));
    if (!process) return explain(process.error());
    tell(shell.overdue());
    // Most commands have ended before anybody would look at their limits for the first time.
    const bool has_ended = !process->terminal.valid() &&
                           wait_and_pass_signals(shell, *process, signals->get(),
                                                 Clock::now() + tools::kCommandCheckPause);
    std::stop_source over;
    std::future<std::optional<tools::EndedBy>> watch;
    if (!has_ended) watch = watch_limits(shell, *process, over.get_token());
    if (!has_ended && !watch.valid()) {
        end_and_tell(shell);
        return explain(tools::tool_error(
            Code::kLimitReached,
            "The command was ended: the host had no thread left to supervise it. Try "
            "again later."));
    }
    if (!has_ended) wait_for(shell, *process, signals->get(), *modes);
    modes.reset();
    over.request_stop();
    const auto met = watch.valid() ? watch.get() : std::nullopt;
    const auto record = sandbox::read_exit(process->status.get());
    end_and_tell(shell);
    const auto exit = record ? *record : std::nullopt;
    auto limit = met ? tools::ending_limit(*met, options.limits) : std::nullopt;
    if (!limit && exit) limit = tools::kernel_limit(*exit, options.limits);
    if (!limit && shell.exceeds_quota()) limit = tools::exceeded_quota();
    tell_denials(shell, *process, limit, exit && exit_code(*exit) == 0);
    return exit ? exit_code(*exit) : kNotStarted;
}

}  // namespace

int run(const RunRequest& request) {
    auto options = workspace_options(request.settings);
    if (!options) {
        complain(options.error().text);
        return options.error().is_call ? kUsageError : kNotStarted;
    }
    if (std::exchange(options->read_only, false)) options->shell->read_only = true;
    options->redact_secrets = false;  // what the command prints does not pass here
    options->client = "run";
    const auto workspace = Workspace::open(std::move(*options));
    if (!workspace) {
        complain(workspace.error().message());
        return kNotStarted;
    }
    const auto shell = tools::Session::of(*workspace).shell();
    if (!shell) return explain(shell.error());
    complain_of_home((*shell)->report());
    return run_in(**shell, request.command, *tools::Session::of(*workspace).options().shell);
}

}  // namespace paddock::cli
