// The workspace that is served to an agent, and the walls around the process that serves it.
#pragma once

#include <string>

#include <paddock/sandbox.h>
#include <paddock/workspace.h>

#include "mcp/protocol.h"

namespace paddock::cli {

struct AgentWorkspace {
    std::string root = ".";
    bool read_only = false;
    bool bash = true;
};

// Whoever calls has started us or has our token: there is no need to slow it down.
WorkspaceOptions options_for(const AgentWorkspace& wanted);

// Wall two: from here on nothing outside the workspace can be opened, whatever the tools do wrong.
Result<ConfineReport> confine_to(const Workspace& workspace);

// On standard error, if this workspace should have bash and cannot.
void complain_of_shell(const Workspace& workspace);

// The protocol with the tools of this workspace.
mcp::Methods methods_of(const Workspace& workspace);
mcp::ServerInfo info_of(const Workspace& workspace);

}  // namespace paddock::cli
