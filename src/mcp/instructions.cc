#include "mcp/instructions.h"

#include "tools/registry.h"
#include "tools/session.h"

namespace paddock::mcp {

std::string instructions_for(const Workspace& workspace) {
    const WorkspaceOptions& options = workspace.session().options();
    std::string text;
    if (options.unconfined) {
        text += "Relative paths begin in the workspace directory.\n";
    } else {
        text +=
            "These tools work in one directory, the workspace, and cannot leave it. Paths are "
            "relative to it ('src/main.c'), or absolute and below it. What leads out, by '..' or "
            "by a link, is refused: path_escape. Do not look for a way around; work inside.\n";
    }
    for (const tools::SessionRoot& root : workspace.session().further_roots()) {
        text += "- Also: " + root.files.shown(".") + (root.opened.read_only ? ", read-only" : "") +
                ". Name what is in it by its absolute path, in tools and commands.\n";
    }
    // The operator may have chosen some tools only.
    const auto has = [&](std::string_view name) {
        return tools::is_listed(*tools::find_tool(name), options);
    };
    if (has("glob") && has("grep")) {
        text += "- Find: glob by name, grep by content";
        if (has("list_directory")) text += ", list_directory for a tree";
        text += ". They pass over hidden files and what .gitignore names unless asked.\n";
    }
    if (has("read_file")) {
        text +=
            "- read_file numbers lines (the numbers are not in the file) and ends with how to read "
            "on.\n";
    }
    if (options.read_only) {
        text += "- Read-only: nothing can be changed, and no command can be run.\n";
    } else if (has("edit_file")) {
        text += options.track_reads
                    ? "- Change: read a file first, else the answer is not_read; stale_read "
                      "means that it has changed since, so read it again. "
                    : "- Change: ";
        text +=
            "edit_file replaces text that occurs exactly once, copied from the file without line "
            "numbers";
        if (has("patch")) text += "; patch changes several files, all or none";
        if (has("write_file")) text += "; write_file makes new ones";
        text += ".\n";
    }
    if (has("bash")) {
        text += "- bash runs commands inside the workspace, with its own /tmp";
        text += options.shell->host_network            ? ". "
                : options.shell->network_allow.empty() ? " and without network. "
                                                       : " and, by HTTP_PROXY, listed hosts. ";
        text += "The directory lasts from call to call, variables do not. ";
        if (has("bash_output") && has("bash_kill")) {
            text +=
                "Run servers and long jobs with run_in_background, then bash_output, bash_input "
                "and bash_kill. ";
        }
        if (has("read_file")) text += "Prefer the file tools over cat, sed and find.";
        text += "\n";
    }
    text +=
        "- Files that hold secrets, git's hooks and the like may be denied or read-only "
        "(denied_by_rule)";
    if (options.redact_secrets) {
        text +=
            ", and secrets in results are replaced by [REDACTED:kind]: never write such a "
            "placeholder back";
    }
    text +=
        ". A result that was cut says so and how to get the rest. Errors begin with a code and end "
        "with what to do next.";
    if (has("workspace_info")) text += " workspace_info tells what is allowed.";
    return text + "\n";
}

}  // namespace paddock::mcp
