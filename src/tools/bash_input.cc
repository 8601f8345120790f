#include <paddock/limits.h>

#include "text/keys.h"
#include "tools/arguments.h"
#include "tools/registry.h"
#include "tools/session.h"
#include "tools/text_answer.h"

namespace paddock::tools {
namespace {

// The bytes of all keys, in their order. A pipe has no terminal that makes a line feed of "enter".
Attempt<std::string> typed(const std::vector<std::string>& keys, const Job& job) {
    std::string bytes;
    for (const std::string& key : keys) {
        const auto known = text::key_bytes(key, job.output().has_application_keys());
        if (!known) {
            return Problem(Code::kInvalidArgument,
                           "bash_input: there is no such key. Give names of: " +
                               std::string(text::key_names()) + ".");
        }
        bytes += key == "enter" && !job.has_terminal() ? "\n" : *known;
    }
    return bytes;
}

Attempt<Answer> run_bash_input(Session& session, const Arguments& arguments, const CallOptions&) {
    const auto shell = session.shell();
    if (!shell) return shell.error();
    const auto job = (*shell)->find(arguments.text("id"));
    if (!job) return job.error();
    const std::string text = arguments.has("text") ? arguments.text("text") : std::string();
    const auto keys = arguments.has("keys") ? arguments.texts("keys") : std::vector<std::string>();
    const bool ends = arguments.flag("eof");
    if (text.empty() && keys.empty() && !ends) {
        return Problem(Code::kInvalidArgument,
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
            "Its standard input gets them, or its terminal if it was started with terminal. First "
            "'text' is sent, then 'keys', then 'eof'. A line that the command is to read ends with "
            "a line feed or the key enter. Without a terminal ctrl-c interrupts the command and "
            "ctrl-d ends its input.",
        .manners = {.destructive = true,
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
             {.name = "eof", .type = Type::kFlag, .help = "End the input", .usual = false}},
        .errors = {Code::kSandboxUnavailable},
        .example = R"({"id": "b1", "text": "yes", "keys": ["enter"]})",
        .run = run_bash_input};
    return kTool;
}

}  // namespace paddock::tools
