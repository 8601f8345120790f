// How a command begins, with its streams or a terminal, and how it is talked to.
#include <algorithm>
#include <csignal>
#include <utility>

#include <paddock/limits.h>

#include "sys/attr.h"
#include "sys/host.h"
#include "sys/open.h"
#include "sys/stream.h"
#include "sys/wait.h"
#include "tools/shell.h"

namespace paddock::tools {
namespace {

// The trap tells where the command ended, also after "exit"; whoever takes the trap away, becomes
// another program by "exec" or fills descriptor 3 leaves the session where it was. A directory that
// is gone has no name, and is told as one outside.
constexpr char kScript[] = "trap '{ pwd -P || echo /; } 2>/dev/null >&3' EXIT; eval \"$1\"";

std::vector<std::string> words_for(const std::string& command) {
    return {"bash", "--noprofile", "--norc", "-c", kScript, "bash", command};
}

// Without a terminal nobody sees a screen or presses a key: by TERM=dumb programs know, and do not
// wait. text::Screen understands the sequences of an xterm.
std::vector<std::string> with_screen(std::string_view terminal, std::vector<std::string> variables,
                                     const ShellOptions& options) {
    const auto& chosen = options.environment;
    const bool is_chosen =
        std::any_of(chosen.begin(), chosen.end(),
                    [](const EnvironmentVariable& own) { return own.name == "TERM"; });
    if (is_chosen) return variables;
    std::erase_if(variables, [](const std::string& each) { return each.starts_with("TERM="); });
    variables.push_back("TERM=" + std::string(terminal));
    return variables;
}

constexpr sandbox::TerminalSize kTerminal{limits::kCommandTerminalRows,
                                          limits::kCommandTerminalColumns};

// For a command that runs in the background.
Done add_input(const Order& order, sandbox::Command& command, Job::Parts& parts) {
    if (!order.has_input) return {};
    PADDOCK_ASSIGN(pipe, sys::pipe());
    PADDOCK_TRY(sys::set_nonblocking(pipe.write.get()));
    // Commands of root run as another user, who opens it as /dev/stdin.
    PADDOCK_TRY(sys::fchmod(pipe.read.get(), 0644));
    command.input = pipe.read.get();
    parts.input = std::move(pipe.write);
    parts.input_reader = std::move(pipe.read);
    return {};
}

// The other end of it, twice.
Done take_terminal(sandbox::Process& process, Job::Parts& parts) {
    PADDOCK_TRY(sys::set_nonblocking(process.terminal.get()));
    PADDOCK_ASSIGN(input, sys::duplicate(process.terminal.get()));
    parts.output = std::move(process.terminal);
    parts.input = std::move(input);
    parts.terminal = text::ScreenSize{kTerminal.rows, kTerminal.columns};
    return {};
}

}  // namespace

// For the journal, which is read by people and tools.
std::string Shell::redacted(std::string text) const {
    if (filter_) filter_->redact(text);
    return text;
}

Attempt<std::shared_ptr<Job>> Shell::launch(const Order& order) {
    const Problem no_descriptors(Code::kLimitReached,
                                 "There are too many open files. Try again later.");
    if (!order.directory) check_directory();
    // The command can open its end for reading as well, and take away what was about to be read.
    auto output = sys::pipe(sys::NeverWaits::kReader);
    auto report = sys::pipe(sys::NeverWaits::kBoth);
    auto wakeup = sys::make_wakeup();
    if (!output || !report || !wakeup) return no_descriptors;
    // Commands of root run as another user, who opens it as /dev/stdout.
    (void)sys::fchmod(output->write.get(), 0622);
    Job::Parts parts;
    parts.directory = order.directory.value_or(warden_.directory());
    parts.output = std::move(output->read);
    parts.report = std::move(report->read);
    parts.wakeup = std::move(*wakeup);
    sandbox::Command command{.arguments = words_for(order.command),
                             .environment = with_screen(order.has_terminal ? "xterm" : "dumb",
                                                        environment_, *options_.shell),
                             .directory = order.directory,
                             .report = report->write.get()};
    if (order.has_terminal) {
        command.terminal = kTerminal;
    } else {
        command.output = command.error = output->write.get();
        if (!add_input(order, command, parts)) return no_descriptors;
    }
    auto process = spawn(std::move(command), redacted(order.command));
    if (!process) return process.error();
    if (order.has_terminal && !take_terminal(*process, parts)) {
        (void)warden_.kill_tree(process->id);
        return no_descriptors;
    }
    parts.process = std::move(*process);
    const std::lock_guard lock(mutex_);
    parts.id = "b" + std::to_string(++jobs_started_);
    auto job = std::make_shared<Job>(std::move(parts), filter_);
    jobs_.push_back({job});
    return job;
}

Attempt<void> Shell::send(Job& job, std::string_view bytes, bool ends) {
    if (!job.state().running) {
        return Problem(Code::kNotFound, "The command '" + job.id() +
                                            "' has ended and reads no more. Start it again.");
    }
    constexpr char kInterrupt = '\003';
    constexpr char kEnd = '\004';
    const auto unable = [&] {
        return Problem(Code::kNotAvailable,
                       "The command '" + job.id() +
                           "' has no input: it was not started in the background, or its input "
                           "was ended. Start it again with run_in_background.");
    };
    const auto write = [&](std::string_view part) -> Attempt<void> {
        const auto sent = job.write_input(part);
        if (!sent) return unable();
        if (*sent == part.size()) return {};
        return Problem(Code::kLimitReached,
                       "The command took " + std::to_string(*sent) + " of " +
                           std::to_string(part.size()) +
                           " bytes: it does not read, and what waits for it is full. See with "
                           "bash_output what it does, and send the rest later.");
    };
    if (job.has_terminal()) return write(std::string(bytes) + (ends ? std::string(1, kEnd) : ""));
    // No terminal makes signals and ends of these.
    while (!bytes.empty()) {
        const std::size_t key = bytes.find_first_of(std::string{kInterrupt, kEnd});
        if (const auto sent = write(bytes.substr(0, key)); !sent) return sent.error();
        if (key == bytes.npos) break;
        if (bytes[key] == kInterrupt) signal(job.process(), SIGINT);
        ends = ends || bytes[key] == kEnd;
        bytes.remove_prefix(key + 1);
    }
    if (ends) job.end_input();
    return {};
}

}  // namespace paddock::tools
