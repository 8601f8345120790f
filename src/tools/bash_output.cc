#include <algorithm>

#include <paddock/limits.h>

#include "tools/arguments.h"
#include "tools/command_text.h"
#include "tools/registry.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

Attempt<Answer> run_bash_output(Session& session, const Arguments& arguments, const CallOptions&) {
    const auto shell = session.shell();
    if (!shell) return shell.error();
    const auto job = (*shell)->find(arguments.text("id"));
    if (!job) return job.error();
    const Job::State state = (*job)->state();
    const auto begin = static_cast<std::uint64_t>(arguments.integer("offset"));
    auto part = (*job)->output().part(begin, limits::kCommandShownBytes);
    std::string said = "[" + ending_text(**job, session.options().shell->limits) + "; " +
                       std::to_string(part.total) + " bytes so far";
    if (part.end < part.total || state.running || state.output_open) {
        said += "; continue with offset=" + std::to_string(part.end);
        // What follows may show that the last lines belong to a secret.
        const std::uint64_t shown_end = std::min(begin, part.total) + part.text.size();
        if (shown_end > part.end) {
            said +=
                ", which shows the last " + std::to_string(shown_end - part.end) + " bytes again";
        }
    }
    said += "]" + remarks_text((*shell)->overdue()) +
            denials_text(**job, **shell, session.options().shell->limits);
    return command_answer(std::move(part.text), std::move(said));
}

}  // namespace

const Declaration& bash_output() {
    static const Declaration kTool{
        .name = "bash_output",
        .title = "Read command output",
        .summary = "Read what a command printed, from an offset, while it runs or afterwards.",
        .description =
            "For commands in the background and for output that bash cut. While there is or may be "
            "more, the answer says the offset to continue with; the last bytes of a command that "
            "still prints may turn out to be a secret, and are then shown again.",
        .manners = {.read_only = true, .pace = Pace::kApart, .needs_shell = true},
        .arguments = {{.name = "id",
                       .help = "The command's id, as bash gave it",
                       .required = true,
                       .aliases = {"bash_id", "task_id"}},
                      {.name = "offset",
                       .type = Type::kInteger,
                       .help = "The byte to begin with, counted in what is shown",
                       .usual = 0,
                       .smallest = 0}},
        .errors = {Code::kSandboxUnavailable},
        .example = R"({"id": "b1", "offset": 0})",
        .run = run_bash_output};
    return kTool;
}

}  // namespace paddock::tools
