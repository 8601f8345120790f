// One request, from its arrival to its answer: what was asked, by whom, and how to answer.
//
// It is answered once or, if it was cancelled, not at all; nothing is sent after that.
//
// Threads: a handler runs in one thread; the rest may be called from any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>

#include "json/value.h"
#include "mcp/message.h"

namespace paddock::mcp {

// Where the messages of one request go: the pipe of a process, or the response of an HTTP request.

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

class RequestContext;

enum class Transport : std::uint8_t { kStdio, kHttp };

// What belongs together for a client: its requests under way, so that it can cancel them, what it
// said of itself, and what the server has asked it. On stdio it is the process, on HTTP a session
// or a single request.
//
// Threads: all methods may be called from any thread.
class Conversation {
public:
    // `caller` is whoever was authenticated; empty on stdio.
    explicit Conversation(Transport transport, std::string caller = {});

    Transport transport() const noexcept { return transport_; }
    const std::string& caller() const noexcept { return caller_; }

    // Of the legacy "initialize".
    void set_client(json::Object capabilities, std::string_view version);
    json::Object client_capabilities() const;
    std::string version() const;  // empty: there was none

    // False: a request of that id is under way.
    bool add(const std::string& id, const std::shared_ptr<RequestContext>& context);
    void remove(const std::string& id);
    std::shared_ptr<RequestContext> find(const std::string& id) const;
    std::size_t size() const;
    void cancel_all();

    // A request of the server to the client: the id to send it with, and the wait for its answer.
    std::string new_question();
    std::optional<json::Value> await(const std::string& id, const std::stop_token& stop);
    void deliver(Message response);

private:
    const Transport transport_;
    const std::string caller_;

    mutable std::mutex mutex_;
    std::unordered_map<std::string, std::weak_ptr<RequestContext>> requests_;
    json::Object capabilities_;
    std::string version_;

    std::condition_variable_any answered_;
    std::uint64_t questions_ = 0;
    std::map<std::string, std::optional<Message>> questions_open_;
};

struct HostedTool;
struct Method;

class RequestContext {
public:
    struct Parts {
        Message message;
        Era era = Era::kLegacy;
        const Method* method = nullptr;  // that will answer it
        std::shared_ptr<Conversation> conversation;
        std::shared_ptr<Peer> peer;
    };
    explicit RequestContext(Parts parts);
    ~RequestContext();  // an unanswered one is answered with an internal error
    RequestContext(const RequestContext&) = delete;
    RequestContext& operator=(const RequestContext&) = delete;

    Era era() const noexcept { return parts_.era; }
    const std::string& id() const noexcept { return parts_.message.id; }  // JSON text
    json::Value id_value() const;
    const std::string& name() const noexcept { return parts_.message.method; }
    const Method& method() const noexcept { return *parts_.method; }
    const json::Object& params() const noexcept { return parts_.message.params; }
    std::size_t bytes() const noexcept { return parts_.message.bytes; }
    Conversation& conversation() const noexcept { return *parts_.conversation; }
    // That "tools/call" asks for; nullptr: the host has none of that name.
    const HostedTool* tool() const noexcept { return tool_; }
    void set_tool(const HostedTool* tool) noexcept { tool_ = tool; }

    // A member of "params"; nullptr if it is absent or of another type.
    const std::string* text(std::string_view name) const noexcept;
    const json::Object* object(std::string_view name) const noexcept;
    // Of params._meta.
    const json::Value* meta(std::string_view name) const noexcept;
    // What the client said that it can do, for example "sampling".
    bool client_can(std::string_view capability) const;

    // Others wait for the thread that runs the handler: see Protocol::run_if_quick.
    bool is_hurried() const noexcept { return is_hurried_; }
    void set_hurried(bool hurried) noexcept { is_hurried_ = hurried; }

    std::stop_token cancelled() const noexcept { return stop_.get_token(); }

    // The handler writes the members of the result here, as JSON text, each after a call of this
    // with its name. What the era adds is added later.
    std::string& result(std::string_view name);
    void result(std::string_view name, const json::Value& value);
    void set_result_type(std::string_view type) { result_type_ = type; }  // of the modern era
    json::Object& result_meta() { return result_meta_; }

    void notify(std::string_view method, const json::Value& params);

    bool wants_progress() const noexcept;
    // Dropped unless `done` is more than before.
    void progress(double done, std::optional<double> total, std::string_view text);

    // Asks the client something and waits for the answer; a legacy request may do that. Nothing:
    // cancelled, refused, or the client is gone.
    std::optional<json::Value> ask(std::string_view method, const json::Value& params);

    void succeed(std::string_view server_info);  // JSON text
    void fail(const RpcError& error);
    void cancel();

    // The conversation does not know it: another one has its id.
    void disown() { is_known_ = false; }

private:
    bool end();  // true for whoever ends it

    Parts parts_;
    const HostedTool* tool_ = nullptr;
    std::stop_source stop_;
    std::string answer_;
    bool is_hurried_ = false;
    bool has_members_ = false;
    std::string_view result_type_ = "complete";
    json::Object result_meta_;
    double progress_ = -1;

    std::mutex mutex_;
    bool is_known_ = true;
    bool ended_ = false;
};

}  // namespace paddock::mcp
