#include <paddock/limits.h>

#include "text/keys.h"
#include "text/names.h"
#include "tools/answer.h"
#include "tools/call.h"
#include "tools/command_text.h"
#include "tools/declaration.h"
#include "tools/session.h"

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
            "\n[Processes that it started are still running; read their output with bash_output, "
            "id '" +
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

Result<Order> order_of(const Session& session, const Arguments& arguments) {
    Order order;
    order.command = arguments.text("command");
    if (order.command.find('\0') != std::string::npos) {
        return tool_error(Code::kInvalidArgument,
                          "bash: 'command' contains a NUL byte. Remove it.");
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

Result<Answer> run_bash(Session& session, const Arguments& arguments, const CallOptions& options) {
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
            "private /tmp and home, and its own processes; no network unless the operator allowed "
            "it. Directory changes last from one command to the next, variables do not. Background "
            "processes, /tmp and servers on localhost live until the session ends. Standard input "
            "is empty; in the background, bash_input supplies it. Long output is cut in the "
            "middle; bash_output reads the rest, up to 16 MB.",
        .traits = {.destructive = true,
                   .uses_network = true,
                   .pace = Pace::kWaiting,
                   .needs_shell = true},
        .arguments =
            {{.name = "command",
              .help = "The command, as one bash script",
              .required = true,
              .aliases = {"cmd", "script"}},
             {.name = "cwd",
              .help =
                  "The directory for this command; by default the one where the last command ended",
              .aliases = {"workdir", "working_directory", "dir_path"}},
             {.name = "timeout_ms",
              .type = Type::kInteger,
              .help = "Time limit in milliseconds",
              .default_value = limits::kCommandTimeoutMs,
              .aliases = {"timeout"},
              .smallest = 1,
              .largest = limits::kCommandTimeoutMsMax},
             {.name = "description",
              .help = "A short description of the command, for people who watch",
              .aliases = {}},
             {.name = "run_in_background",
              .type = Type::kFlag,
              .help = "Return at once; no time limit",
              .default_value = false,
              .aliases = {"background", "is_background"}},
             {.name = "terminal",
              .type = Type::kFlag,
              .help = "Run in the background on a terminal (120 columns, 40 rows), for interactive "
                      "programs; type with bash_input",
              .default_value = false,
              .aliases = {"tty", "pty"}}},
        .errors = {Code::kTimeout, Code::kCancelled, Code::kSandboxUnavailable},
        .example = R"({"command": "wc -l README.md"})",
        .run = run_bash};
    return kTool;
}

namespace {

// The bytes of all keys, in their order. A pipe has no terminal that makes a line feed of "enter".
Result<std::string> typed(const std::vector<std::string>& keys, const Job& job) {
    std::string bytes;
    for (const std::string& key : keys) {
        const auto known = text::key_bytes(key, job.output().has_application_keys());
        if (!known) {
            return tool_error(Code::kInvalidArgument, "bash_input: unknown key. Use these names: " +
                                                          std::string(text::key_names()) + ".");
        }
        bytes += key == "enter" && !job.has_terminal() ? "\n" : *known;
    }
    return bytes;
}

Result<Answer> run_bash_input(Session& session, const Arguments& arguments, const CallOptions&) {
    const auto shell = session.shell();
    if (!shell) return shell.error();
    const auto job = (*shell)->find(arguments.text("id"));
    if (!job) return job.error();
    const std::string text = arguments.has("text") ? arguments.text("text") : std::string();
    const auto keys = arguments.has("keys") ? arguments.texts("keys") : std::vector<std::string>();
    const bool ends = arguments.flag("eof");
    if (text.empty() && keys.empty() && !ends) {
        return tool_error(Code::kInvalidArgument,
                          "bash_input: nothing to send. Give 'text', 'keys' or 'eof'.");
    }
    const auto bytes = typed(keys, **job);
    if (!bytes) return bytes.error();
    const std::string all = text + *bytes;
    if (const auto sent = (*shell)->send(**job, all, ends); !sent) return sent.error();
    return text_answer("Sent " + std::to_string(all.size()) + " bytes" +
                       (ends ? " and the end of the input" : "") + " to '" + (*job)->id() +
                       "'. Read what it prints with bash_output.");
}

}  // namespace

const Declaration& bash_input() {
    static const Declaration kTool{
        .name = "bash_input",
        .title = "Send input",
        .summary = "Send text or keys to a command that runs in the background.",
        .description =
            "They go to its standard input, or to its terminal if it was started with terminal. "
            "'text' is sent first, then 'keys', then 'eof'. End a line with a line feed or the key "
            "enter. Without a terminal ctrl-c interrupts the command and ctrl-d ends its input.",
        .traits = {.destructive = true,
                   .uses_network = true,
                   .pace = Pace::kApart,
                   .needs_shell = true},
        .arguments =
            {{.name = "id",
              .help = "The command's id, as bash gave it",
              .required = true,
              .aliases = {"bash_id", "task_id", "shell_id"}},
             {.name = "text", .help = "Text to send, unchanged", .aliases = {"input"}},
             {.name = "keys",
              .type = Type::kTexts,
              .help = "Keys to press, such as enter, tab, escape, up, page-down, f1, ctrl-c",
              .smallest = 1,
              .largest = limits::kInputKeysMax},
             {.name = "eof", .type = Type::kFlag, .help = "End the input", .default_value = false}},
        .errors = {Code::kSandboxUnavailable},
        .example = R"({"id": "b1", "text": "yes", "keys": ["enter"]})",
        .run = run_bash_input};
    return kTool;
}

namespace {

struct Page {
    std::string text;
    std::string said;  // "; ..."
};

std::string not_kept(std::uint64_t begin, std::uint64_t end) {
    return "; bytes " + std::to_string(begin) + " to " + std::to_string(end) +
           " were not kept; the output after them is shown";
}

Page news_of(Job& job) {
    Job::News news = job.take_news(limits::kCommandShownBytes);
    Page page{std::move(news.text), "; " + std::to_string(news.total) + " bytes so far"};
    if (news.dropped > 0) {
        page.said += "; " + std::to_string(news.dropped) +
                     " bytes were not kept; the output after them is shown";
    }
    if (news.left > 0) {
        page.said += "; call again for the next of " + std::to_string(news.left) + " more";
    } else if (page.text.empty()) {
        page.said += ", nothing new";
    }
    return page;
}

Page page_from(std::uint64_t begin, const Job& job) {
    const Job::State state = job.state();
    KeptOutput::Part part = job.output().part(begin, limits::kCommandShownBytes);
    std::string said = "; " + std::to_string(part.total) + " bytes so far";
    if (part.begin > begin) said += not_kept(begin, part.begin);
    if (part.end < part.total || state.running || state.output_open) {
        said += "; continue with offset=" + std::to_string(part.end);
        // These lines may still change, or what follows may show that they belong to a secret.
        const std::uint64_t shown_end = part.begin + part.text.size();
        if (shown_end > part.end) {
            said +=
                ", which shows the last " + std::to_string(shown_end - part.end) + " bytes again";
        }
    }
    return {std::move(part.text), std::move(said)};
}

Result<Answer> run_bash_output(Session& session, const Arguments& arguments, const CallOptions&) {
    const auto shell = session.shell();
    if (!shell) return shell.error();
    const auto job = (*shell)->find(arguments.text("id"));
    if (!job) return job.error();
    const CommandLimits& limits = session.options().shell->limits;
    // Before the output, which is then complete if it says that the command has ended.
    CommandReport report = report_on(**job, **shell, limits);
    Page page = arguments.has("offset")
                    ? page_from(static_cast<std::uint64_t>(arguments.integer("offset")), **job)
                    : news_of(**job);
    Answer answer = command_answer(std::move(page.text), "[" + report.ending + page.said + "]" +
                                                             remarks_text((*shell)->overdue()) +
                                                             consequences_text(report.result));
    answer.command = std::move(report.result);
    return answer;
}

}  // namespace

const Declaration& bash_output() {
    static const Declaration kTool{
        .name = "bash_output",
        .title = "Read command output",
        .summary = "Read what a command has printed since the last call, or from an offset.",
        .description =
            "For commands in the background and for output that bash cut. The output looks as on a "
            "terminal, without colours: progress bars appear in their last state. Lines that "
            "changed since they were shown are shown again.",
        .traits = {.read_only = true, .pace = Pace::kApart, .needs_shell = true},
        .arguments =
            {{.name = "id",
              .help = "The command's id, as bash gave it",
              .required = true,
              .aliases = {"bash_id", "task_id"}},
             {.name = "offset",
              .type = Type::kInteger,
              .help = "The byte to start at, to read again or in pages; by default only new output",
              .smallest = 0}},
        .errors = {Code::kSandboxUnavailable},
        .example = R"({"id": "b1", "offset": 0})",
        .run = run_bash_output};
    return kTool;
}

namespace {

Result<Answer> run_bash_kill(Session& session, const Arguments& arguments, const CallOptions&) {
    const auto shell = session.shell();
    if (!shell) return shell.error();
    const auto ended = (*shell)->kill(arguments.text("id"));
    if (!ended) return ended.error();
    CommandReport report = report_on(*ended->job, **shell, session.options().shell->limits);
    Answer answer = text_answer("[" + report.ending + "]" + remarks_text(ended->remarks) +
                                consequences_text(report.result));
    answer.command = std::move(report.result);
    return answer;
}

}  // namespace

const Declaration& bash_kill() {
    static const Declaration kTool{
        .name = "bash_kill",
        .title = "End command",
        .summary = "End a command and all processes that it started.",
        .description = "What it printed can still be read with bash_output.",
        .traits = {.destructive = true,
                   .idempotent = true,
                   .pace = Pace::kApart,
                   .needs_shell = true},
        .arguments = {{.name = "id",
                       .help = "The command's id, as bash gave it",
                       .required = true,
                       .aliases = {"bash_id", "task_id", "shell_id"}}},
        .errors = {Code::kSandboxUnavailable},
        .example = R"({"id": "b1"})",
        .run = run_bash_kill};
    return kTool;
}

}  // namespace paddock::tools
