#include "sandbox/proxy_loop.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sys/socket.h"
#include "sys/stream.h"

namespace paddock::sandbox {
namespace {

using namespace std::chrono_literals;

// Out of descriptors or memory: time for some to be given back.
constexpr auto kPauseAfterFailure = 100ms;

// Before those of the connections.
enum : std::size_t { kControlWait, kParentWait, kListenerWait, kNameServerWait, kFixedProxyWaits };

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
        if (publisher_) deadline = std::min(deadline, publisher_->deadline());
        if (!sys::wait_ready(waits, milliseconds_until(deadline, before))) return;
        if (waits[kParentWait].revents != 0) return;
        const Time now = std::chrono::steady_clock::now();
        proceed(waits, now);
        const std::size_t own = first_waits_.back();
        if (waits.size() > own) publisher_->proceed(std::span(waits).subspan(own), now);
        if (waits[kListenerWait].revents != 0) accept_clients(now);
        if (waits[kNameServerWait].revents != 0) name_server_->answer();
        // Last, since it changes what is waited for.
        if (waits[kControlWait].revents != 0 && !answer_control()) return;
    }
}

std::vector<pollfd> ProxyLoop::waits(Time now) {
    const bool accepts = connections_.size() < limits::kProxyConnectionsMax && now >= accept_again_;
    std::vector<pollfd> waits(kFixedProxyWaits);
    waits[kControlWait] = {control_.get(), POLLIN, 0};
    waits[kParentWait] = {parent_.get(), POLLIN, 0};
    waits[kListenerWait] = {accepts ? listener_.get() : -1, POLLIN, 0};
    waits[kNameServerWait] = {name_server_ ? name_server_->socket() : -1, POLLIN, 0};
    first_waits_.clear();
    for (const auto& connection : connections_) {
        first_waits_.push_back(waits.size());
        connection->add_waits(waits);
    }
    first_waits_.push_back(waits.size());
    if (publisher_) publisher_->add_waits(waits);
    return waits;
}

bool ProxyLoop::answer_control() {
    char request[32];
    UniqueFd passed[3];
    const auto message = sys::receive_message(control_.get(), request, passed);
    if (!message || message->bytes == 0) return false;
    const std::string reply = answer_to({request, message->bytes}, passed);
    return !reply.empty() && sys::send_message(control_.get(), reply, {}).has_value();
}

// Empty: it makes no sense.
std::string ProxyLoop::answer_to(std::string_view request, std::span<UniqueFd> passed) {
    const std::string_view rest = request.substr(1);
    UniqueFd& first = passed.front();
    switch (request.front()) {
        case 'L':
            if (!first.valid() || !sys::set_nonblocking(first.get())) return {};
            listener_ = std::move(first);
            name_server_.reset();
            if (passed[1].valid() && sys::set_nonblocking(passed[1].get())) {
                name_server_.emplace(std::move(passed[1]), settings_.rules, denials_);
            }
            return "ok";
        case 'D': return write_denials(denials_.take());
        case 'I': {
            PublishRequest wanted;
            if (rest.size() != sizeof wanted) return {};
            std::memcpy(&wanted, rest.data(), sizeof wanted);
            publisher_.emplace(Publisher::Setup{std::move(first),
                                                {std::move(passed[1]), std::move(passed[2])},
                                                wanted.user,
                                                wanted.finds_servers,
                                                wanted.proxy_port});
            return "ok";
        }
        case 'P': {
            policy::PublishedPort port;
            if (rest.size() != sizeof port || !publisher_ || !sys::set_nonblocking(first.get())) {
                return {};
            }
            std::memcpy(&port, rest.data(), sizeof port);
            publisher_->add(std::move(first), port);
            return "ok";
        }
        case 'N': return "ok\n" + (publisher_ ? write_published_news(publisher_->take_news()) : "");
        default: return {};
    }
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
