#include "cli/mcp.h"

#include <unistd.h>

#include <paddock/limits.h>

#include "cli/arguments.h"
#include "cli/terminal.h"
#include "cli/workspace_options.h"
#include "mcp/protocol.h"
#include "mcp/stdio.h"
#include "mcp/tool_host.h"
#include "sys/memory.h"
#include "tools/session.h"

namespace paddock::cli {

// Tools on one page of the list: all of them, since not every client turns the page.
constexpr std::size_t kMcpToolsPerPage = 100;

Result<ConfineReport> confine_to(const Workspace& workspace) {
    if (tools::Session::of(workspace).options().unconfined) return ConfineReport();
    const Access access = workspace.is_read_only() ? Access::kReadOnly : Access::kReadWrite;
    ConfineSpec spec;
    spec.rules = {{tools::Session::of(workspace).files().linkless().fd(), access}};
    for (const tools::SessionRoot& root : tools::Session::of(workspace).further_roots()) {
        spec.rules.push_back({root.opened.linkless.fd(),
                              root.opened.read_only ? Access::kReadOnly : Access::kReadWrite});
    }
    if (const auto shell = tools::Session::of(workspace).shell()) {
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
    const WorkspaceOptions& options = tools::Session::of(workspace).options();
    if (options.read_only) return;
    for (const std::string& line : tools::foreign_files(tools::Session::of(workspace).roots())) {
        complain(line);
    }
    if (!options.shell) return;
    const auto shell = tools::Session::of(workspace).shell();
    if (!shell) {
        complain("bash will refuse every command: " + shell.error().text);
    } else {
        complain_of_home((*shell)->report());
    }
}

void look_ahead(const Workspace& workspace) {
    const auto shell = tools::Session::of(workspace).shell();
    if (shell) (*shell)->look_ahead();
}

void end_commands(const Workspace& workspace) {
    const auto shell = tools::Session::of(workspace).shell();
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
                          kMcpToolsPerPage);
    return methods;
}

mcp::ServerInfo info_of(const Workspace& workspace) {
    return {.name = "paddock",
            .title = "paddock: files, search and a shell in one directory",
            .version = PADDOCK_VERSION,
            .instructions = mcp::instructions_for(workspace),
            .capabilities = {{"tools", json::Object{}}}};
}

namespace {

// For the person at the terminal, or whoever reads the client's log.
void tell_what_is_odd(const Workspace& workspace) {
    if (is_terminal(STDIN_FILENO)) {
        complain("waiting for messages of an agent on standard input; press Ctrl-D to end");
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
        [&workspace](std::string_view name) { tools::Session::of(*workspace).meet_client(name); });
    sys::release_program();
    const mcp::StdioServed served = server->serve(protocol);
    end_commands(*workspace);
    if (!served.is_clean) ::_exit(0);
    return 0;
}

namespace {

class McpParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        options_.declare(parser, {"workspace.", "paths.", "secrets.", "limits.", "bash."});
    }

    Request finish(Parser& parser) override { return McpRequest{options_.take(parser)}; }

private:
    SettingOptions options_;
};

}  // namespace

Command mcp_command() {
    return {
        {.name = "mcp",
         .summary = "Serve a workspace to an agent: MCP on standard input and output.",
         .description =
             "An agent starts this server and talks to it in the Model Context Protocol, one "
             "message per line. It supports revision 2026-07-28, and 2025-11-25, 2025-06-18, "
             "2025-03-26 and 2024-11-05. Commands run in their own sandbox. The server itself is "
             "confined too, before it reads the first message: the kernel lets it open nothing "
             "outside the workspace. The server ends with its input, with the process that started "
             "it, or on a signal. Every process of the session ends with it. The roots that a "
             "client announces are ignored.",
         .examples = {"paddock mcp --root ~/project", "paddock mcp --root ~/project --read-only",
                      "claude mcp add paddock -- paddock mcp --root ."},
         .no = "the workspace cannot be opened, or the kernel cannot confine the server"},
        [] { return std::make_unique<McpParser>(); }};
}

}  // namespace paddock::cli
