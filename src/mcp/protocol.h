// The protocol, whatever carries it: takes in messages and has them answered by the methods of a
// table.
//
//   Protocol protocol(info, std::move(methods));
//   if (auto context = protocol.accept(parse_message(text), arrival)) {
//       const Pace pace = protocol.pace(*context);
//       // Here and now, unless it is a call of a tool and scheduler.is_changing().
//       if (pace == Pace::kQuick && protocol.run_if_quick(context)) return;
//       if (auto full = scheduler.submit(pace, ...)) protocol.refuse(*context, *full);
//   }
//
// Promise: each request with an id that can be read is answered exactly once, or, if the client
// cancelled it, not at all.
//
// Threads: all methods may be called from any thread at any time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <paddock/tools.h>
#include <paddock/workspace.h>

#include "json/value.h"
#include "mcp/message.h"
#include "mcp/request_context.h"

namespace paddock::mcp {

// The methods of a server, by name: what it answers, in which era, and how. A server is made by
// adding to the table; what is not in it is an unknown method.

enum class Eras : std::uint8_t { kLegacy, kModern, kBoth };

// What a handler leaves behind.
struct Handled {
    std::optional<RpcError> error{};  // absent: the result is written
    // Not answered yet: whoever keeps the request ends it by succeed() or fail(), or the client by
    // cancelling it.
    bool is_open = false;
    // Not begun: it takes longer than RequestContext::is_hurried() allows.
    bool is_deferred = false;

    Handled() = default;
    Handled(RpcError why) : error(std::move(why)) {}
    static Handled open() {
        Handled handled;
        handled.is_open = true;
        return handled;
    }
    static Handled deferred() {
        Handled handled;
        handled.is_deferred = true;
        return handled;
    }
};

struct Method {
    // Runs in any thread, several at once.
    std::function<Handled(const std::shared_ptr<RequestContext>&)> run;
    Eras eras = Eras::kBoth;
    // Absent: what is asked is answered quickly, so that no thread is worth it.
    std::function<tools::Pace(const RequestContext&)> pace{};
    // Absent: no. Then it is cancelled when its client goes, whatever the era.
    std::function<bool(const RequestContext&)> only_reads{};
    // Called first, in the thread that accepts it: looks up once what the others need.
    std::function<void(RequestContext&)> prepare{};
};

class Methods {
public:
    // Takes the place of an earlier one of that name.
    void add(std::string name, Method method) {
        table_.insert_or_assign(std::move(name), std::move(method));
    }

    // nullptr: there is none of that name in that era.
    const Method* find(std::string_view name, Era era) const noexcept;
    bool knows(std::string_view name) const noexcept { return table_.contains(name); }

private:
    std::map<std::string, Method, std::less<>> table_;
};

// What a model is told of the workspace before its first call, in less than 2 kB. Some clients put
// it into the model's prompt, some show it as the description of the tools.
std::string instructions_for(const Workspace& workspace);

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
    std::shared_ptr<RequestContext> accept(Message message, const Arrival& arrival) const;

    tools::Pace pace(const RequestContext& context) const;
    void run(const std::shared_ptr<RequestContext>& context) const;
    // For what should be quick. False: it is not, and is still to be run, by another thread.
    bool run_if_quick(const std::shared_ptr<RequestContext>& context) const;
    // Too much is under way: `full` says which bound was reached.
    void refuse(RequestContext& context, std::string_view full) const;

    // Of a request that was left open.
    void succeed(RequestContext& context) const { context.succeed(server_info_); }

private:
    void answer(RequestContext& context, const Handled& handled) const;
    Handled initialize(RequestContext& context) const;
    Handled discover(RequestContext& context) const;
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
void add_cache_hints(RequestContext& context);

}  // namespace paddock::mcp
