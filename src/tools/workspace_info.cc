#include "tools/arguments.h"
#include "tools/foreign_files.h"
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

std::string about_commands(const ShellOptions& shell) {
    std::string text = "Commands: ";
    if (shell.host_network) {
        text += "the host's network";
    } else if (shell.network_allow.empty()) {
        text += "no network but their own loopback";
    } else {
        text += "by HTTP_PROXY";
        for (const std::string& host : shell.network_allow) {
            text += (&host == &shell.network_allow.front() ? " " : ", ") + host;
        }
        text += ", no other network";
    }
    for (const std::string& port : shell.publish) {
        text += port == "auto" ? "; the user reaches servers that they start"
                               : "; the user reaches servers at port " + port;
    }
    if (shell.read_only) text += "; files cannot be changed";
    return text + "; at most " + std::to_string(shell.limits.processes) + " processes, " +
           std::to_string(shell.limits.memory_bytes >> 20) + " MB of memory, " +
           std::to_string(limits::kCommandTimeoutMs / 1000) +
           " s unless timeout_ms says more (up to " +
           std::to_string(limits::kCommandTimeoutMsMax / 1000) + " s).\n";
}

Attempt<Answer> run_workspace_info(Session& session, const Arguments&, const CallOptions&) {
    const WorkspaceOptions& options = session.options();
    const auto& further = session.further_roots();
    std::string text = options.unconfined
                           ? "Paths resolve as the operating system does; relative ones begin in "
                             "the workspace.\n"
                       : further.empty() ? "All paths are below the workspace root, '.'. Nothing "
                                           "else is reachable.\n"
                                         : "Relative paths are below the workspace root, '.'.\n";
    for (const SessionRoot& root : further) {
        text += "Also reachable, by its absolute path: " + root.files.shown(".") +
                (root.opened.read_only ? " (read-only).\n" : " (read and change).\n");
    }
    text += options.read_only ? "Files can be read, not changed.\n"
                              : "Files can be read and changed.\n";
    if (options.track_reads && !options.read_only) {
        text += "An existing file must be read before it is changed.\n";
    }
    if (options.redact_secrets) text += "Secrets in results appear as [REDACTED:kind].\n";
    if (options.default_rules) {
        text +=
            "Files that usually hold secrets (.env, *.pem, id_rsa, ...) are denied if they were "
            "there before; what git, shells, editors and agents obey (.git/config, .git/hooks, "
            ".bashrc, .vscode, .mcp.json, .claude, ...) is read-only.\n";
    }
    if (options.shell && !options.read_only) {
        if (options.unconfined) text += "Commands stay in the workspace.\n";
        text += about_commands(*options.shell);
    }
    for (const std::string& line : foreign_files(session.roots())) text += line + "\n";
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
        .summary = "What this workspace allows: mode, protected paths, commands, tools.",
        .description = "Call it once when unsure what can be done here.",
        .manners = {.read_only = true, .idempotent = true, .pace = Pace::kApart},
        .arguments = {},
        .example = R"({})",
        .run = run_workspace_info};
    return kTool;
}

}  // namespace paddock::tools
