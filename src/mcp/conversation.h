// What belongs together for a client: its requests under way, so that it can cancel them, what it
// said of itself, and what the server has asked it. On stdio it is the process, on HTTP a session
// or a single request.
//
// Threads: all methods may be called from any thread.
#pragma once

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

class Exchange;

enum class Transport : std::uint8_t { kStdio, kHttp };

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
    bool add(const std::string& id, const std::shared_ptr<Exchange>& exchange);
    void remove(const std::string& id);
    std::shared_ptr<Exchange> find(const std::string& id) const;
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
    std::unordered_map<std::string, std::weak_ptr<Exchange>> requests_;
    json::Object capabilities_;
    std::string version_;

    std::condition_variable_any answered_;
    std::uint64_t questions_ = 0;
    std::map<std::string, std::optional<Message>> questions_open_;
};

}  // namespace paddock::mcp
