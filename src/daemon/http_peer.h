// The HTTP side of one request of MCP: its answer is one JSON document, or a stream of events where
// something is to be told before the answer.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "mcp/peer.h"
#include "mcp/version.h"
#include "net/responder.h"

namespace paddock::daemon {

class HttpPeer final : public mcp::Peer {
public:
    HttpPeer(net::Responder responder, mcp::Era era, net::Headers headers);

    // From now on errors are of the method, not of the request: the legacy era's clients, and the
    // modern ones but for a few codes, look for them in a response that went well.
    void running() noexcept { is_running_ = true; }
    void begin_stream();

    void send(std::string message) override;
    void finish(std::string message, int error) override;
    void drop() override;

    // A notification or a response: taken, and there is nothing to say.
    void accept();

    net::Responder& responder() noexcept { return responder_; }

private:
    unsigned status_for(int error) const noexcept;

    net::Responder responder_;
    const mcp::Era era_;
    const net::Headers headers_;
    std::atomic<bool> is_running_ = false;

    std::mutex mutex_;
    bool is_streaming_ = false;
};

}  // namespace paddock::daemon
