#include <paddock/limits.h>

#include "text/quote.h"
#include "tools/arguments.h"
#include "tools/command_text.h"
#include "tools/registry.h"
#include "tools/session.h"
#include "tools/text_answer.h"

namespace paddock::tools {
namespace {

Answer finished(const Shell& shell, const Finished& command, const CommandLimits& limits) {
    const Job::State state = command.job->state();
    std::string said = "[" + ending_text(*command.job, limits);
    // File tools know nothing of it: whoever forgets looks for files in the wrong place.
    if (const std::string at = shell.directory(); at != ".") {
        said += "; the next command starts in '" + text::quote_if_needed(at) + "'";
    }
    said += "]" + remarks_text(command.remarks);
    if (!state.running && state.output_open) {
        said +=
            "\n[Processes it started still run; what they print is read with bash_output, id '" +
            command.job->id() + "'.]";
    }
    said += denials_text(*command.job, shell, limits);
    if (state.exit && (state.exit->changes.any() || state.exit->changes.not_kept > 0)) {
        said += "\n" + changes_text(state.exit->changes);
    }
    Answer answer =
        command_answer(command.job->output().excerpt(limits::kCommandShownBytes, command.job->id()),
                       std::move(said));
    answer.error = ending_code(state.ended_by);
    return answer;
}

Attempt<Order> order_of(const Files& files, const Arguments& arguments) {
    Order order;
    order.command = arguments.text("command");
    if (order.command.find('\0') != std::string::npos) {
        return Problem(Code::kInvalidArgument, "bash: 'command' contains a NUL byte. Remove it.");
    }
    if (arguments.has("cwd")) {
        auto directory = files.command_directory(arguments.text("cwd"));
        if (!directory) return directory.error();
        order.directory = std::move(*directory);
    }
    order.timeout = std::chrono::milliseconds(arguments.integer("timeout_ms"));
    return order;
}

Attempt<Answer> run_bash(Session& session, const Arguments& arguments, const CallOptions& options) {
    const auto shell = session.shell();
    if (!shell) return shell.error();
    const auto order = order_of(session.files(), arguments);
    if (!order) return order.error();
    const CommandLimits& limits = session.options().shell->limits;
    if (!arguments.flag("run_in_background")) {
        const auto command = (*shell)->run(*order, options);
        if (!command) return command.error();
        return finished(**shell, *command, limits);
    }
    const auto job = (*shell)->start_in_background(*order);
    if (!job) return job.error();
    return text_answer("Started in the background, id '" + (*job)->id() +
                       "'. Read its output with bash_output, end it with bash_kill." +
                       remarks_text((*shell)->overdue()));
}

}  // namespace

const Declaration& bash() {
    static const Declaration kTool{
        .name = "bash",
        .title = "Run command",
        .summary = "Run a command with bash, confined to the workspace.",
        .description =
            "The kernel keeps the command inside: it sees the workspace, the system's programs, a "
            "private /tmp and home, and its own processes; no network unless the operator gave "
            "one. Directory changes last from one command to the next, variables do not. "
            "Background processes, /tmp and servers on localhost live until the session ends. "
            "Standard input is empty. Long output is cut in the middle; bash_output reads all of "
            "it.",
        .manners = {.destructive = true,
                    .uses_network = true,
                    .pace = Pace::kWaiting,
                    .needs_shell = true},
        .arguments = {{.name = "command",
                       .help = "What to run, as one bash script",
                       .required = true,
                       .aliases = {"cmd", "script"}},
                      {.name = "cwd",
                       .help =
                           "Where to run it, this time; by default where the last command ended",
                       .aliases = {"workdir", "working_directory", "dir_path"}},
                      {.name = "timeout_ms",
                       .type = Type::kInteger,
                       .help = "When to end it, in milliseconds",
                       .usual = limits::kCommandTimeoutMs,
                       .aliases = {"timeout"},
                       .smallest = 1,
                       .largest = limits::kCommandTimeoutMsMax},
                      {.name = "description",
                       .help = "What the command does, for people who look on",
                       .aliases = {}},
                      {.name = "run_in_background",
                       .type = Type::kFlag,
                       .help = "Return at once; no time limit",
                       .usual = false,
                       .aliases = {"background", "is_background"}}},
        .errors = {Code::kTimeout, Code::kCancelled, Code::kSandboxUnavailable},
        .example = R"({"command": "wc -l README.md"})",
        .run = run_bash};
    return kTool;
}

}  // namespace paddock::tools
