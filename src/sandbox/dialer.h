// A TCP connection to the first of several addresses that answers, tried one after the other.
// Never blocks.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "policy/address_class.h"

namespace paddock::sandbox {

class Dialer {
public:
    using Time = std::chrono::steady_clock::time_point;

    // At least one address, each of them checked; `patience` is for one of them.
    Dialer(std::vector<policy::IpAddress> addresses, std::uint16_t port,
           std::chrono::milliseconds patience, Time now);

    // Nothing while it goes on; then the connection, or why the last address failed (timeout, or
    // what the kernel said).
    std::optional<Outcome<UniqueFd>> proceed(Time now);

    // What to wait for, at most until `deadline`, before the next proceed.
    pollfd wait() const { return {socket_.get(), POLLOUT, 0}; }
    Time deadline() const { return deadline_; }

private:
    Done try_address(Time now);

    std::vector<policy::IpAddress> addresses_;
    std::size_t next_ = 0;
    std::uint16_t port_;
    std::chrono::milliseconds patience_;
    UniqueFd socket_;  // trying addresses_[next_]
    Time deadline_;
};

}  // namespace paddock::sandbox
