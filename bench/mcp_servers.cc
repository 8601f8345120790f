#include "mcp_servers.h"

namespace paddock::bench {

std::unique_ptr<Server> Server::start(const Program& program, const std::string& directory) {
    std::vector<char*> words;
    for (const std::string& word : program.words) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    mcp_server server{};
    if (mcp_start(&server, program.transport, directory.c_str(), words.data()) != 0) return nullptr;
    return std::unique_ptr<Server>(new Server(server));
}

Server::~Server() { mcp_stop(&server_); }

std::optional<mcp_figures> Server::load(int calls, int in_flight) {
    mcp_figures figures{};
    if (mcp_load(&server_, calls, in_flight, &figures) != 0) return std::nullopt;
    return figures;
}

std::optional<mcp_memory> Server::memory() const {
    mcp_memory memory{};
    if (mcp_look_at_memory(&server_, &memory) != 0) return std::nullopt;
    return memory;
}

}  // namespace paddock::bench
