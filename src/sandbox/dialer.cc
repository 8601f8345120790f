#include "sandbox/dialer.h"

#include <utility>

#include "base/check.h"
#include "sandbox/socket_address.h"
#include "sys/stream.h"

namespace paddock::sandbox {

Dialer::Dialer(std::vector<policy::IpAddress> addresses, std::uint16_t port,
               std::chrono::milliseconds patience, Time now)
    : addresses_(std::move(addresses)), port_(port), patience_(patience), deadline_(now) {
    PADDOCK_CHECK(!addresses_.empty());
}

Done Dialer::try_address(Time now) {
    const policy::IpAddress& address = addresses_[next_];
    if (!socket_.valid()) {
        PADDOCK_ASSIGN(socket, sys::socket(address.v6 ? AF_INET6 : AF_INET, SOCK_STREAM));
        socket_ = std::move(socket);
        deadline_ = now + patience_;
    }
    auto done = sys::connect(socket_.get(), socket_address(address, port_));
    if (!done && sys::would_block(done.error()) && now >= deadline_) return refuse(Code::kTimeout);
    return done;
}

std::optional<Outcome<UniqueFd>> Dialer::proceed(Time now) {
    for (;;) {
        const Done done = try_address(now);
        if (done) return std::move(socket_);
        if (sys::would_block(done.error())) return std::nullopt;
        socket_.reset();
        if (++next_ == addresses_.size()) return done.error();
    }
}

}  // namespace paddock::sandbox
