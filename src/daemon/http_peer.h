// The HTTP side of one request of MCP: its answer is one JSON document, or a stream of events where
// something is to be told before the answer.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "mcp/peer.h"
#include "mcp/version.h"
#include "net/message.h"
#include "net/responder.h"

namespace paddock::daemon {

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

}  // namespace paddock::daemon
