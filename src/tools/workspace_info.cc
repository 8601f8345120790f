#include "tools/arguments.h"
#include "tools/registry.h"
#include "tools/session.h"
#include "tools/text_answer.h"

namespace paddock::tools {
namespace {

std::string access_name(PathAccess access) {
    switch (access) {
        case PathAccess::kAllow: return "allowed";
        case PathAccess::kReadOnly: return "read-only";
        case PathAccess::kDeny: return "denied";
    }
    return {};
}

Attempt<Answer> run_workspace_info(Session& session, const Arguments&, const CallOptions&) {
    const WorkspaceOptions& options = session.options();
    std::string text = options.unconfined
                           ? "Paths resolve as the operating system does; relative ones begin in "
                             "the workspace.\n"
                           : "All paths are below the workspace root, '.'. Nothing else is "
                             "reachable.\n";
    text += options.read_only ? "Files can be read, not changed.\n"
                              : "Files can be read and changed.\n";
    if (options.track_reads && !options.read_only) {
        text += "An existing file must be read before it is changed.\n";
    }
    if (options.redact_secrets) text += "Secrets in results appear as [REDACTED:kind].\n";
    if (options.default_rules) {
        text +=
            "Files that usually hold secrets (.env, *.pem, id_rsa, ...) are denied; .git/hooks and "
            ".git/config are read-only.\n";
    }
    if (options.unconfined && options.shell && !options.read_only) {
        text += "Commands stay in the workspace.\n";
    }
    for (const PathRule& rule : options.rules) {
        text += "Rule: " + rule.pattern + " is " + access_name(rule.access) + ".\n";
    }
    text += "Tools:";
    for (const Declaration* tool : all_tools()) {
        if (!is_listed(*tool, options)) continue;
        text += " " + std::string(tool->name);
    }
    return text_answer(std::move(text));
}

}  // namespace

const Declaration& workspace_info() {
    static const Declaration kTool{
        .name = "workspace_info",
        .title = "Workspace information",
        .summary = "What this workspace allows: mode, protected paths, tools.",
        .description = "Call it once when unsure what can be done here.",
        .manners = {.read_only = true, .idempotent = true, .pace = Pace::kQuick},
        .arguments = {},
        .example = R"({})",
        .run = run_workspace_info};
    return kTool;
}

}  // namespace paddock::tools
