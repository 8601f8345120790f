#include "cli/clients.h"

namespace paddock::cli {
namespace {

using ServerWords = std::vector<std::string>;

json::Array array_of(const ServerWords& words) { return {words.begin(), words.end()}; }

json::Object plain(const std::string& program, const ServerWords& words) {
    return {{"command", program}, {"args", array_of(words)}};
}

json::Object typed(const std::string& program, const ServerWords& words) {
    return {{"type", "stdio"}, {"command", program}, {"args", array_of(words)}};
}

// Its own limit ends calls after five minutes; a command may take ten.
json::Object patient(const std::string& program, const ServerWords& words) {
    return {{"command", program}, {"args", array_of(words)}, {"tool_timeout_sec", 660}};
}

json::Object in_one_list(const std::string& program, const ServerWords& words) {
    ServerWords all{program};
    all.insert(all.end(), words.begin(), words.end());
    return {{"type", "local"}, {"command", array_of(all)}, {"enabled", true}};
}

}  // namespace

const std::vector<Client>& clients() {
    // Clients start servers in the project's directory; editors start them elsewhere, and write
    // the directory for us.
    static const std::vector<Client> all{
        {.name = "claude",
         .title = "Claude Code",
         .user = {"CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json"},
         .project_file = ".mcp.json",
         .path = {"mcpServers", "paddock"},
         .root = ".",
         .entry = typed},
        {.name = "codex",
         .title = "Codex",
         .toml = true,
         .user = {"CODEX_HOME", ".codex/config.toml", "config.toml"},
         .project_file = ".codex/config.toml",
         .path = {"mcp_servers", "paddock"},
         .root = ".",
         .entry = patient},
        {.name = "gemini",
         .title = "Gemini CLI",
         .user = {"", ".gemini/settings.json", ""},
         .project_file = ".gemini/settings.json",
         .path = {"mcpServers", "paddock"},
         .root = ".",
         .entry = plain},
        {.name = "opencode",
         .title = "opencode",
         .user = {"XDG_CONFIG_HOME", ".config/opencode/opencode.json", "opencode/opencode.json"},
         .project_file = "opencode.json",
         .path = {"mcp", "paddock"},
         .root = ".",
         .entry = in_one_list},
        {.name = "cursor",
         .title = "Cursor",
         .user = {"", ".cursor/mcp.json", ""},
         .project_file = ".cursor/mcp.json",
         .path = {"mcpServers", "paddock"},
         .root = "${workspaceFolder}",
         .entry = plain},
        {.name = "vscode",
         .title = "VS Code",
         .user = {"XDG_CONFIG_HOME", ".config/Code/User/mcp.json", "Code/User/mcp.json"},
         .project_file = ".vscode/mcp.json",
         .path = {"servers", "paddock"},
         .root = "${workspaceFolder}",
         .entry = typed},
    };
    return all;
}

const Client* find_client(std::string_view name) {
    for (const Client& client : clients()) {
        if (client.name == name) return &client;
    }
    return nullptr;
}

}  // namespace paddock::cli
