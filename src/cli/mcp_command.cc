#include "cli/mcp_command.h"

#include "cli/setting_options.h"

namespace paddock::cli {
namespace {

class McpForm final : public Form {
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
             "An agent starts this and speaks the Model Context Protocol with it, one message a "
             "line: revision 2026-07-28, or one of 2025-11-25, 2025-06-18, 2025-03-26 and "
             "2024-11-05. Commands run in a sandbox of their own. The server itself is "
             "confined too, before it reads the first message: the kernel lets it open nothing "
             "outside the workspace. It ends with its input, with the process that started it, "
             "and on a signal; every process of the session ends with it. "
             "What a client says of its roots changes nothing.",
         .examples = {"paddock mcp --root ~/project", "paddock mcp --root ~/project --read-only",
                      "claude mcp add paddock -- paddock mcp --root ."},
         .no = "the workspace cannot be opened, or the kernel cannot confine the server"},
        [] { return std::make_unique<McpForm>(); }};
}

}  // namespace paddock::cli
