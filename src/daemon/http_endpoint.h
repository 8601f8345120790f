// MCP over Streamable HTTP, both eras on one path, and the two questions that a supervisor asks.
//
//   POST /mcp      a message; JSON or events come back
//   DELETE /mcp    ends a session of the legacy era
//   GET /healthz   200 while the process answers
//   GET /readyz    200 while it takes requests
//
// Promise: without the token nothing but the two questions is answered, and no body is taken in; a
// web page of a foreign origin, or one that reached the server under a foreign name, gets a 403. In
// the modern era a request whose response stream is closed is cancelled.
//
// One session, and in the modern era one connection, gets no more than its share of the threads.
//
// State: none belongs to a connection. Whoever has the token shares one workspace session, its read
// tracker and its shell (docs/decisions/0002).
//
// Threads: handlers() may be called in any number of them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/browser_guard.h"
#include "daemon/http_peer.h"
#include "daemon/sessions.h"
#include "mcp/lanes.h"
#include "mcp/protocol.h"
#include "net/server.h"

namespace paddock::daemon {

struct EndpointSettings {
    std::string address = "127.0.0.1";  // that the server is bound to
    std::string token{};                // empty: nobody is asked for one
    std::vector<std::string> allowed_hosts{};
    std::vector<std::string> allowed_origins{};
};

class HttpEndpoint {
public:
    // `protocol` must outlive it.
    HttpEndpoint(const mcp::Protocol& protocol, EndpointSettings settings);
    ~HttpEndpoint() = default;
    HttpEndpoint(const HttpEndpoint&) = delete;
    HttpEndpoint& operator=(const HttpEndpoint&) = delete;

    // For net::Server::start. The endpoint must live until its stop() has returned.
    net::Handlers handlers();

    // From now on new messages are refused, on the connections that are still there; what is under
    // way goes on while the server drains.
    void prepare_to_end() noexcept { is_ready_ = false; }
    // After the server has stopped: cancels what is left and waits for it. False: something still
    // runs, and the process must leave without cleaning up.
    bool end(std::chrono::milliseconds patience);

private:
    struct Call;

    std::optional<net::Response> admit(const net::Head& head) const;
    std::optional<net::Response> admit_message(const net::Head& head) const;
    void serve(net::Request request, net::Responder responder);
    void serve_message(net::Request request, net::Responder responder);
    void end_session(const net::Head& head, net::Responder responder);

    void take(const std::shared_ptr<Call>& call);
    std::shared_ptr<mcp::Conversation> conversation_of(Call& call);
    void start(const std::shared_ptr<HttpPeer>& peer,
               const std::shared_ptr<mcp::Exchange>& exchange, std::uint64_t connection);

    const mcp::Protocol& protocol_;
    const EndpointSettings settings_;
    const BrowserGuard guard_;
    Sessions sessions_;
    std::atomic<bool> is_ready_ = true;
    mcp::Lanes lanes_;
};

}  // namespace paddock::daemon
