#include "cli/agent_workspace.h"

#include <paddock/limits.h>

#include "cli/ending.h"
#include "cli/terminal.h"
#include "mcp/instructions.h"
#include "mcp/workspace_tools.h"
#include "tools/foreign_files.h"
#include "tools/session.h"

namespace paddock::cli {

Result<ConfineReport> confine_to(const Workspace& workspace) {
    if (workspace.session().options().unconfined) return ConfineReport();
    const Access access = workspace.is_read_only() ? Access::kReadOnly : Access::kReadWrite;
    ConfineSpec spec;
    spec.rules = {{workspace.session().files().linkless().fd(), access}};
    for (const tools::SessionRoot& root : workspace.session().further_roots()) {
        spec.rules.push_back({root.opened.linkless.fd(),
                              root.opened.read_only ? Access::kReadOnly : Access::kReadWrite});
    }
    if (const auto shell = workspace.session().shell()) {
        if (const int parent = (*shell)->cgroup_parent(); parent >= 0) {
            spec.rules.push_back({parent, Access::kRemoveDirectories});
        }
        // To measure it.
        if (const int home = (*shell)->home(); home >= 0) {
            spec.rules.push_back({home, Access::kReadOnly});
        }
    }
    return confine_self(spec);
}

void complain_of_home(const ShellReport& report) {
    if (report.scratch_home_reason.empty()) return;
    complain("the home of commands ends with this session: " + report.scratch_home_reason);
}

void complain_of_workspace(const Workspace& workspace) {
    const WorkspaceOptions& options = workspace.session().options();
    if (options.read_only) return;
    for (const std::string& line : tools::foreign_files(workspace.session().roots())) {
        complain(line);
    }
    if (!options.shell) return;
    const auto shell = workspace.session().shell();
    if (!shell) {
        complain("bash will refuse every command: " + shell.error().text);
    } else {
        complain_of_home((*shell)->report());
    }
}

void look_ahead(const Workspace& workspace) {
    const auto shell = workspace.session().shell();
    if (shell) (*shell)->look_ahead();
}

void end_commands(const Workspace& workspace) {
    const auto shell = workspace.session().shell();
    if (!shell) return;
    for (const std::string& line : (*shell)->end().lines) complain(line);
}

int refuse_to_serve(const Error& error) {
    complain(error.message());
    return kRefused;
}

mcp::Methods methods_of(const Workspace& workspace) {
    mcp::Methods methods;
    mcp::add_tool_methods(methods, std::make_shared<mcp::WorkspaceTools>(workspace),
                          limits::kMcpToolsPerPage);
    return methods;
}

mcp::ServerInfo info_of(const Workspace& workspace) {
    return {.name = "paddock",
            .title = "paddock: files, search and a shell in one directory",
            .version = PADDOCK_VERSION,
            .instructions = mcp::instructions_for(workspace),
            .capabilities = {{"tools", json::Object{}}}};
}

}  // namespace paddock::cli
