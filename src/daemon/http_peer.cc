#include "daemon/http_peer.h"

#include <utility>

#include "mcp/message.h"

namespace paddock::daemon {

void HttpPeer::begin_stream() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_streaming_, true)) parts_.responder.begin_stream(parts_.headers);
}

void HttpPeer::send(std::string message) {
    begin_stream();
    parts_.responder.push(message);
}

void HttpPeer::finish(std::string message, int error) {
    {
        const std::lock_guard lock(mutex_);
        if (is_streaming_) return parts_.responder.finish(message);
    }
    net::Response response{status_for(error), parts_.headers, std::move(message)};
    response.headers.push_back({"Content-Type", "application/json"});
    response.headers.push_back({"Cache-Control", "no-store"});
    parts_.responder.send(std::move(response));
}

// An empty stream: the client has said that it waits no longer.
void HttpPeer::drop() {
    begin_stream();
    parts_.responder.finish({});
}

void HttpPeer::accept() { parts_.responder.send({202, parts_.headers, {}}); }

unsigned HttpPeer::status_for(int error) const noexcept {
    namespace code = mcp::error_code;
    if (error == 0) return 200;
    if (error == code::kParse || error == code::kInvalidRequest) return 400;
    if (parts_.era == mcp::Era::kLegacy) return 200;
    if (error == code::kUnknownMethod) return 404;
    if (error == code::kHeaderMismatch || error == code::kMissingCapability ||
        error == code::kUnsupportedVersion) {
        return 400;
    }
    return is_running_ ? 200 : 400;
}

}  // namespace paddock::daemon
