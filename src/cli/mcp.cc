#include "cli/mcp.h"

#include <unistd.h>

#include "cli/agent_workspace.h"
#include "cli/terminal.h"
#include "cli/workspace_options.h"
#include "mcp/stdio.h"
#include "sys/memory.h"
#include "tools/session.h"

namespace paddock::cli {
namespace {

// For the person at the terminal, or whoever reads the client's log.
void tell_what_is_odd(const Workspace& workspace) {
    if (is_terminal(STDIN_FILENO)) {
        complain("waits for the messages of an agent on standard input; Ctrl-D ends it");
    }
    complain_of_workspace(workspace);
}

}  // namespace

int run(const McpRequest& request) {
    auto setup = session_configuration(request.settings);
    if (!setup) {
        complain(setup.error().text);
        return setup.error().exit_code;
    }
    setup->workspace.client = "mcp";
    auto workspace = Workspace::open(std::move(setup->workspace));
    if (!workspace) return refuse_to_serve(workspace.error());
    tell_what_is_odd(*workspace);
    auto server = mcp::StdioServer::prepare();
    if (!server) return refuse_to_serve(as_error(server.error(), "serve", {}));
    const auto report = confine_to(*workspace);
    if (!report) return refuse_to_serve(report.error());
    look_ahead(*workspace);

    const mcp::Protocol protocol(
        info_of(*workspace), methods_of(*workspace),
        [&workspace](std::string_view name) { workspace->session().meet_client(name); });
    sys::release_program();
    const mcp::StdioServed served = server->serve(protocol);
    end_commands(*workspace);
    if (!served.is_clean) ::_exit(0);
    return 0;
}

}  // namespace paddock::cli
