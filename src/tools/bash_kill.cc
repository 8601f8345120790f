#include "tools/arguments.h"
#include "tools/command_text.h"
#include "tools/registry.h"
#include "tools/session.h"
#include "tools/text_answer.h"

namespace paddock::tools {
namespace {

Attempt<Answer> run_bash_kill(Session& session, const Arguments& arguments, const CallOptions&) {
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
        .manners = {.destructive = true,
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
