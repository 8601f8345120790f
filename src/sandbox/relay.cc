#include "sandbox/relay.h"

#include <paddock/limits.h>

#include <utility>

#include "sys/stream.h"

namespace paddock::sandbox {
namespace {

// So that one busy connection does not keep the others waiting.
constexpr int kTurnsMax = 4;

}  // namespace

Flow::Flow(std::string first, std::optional<HttpBody> body)
    : unsent_(std::move(first)), body_(body), ended_(body && body->complete()) {}

Outcome<bool> Flow::move(int from, int to) {
    bool moved = false;
    for (int turn = 0; turn < kTurnsMax; ++turn) {
        if (reads()) {
            PADDOCK_ASSIGN(read, read_some(from));
            moved |= read;
        }
        if (!sends()) break;
        PADDOCK_ASSIGN(sent, send_some(to));
        moved |= sent;
        if (sends()) break;
    }
    const bool whole_body = body_ && body_->complete();
    if (finished() && !whole_body && !passed_on_) {
        passed_on_ = true;
        PADDOCK_TRY(sys::end_sending(to));
    }
    return moved;
}

Outcome<bool> Flow::read_some(int from) {
    char block[limits::kProxyBufferBytes];
    const auto size = sys::receive(from, block, sizeof block);
    if (!size && sys::would_block(size.error())) return false;
    if (!size) return size.error();
    std::size_t taken = *size;
    if (body_) {
        PADDOCK_ASSIGN(of_body, body_->take({block, *size}));
        taken = of_body;
    }
    ended_ = *size == 0 || (body_ && body_->complete());
    unsent_.assign(block, taken);
    return true;
}

Outcome<bool> Flow::send_some(int to) {
    const auto sent = sys::send(to, unsent_);
    if (!sent && sys::would_block(sent.error())) return false;
    if (!sent) return sent.error();
    unsent_.erase(0, *sent);
    return true;
}

Relay::Relay(UniqueFd client, UniqueFd origin, Flow to_origin, Flow to_client, bool one_request)
    : client_(std::move(client)),
      origin_(std::move(origin)),
      to_origin_(std::move(to_origin)),
      to_client_(std::move(to_client)),
      one_request_(one_request) {}

Relay::State Relay::proceed() {
    const auto up = to_origin_.move(client_.get(), origin_.get());
    const auto down = to_client_.move(origin_.get(), client_.get());
    if (!up || !down) return State::kOver;
    if (to_client_.finished() && (one_request_ || to_origin_.finished())) return State::kOver;
    return *up || *down ? State::kMoved : State::kQuiet;
}

void Relay::add_waits(std::vector<pollfd>& waits) const {
    const auto add = [&](int fd, bool reads, bool sends) {
        const int events = (reads ? POLLIN : 0) | (sends ? POLLOUT : 0);
        // Without events the kernel would still report an error again and again.
        if (events != 0) waits.push_back({fd, static_cast<short>(events), 0});
    };
    add(client_.get(), to_origin_.reads(), to_client_.sends());
    add(origin_.get(), to_client_.reads(), to_origin_.sends());
}

}  // namespace paddock::sandbox
