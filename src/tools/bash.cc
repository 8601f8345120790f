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
    CommandReport report = report_on(*command.job, shell, limits);
    std::string said = "[" + report.ending;
    // File tools know nothing of it: whoever forgets looks for files in the wrong place.
    if (const std::string at = shell.directory(); at != ".") {
        said += "; the next command starts in '" + text::quote_if_needed(at) + "'";
    }
    said += "]" + remarks_text(command.remarks);
    if (!report.result.running && report.output_open) {
        said +=
            "\n[Processes it started still run; what they print is read with bash_output, id '" +
            command.job->id() + "'.]";
    }
    said += consequences_text(report.result);
    Answer answer =
        command_answer(command.job->output().excerpt(limits::kCommandShownBytes, command.job->id()),
                       std::move(said));
    answer.error = report.error;
    answer.command = std::move(report.result);
    return answer;
}

Answer started(const Job& job, const Remarks& remarks) {
    Answer answer =
        text_answer("Started in the background, id '" + job.id() +
                    "'. Read its output with bash_output, send it input with bash_input, end it "
                    "with bash_kill." +
                    remarks_text(remarks));
    answer.command = {.id = job.id(), .running = true};
    return answer;
}

Attempt<Order> order_of(const Session& session, const Arguments& arguments) {
    Order order;
    order.command = arguments.text("command");
    if (order.command.find('\0') != std::string::npos) {
        return Problem(Code::kInvalidArgument, "bash: 'command' contains a NUL byte. Remove it.");
    }
    if (arguments.has("cwd")) {
        const std::string& given = arguments.text("cwd");
        auto directory = session.files_for(given).command_directory(given);
        if (!directory) return directory.error();
        order.directory = std::move(*directory);
    }
    order.has_terminal = arguments.flag("terminal");
    order.has_input = order.has_terminal || arguments.flag("run_in_background");
    order.timeout = std::chrono::milliseconds(arguments.integer("timeout_ms"));
    return order;
}

Attempt<Answer> run_bash(Session& session, const Arguments& arguments, const CallOptions& options) {
    const auto shell = session.shell();
    if (!shell) return shell.error();
    const auto order = order_of(session, arguments);
    if (!order) return order.error();
    const CommandLimits& limits = session.options().shell->limits;
    if (!order->has_input) {
        const auto command = (*shell)->run(*order, options);
        if (!command) return command.error();
        return finished(**shell, *command, limits);
    }
    const auto job = (*shell)->start_in_background(*order);
    if (!job) return job.error();
    return started(**job, (*shell)->overdue());
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
            "Standard input is empty; in the background it is what bash_input sends. Long output "
            "is cut in the middle; bash_output reads the "
            "rest, "
            "up to 16 MB.",
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
                       .aliases = {"background", "is_background"}},
                      {.name = "terminal",
                       .type = Type::kFlag,
                       .help =
                           "Run in the background on a terminal of 120 columns and 40 rows, for "
                           "programs that people talk to; bash_input types",
                       .usual = false,
                       .aliases = {"tty", "pty"}}},
        .errors = {Code::kTimeout, Code::kCancelled, Code::kSandboxUnavailable},
        .example = R"({"command": "wc -l README.md"})",
        .run = run_bash};
    return kTool;
}

}  // namespace paddock::tools
