// Serves a workspace on standard input and output. Nothing but the protocol goes to standard
// output.
#pragma once

#include <paddock/sandbox.h>
#include <paddock/shell.h>
#include <paddock/workspace.h>

#include "cli/arguments.h"
#include "cli/parser.h"
#include "mcp/protocol.h"

namespace paddock::cli {

// The workspace that is served to an agent, and the walls around the process that serves it.

// Wall two: from here on nothing outside the workspace can be opened, whatever the tools do wrong.
// Where the operator lets paths lead outside there is none.
Result<ConfineReport> confine_to(const Workspace& workspace);

// On standard error: this workspace should have bash and cannot; files of other users.
void complain_of_workspace(const Workspace& workspace);

// The same, if its home should last and cannot.
void complain_of_home(const ShellReport& report);

// Once confined: looks for what commands must not see, before the first one is run.
void look_ahead(const Workspace& workspace);

// Ends every command, and tells on standard error what there is to say.
void end_commands(const Workspace& workspace);

// Says why on standard error; the exit code.
int refuse_to_serve(const Error& error);

// The protocol with the tools of this workspace.
mcp::Methods methods_of(const Workspace& workspace);
mcp::ServerInfo info_of(const Workspace& workspace);

int run(const McpRequest& request);

// mcp: the words of the command that serves a workspace to an agent.
Command mcp_command();

}  // namespace paddock::cli
