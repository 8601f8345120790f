// The protocol, whatever carries it: takes in messages and has them answered by the methods of a
// table.
//
//   Protocol protocol(info, std::move(methods));
//   if (auto exchange = protocol.accept(parse_message(text), arrival)) {
//       const Pace pace = protocol.pace(*exchange);
//       // Here and now, unless it is a call of a tool and lanes.is_changing().
//       if (pace == Pace::kQuick && protocol.run_if_quick(exchange)) return;
//       if (auto full = lanes.submit(pace, ...)) protocol.refuse(*exchange, *full);
//   }
//
// Promise: each request with an id that can be read is answered exactly once, or, if the client
// cancelled it, not at all.
//
// Threads: all methods may be called from any thread at any time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "json/value.h"
#include "mcp/conversation.h"
#include "mcp/exchange.h"
#include "mcp/methods.h"
#include "mcp/peer.h"

namespace paddock::mcp {

struct ServerInfo {
    std::string name;
    std::string title;
    std::string version;
    std::string instructions;     // for the model
    json::Object capabilities{};  // as both eras declare them
};

// How a message came.
struct Arrival {
    std::shared_ptr<Conversation> conversation;
    std::shared_ptr<Peer> peer;
    // What the transport knows: a header of HTTP said the revision. A modern one makes "_meta"
    // compulsory; nothing: only the message tells.
    std::optional<Era> announced{};
};

class Protocol {
public:
    // Gets the name that a client gives itself, with each request that says one. From any thread.
    using MeetClient = std::function<void(std::string_view name)>;

    // "initialize", "ping", "server/discover" and "subscriptions/listen" are added to the table
    // unless it has its own.
    Protocol(ServerInfo info, Methods methods, MeetClient meet_client = {});
    ~Protocol() = default;
    Protocol(const Protocol&) = delete;
    Protocol& operator=(const Protocol&) = delete;

    // The request that is to be run, or nothing: then all is done. The peer hears of what is wrong.
    std::shared_ptr<Exchange> accept(Message message, const Arrival& arrival) const;

    tools::Pace pace(const Exchange& exchange) const;
    void run(const std::shared_ptr<Exchange>& exchange) const;
    // For what should be quick. False: it is not, and is still to be run, by another thread.
    bool run_if_quick(const std::shared_ptr<Exchange>& exchange) const;
    // Too much is under way: `full` says which bound was reached.
    void refuse(Exchange& exchange, std::string_view full) const;

    // Of an exchange that was left open.
    void succeed(Exchange& exchange) const { exchange.succeed(server_info_); }

private:
    void answer(Exchange& exchange, const Handled& handled) const;
    Handled initialize(Exchange& exchange) const;
    Handled discover(Exchange& exchange) const;
    void meet(const json::Value* client_info) const;
    void notice(const Message& message, Conversation& conversation) const;

    const ServerInfo info_;
    Methods methods_;
    const MeetClient meet_client_;
    std::string server_info_;  // JSON text
};

// The era that a message belongs to.
Era era_of(const Message& message, std::optional<Era> announced) noexcept;

// How long the modern era's clients may keep this result, which must be of "server/discover", a
// list, or "resources/read". Nothing in the legacy era.
void add_cache_hints(Exchange& exchange);

}  // namespace paddock::mcp
