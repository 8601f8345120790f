#include "cli/mcp.h"

#include <unistd.h>

#include <paddock/sandbox.h>
#include <paddock/workspace.h>

#include "cli/git_excludes.h"
#include "cli/host_environment.h"
#include "cli/terminal.h"
#include "mcp/instructions.h"
#include "mcp/protocol.h"
#include "mcp/stdio.h"
#include "mcp/workspace_tools.h"
#include "tools/session.h"

namespace paddock::cli {
namespace {

// Whoever writes to our input has started us: there is no need to slow it down.
WorkspaceOptions options_for(const McpRequest& request) {
    WorkspaceOptions options;
    options.root = request.root;
    options.read_only = request.read_only;
    options.ignore_rules = git_excludes();
    options.limits.calls_per_second.reset();
    if (request.bash) {
        options.shell.emplace();
        options.host_environment = host_environment();
    }
    return options;
}

// Wall two: from here on nothing outside the workspace can be opened, whatever the tools do wrong.
Result<ConfineReport> confine_to(const Workspace& workspace) {
    const Access access = workspace.is_read_only() ? Access::kReadOnly : Access::kReadWrite;
    ConfineSpec spec;
    spec.rules = {{workspace.session().files().linkless().fd(), access}};
    return confine_self(spec);
}

mcp::ServerInfo info_of(const Workspace& workspace) {
    return {.name = "paddock",
            .title = "paddock: files, search and a shell in one directory",
            .version = PADDOCK_VERSION,
            .instructions = mcp::instructions_for(workspace),
            .capabilities = {{"tools", json::Object{}}}};
}

int refuse(const Error& error) {
    complain(error.message());
    return kRefused;
}

}  // namespace

int run(const McpRequest& request) {
    auto workspace = Workspace::open(options_for(request));
    if (!workspace) return refuse(workspace.error());
    auto server = mcp::StdioServer::prepare();
    if (!server) return refuse(as_error(server.error(), "serve", {}));
    const auto report = confine_to(*workspace);
    if (!report) return refuse(report.error());

    mcp::Methods methods;
    mcp::add_tool_methods(methods, std::make_shared<mcp::WorkspaceTools>(*workspace),
                          limits::kMcpToolsPerPage);
    const mcp::Protocol protocol(info_of(*workspace), std::move(methods));
    const mcp::StdioServed served = server->serve(protocol);
    // The warden notices, and ends what is left.
    if (!served.is_clean) ::_exit(0);
    return 0;
}

}  // namespace paddock::cli
