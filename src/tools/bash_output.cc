#include <paddock/limits.h>

#include "tools/arguments.h"
#include "tools/command_text.h"
#include "tools/registry.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

struct Page {
    std::string text;
    std::string said;  // "; ..."
};

std::string not_kept(std::uint64_t begin, std::uint64_t end) {
    return "; bytes " + std::to_string(begin) + " to " + std::to_string(end) +
           " were not kept, this is what follows";
}

Page news_of(Job& job) {
    Job::News news = job.take_news(limits::kCommandShownBytes);
    Page page{std::move(news.text), "; " + std::to_string(news.total) + " bytes so far"};
    if (news.dropped > 0) {
        page.said +=
            "; " + std::to_string(news.dropped) + " bytes were not kept, this is what follows";
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

Attempt<Answer> run_bash_output(Session& session, const Arguments& arguments, const CallOptions&) {
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
            "For commands in the background and for output that bash cut. Shown is what a terminal "
            "would: progress bars in their last state, no colours. Lines that changed after they "
            "were shown are shown again.",
        .manners = {.read_only = true, .pace = Pace::kApart, .needs_shell = true},
        .arguments = {{.name = "id",
                       .help = "The command's id, as bash gave it",
                       .required = true,
                       .aliases = {"bash_id", "task_id"}},
                      {.name = "offset",
                       .type = Type::kInteger,
                       .help = "The byte to begin with, to read again or in pages; by default "
                               "what is new",
                       .smallest = 0}},
        .errors = {Code::kSandboxUnavailable},
        .example = R"({"id": "b1", "offset": 0})",
        .run = run_bash_output};
    return kTool;
}

}  // namespace paddock::tools
