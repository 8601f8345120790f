// Servers that a benchmark starts, loads and stops, through the plain client.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcp_client.h"

namespace paddock::bench {

struct Program {
    std::string name;
    mcp_transport transport;
    std::vector<std::string> words;
};

// Those that are compared. There may be no peer.
struct Field {
    Program floor;
    Program ours;
    std::optional<Program> peer;
};

class Server {
public:
    // Returns with the first answer of the tool. nullptr: it does not come.
    static std::unique_ptr<Server> start(const Program& program, const std::string& directory);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Nothing: a call failed.
    std::optional<mcp_figures> load(int calls, int in_flight);
    std::optional<mcp_memory> memory() const;

private:
    explicit Server(const mcp_server& server) : server_(server) {}

    mcp_server server_;
};

}  // namespace paddock::bench
