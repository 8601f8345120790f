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
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "daemon/guard.h"
#include "mcp/message.h"
#include "mcp/protocol.h"
#include "mcp/request_context.h"
#include "mcp/scheduler.h"
#include "net/answer.h"
#include "net/server.h"

namespace paddock::daemon {

// The sessions of the legacy era: a client gets an id when it initializes, and sends it with
// everything after. Bounded: whoever has been silent for longest makes room.
//
// Threads: all methods may be called from any thread.

class Sessions {
public:
    struct Begun {
        std::string id;  // unguessable, visible ASCII
        std::shared_ptr<mcp::Conversation> conversation;
    };

    explicit Sessions(std::size_t most) : most_(most) {}

    Outcome<Begun> begin(const std::string& caller);
    // nullptr: there is none of that id for this caller.
    std::shared_ptr<mcp::Conversation> find(std::string_view id, std::string_view caller);
    // Cancels what it has under way. False: there is none.
    bool end(std::string_view id, std::string_view caller);
    void end_all();
    std::size_t size() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Session {
        std::shared_ptr<mcp::Conversation> conversation;
        Clock::time_point used;
    };

    void make_room();

    const std::size_t most_;
    mutable std::mutex mutex_;
    std::map<std::string, Session, std::less<>> sessions_;
};

// The HTTP side of one request of MCP: its answer is one JSON document, or a stream of events where
// something is to be told before the answer.
class HttpPeer final : public mcp::Peer {
public:
    struct Parts {
        net::Responder responder;
        mcp::Era era = mcp::Era::kLegacy;
        net::Headers headers{};  // of the response
        net::BodyShare share{};  // of the message, which lives as long as this
    };
    explicit HttpPeer(Parts parts) : parts_(std::move(parts)) {}

    // From now on errors are of the method, not of the request: the legacy era's clients, and the
    // modern ones but for a few codes, look for them in a response that went well.
    void running() noexcept { is_running_ = true; }
    void begin_stream();

    void send(std::string message) override;
    void finish(std::string message, int error) override;
    void drop() override;

    // A notification or a response: taken, and there is nothing to say.
    void accept();

    net::Responder& responder() noexcept { return parts_.responder; }

private:
    unsigned status_for(int error) const noexcept;

    Parts parts_;
    std::atomic<bool> is_running_ = false;

    std::mutex mutex_;
    bool is_streaming_ = false;
};

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
               const std::shared_ptr<mcp::RequestContext>& context, std::uint64_t connection);

    const mcp::Protocol& protocol_;
    const EndpointSettings settings_;
    const BrowserGuard guard_;
    Sessions sessions_;
    std::atomic<bool> is_ready_ = true;
    mcp::Scheduler scheduler_;
};

}  // namespace paddock::daemon
