// Where the messages of one request go: the pipe of a process, or the response of an HTTP request.
#pragma once

#include <string>

namespace paddock::mcp {

// Each text is one JSON-RPC message without a line end. May be called from any thread.
class Peer {
public:
    Peer() = default;
    virtual ~Peer() = default;
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;

    // A notification, or a request to the client. Must not wait: where there is no room it is
    // dropped.
    virtual void send(std::string message) = 0;

    // The answer to the request, after which nothing follows. `error` is its code, 0 for a result.
    // May wait until there is room.
    virtual void finish(std::string message, int error) = 0;

    // The request was cancelled: there is no answer.
    virtual void drop() = 0;
};

}  // namespace paddock::mcp
