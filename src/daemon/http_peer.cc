#include "daemon/http_peer.h"

#include <utility>

#include "mcp/message.h"

namespace paddock::daemon {

HttpPeer::HttpPeer(net::Responder responder, mcp::Era era, net::Headers headers)
    : responder_(std::move(responder)), era_(era), headers_(std::move(headers)) {}

void HttpPeer::begin_stream() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_streaming_, true)) responder_.begin_stream(headers_);
}

void HttpPeer::send(std::string message) {
    begin_stream();
    responder_.push(message);
}

void HttpPeer::finish(std::string message, int error) {
    {
        const std::lock_guard lock(mutex_);
        if (is_streaming_) return responder_.finish(message);
    }
    net::Response response{status_for(error), headers_, std::move(message)};
    response.headers.push_back({"Content-Type", "application/json"});
    response.headers.push_back({"Cache-Control", "no-store"});
    responder_.send(std::move(response));
}

// An empty stream: the client has said that it waits no longer.
void HttpPeer::drop() {
    begin_stream();
    responder_.finish({});
}

void HttpPeer::accept() { responder_.send({202, headers_, {}}); }

unsigned HttpPeer::status_for(int error) const noexcept {
    namespace code = mcp::error_code;
    if (error == 0) return 200;
    if (error == code::kParse || error == code::kInvalidRequest) return 400;
    if (era_ == mcp::Era::kLegacy) return 200;
    if (error == code::kUnknownMethod) return 404;
    if (error == code::kHeaderMismatch || error == code::kMissingCapability ||
        error == code::kUnsupportedVersion) {
        return 400;
    }
    return is_running_ ? 200 : 400;
}

}  // namespace paddock::daemon
