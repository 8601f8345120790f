// Bytes between a client and its origin, both ways, until both have ended or one breaks off. The
// end of one way is passed on and leaves the other open. Never blocks; holds at most
// kProxyBufferBytes each way, and nothing while both sides keep up.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sandbox/http_body.h"

namespace paddock::sandbox {

// One way.
class Flow {
public:
    // `first` is sent before what comes. With a body, reading ends where it does, and that end is
    // not passed on: an origin may take it for giving up.
    Flow(std::string first, std::optional<HttpBody> body);

    // True if something moved. Failure: broken, or a malformed body.
    Outcome<bool> move(int from, int to);

    bool finished() const { return ended_ && unsent_.empty(); }
    bool reads() const { return !ended_ && unsent_.empty(); }
    bool sends() const { return !unsent_.empty(); }

private:
    Outcome<bool> read_some(int from);
    Outcome<bool> send_some(int to);

    std::string unsent_;
    std::optional<HttpBody> body_;
    bool ended_ = false;
    bool passed_on_ = false;  // the end
};

class Relay {
public:
    Relay(UniqueFd client, UniqueFd origin, Flow to_origin, Flow to_client, bool one_request);

    enum class State : std::uint8_t { kQuiet, kMoved, kOver };
    State proceed();
    void add_waits(std::vector<pollfd>& waits) const;

private:
    UniqueFd client_;
    UniqueFd origin_;
    Flow to_origin_;
    Flow to_client_;
    bool one_request_;  // over as soon as the origin has ended
};

}  // namespace paddock::sandbox
