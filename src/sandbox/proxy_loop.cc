#include "sandbox/proxy_loop.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sys/socket.h"
#include "sys/stream.h"

namespace paddock::sandbox {
namespace {

using namespace std::chrono_literals;

// Out of descriptors or memory: time for some to be given back.
constexpr auto kPauseAfterFailure = 100ms;

// Before those of the connections.
enum : std::size_t { kControlWait, kParentWait, kListenerWait, kFixedProxyWaits };

int milliseconds_until(Time deadline, Time now) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
    return static_cast<int>(std::clamp<long>(left, 0, 60'000));
}

bool is_no_listener(const Failure& failure) {
    return failure.os_error == EINVAL || failure.os_error == ENOTSOCK ||
           failure.os_error == EOPNOTSUPP;
}

}  // namespace

ProxyLoop::ProxyLoop(const ProxySettings& settings, UniqueFd control, UniqueFd parent)
    : settings_(settings), control_(std::move(control)), parent_(std::move(parent)) {}

void ProxyLoop::run() {
    for (;;) {
        const Time before = std::chrono::steady_clock::now();
        std::vector<pollfd> waits = this->waits(before);
        Time deadline = before + 60s;
        if (accept_again_ > before) deadline = std::min(deadline, accept_again_);
        for (const auto& connection : connections_) {
            deadline = std::min(deadline, connection->deadline());
        }
        if (!sys::wait_ready(waits, milliseconds_until(deadline, before))) return;
        if (waits[kParentWait].revents != 0) return;
        if (waits[kControlWait].revents != 0 && !answer_control()) return;
        const Time now = std::chrono::steady_clock::now();
        proceed(waits, now);
        if (waits[kListenerWait].revents != 0) accept_clients(now);
    }
}

std::vector<pollfd> ProxyLoop::waits(Time now) {
    const bool accepts = connections_.size() < limits::kProxyConnectionsMax && now >= accept_again_;
    std::vector<pollfd> waits(kFixedProxyWaits);
    waits[kControlWait] = {control_.get(), POLLIN, 0};
    waits[kParentWait] = {parent_.get(), POLLIN, 0};
    waits[kListenerWait] = {accepts ? listener_.get() : -1, POLLIN, 0};
    first_waits_.clear();
    for (const auto& connection : connections_) {
        first_waits_.push_back(waits.size());
        connection->add_waits(waits);
    }
    first_waits_.push_back(waits.size());
    return waits;
}

bool ProxyLoop::answer_control() {
    char request[16];
    UniqueFd passed;
    const auto message = sys::receive_message(control_.get(), request, {&passed, 1});
    if (!message || message->bytes != 1) return false;
    std::string reply = "ok";
    if (request[0] == 'L' && passed.valid()) {
        if (!sys::set_nonblocking(passed.get())) return false;
        listener_ = std::move(passed);
    } else if (request[0] == 'D') {
        reply = write_denials(denials_.take());
    } else {
        return false;
    }
    return sys::send_message(control_.get(), reply, {}).has_value();
}

void ProxyLoop::proceed(const std::vector<pollfd>& waits, Time now) {
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        const auto first = waits.begin() + static_cast<std::ptrdiff_t>(first_waits_[i]);
        const auto last = waits.begin() + static_cast<std::ptrdiff_t>(first_waits_[i + 1]);
        const bool ready =
            std::any_of(first, last, [](const pollfd& wait) { return wait.revents != 0; });
        const bool due = connections_[i]->deadline() <= now;
        if ((ready || due) && !connections_[i]->proceed(now)) connections_[i].reset();
    }
    std::erase(connections_, nullptr);
}

void ProxyLoop::accept_clients(Time now) {
    while (connections_.size() < limits::kProxyConnectionsMax) {
        auto client = sys::accept(listener_.get());
        if (client) {
            connections_.push_back(
                std::make_unique<ProxyConnection>(std::move(*client), settings_, denials_, now));
            continue;
        }
        if (is_no_listener(client.error())) listener_.reset();
        if (!sys::would_block(client.error())) accept_again_ = now + kPauseAfterFailure;
        return;
    }
}

}  // namespace paddock::sandbox
