#include "cli/agent_workspace.h"

#include <paddock/limits.h>

#include "cli/ending.h"
#include "cli/terminal.h"
#include "mcp/instructions.h"
#include "mcp/workspace_tools.h"
#include "tools/session.h"

namespace paddock::cli {

Result<ConfineReport> confine_to(const Workspace& workspace) {
    if (workspace.session().options().unconfined) return ConfineReport();
    const Access access = workspace.is_read_only() ? Access::kReadOnly : Access::kReadWrite;
    ConfineSpec spec;
    spec.rules = {{workspace.session().files().linkless().fd(), access}};
    if (const auto shell = workspace.session().shell()) {
        if (const int parent = (*shell)->cgroup_parent(); parent >= 0) {
            spec.rules.push_back({parent, Access::kRemoveDirectories});
        }
    }
    return confine_self(spec);
}

void complain_of_shell(const Workspace& workspace) {
    const WorkspaceOptions& options = workspace.session().options();
    if (!options.shell || options.read_only) return;
    if (const auto shell = workspace.session().shell(); !shell) {
        complain("bash will refuse every command: " + shell.error().text);
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
