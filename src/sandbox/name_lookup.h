// The addresses of one name, without blocking and without the C library: its resolver blocks, and
// in a static binary loads parts of whatever C library the host has.
//
// "localhost" and names below it are the loopback. Then hosts(5), then the name servers of
// resolv.conf(5), in turn, both files (at most a megabyte of each) read anew for each lookup. The
// name is taken as it is: no search domains, so what was checked is what is asked. IPv4 comes
// before IPv6.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "policy/address_class.h"
#include "sandbox/dns_exchange.h"

namespace paddock::sandbox {

using Time = std::chrono::steady_clock::time_point;

struct NameSources {
    std::string hosts = "/etc/hosts";
    std::string resolv_conf = "/etc/resolv.conf";
    std::uint16_t port = 53;  // of the name servers
    std::chrono::milliseconds server_time = limits::kNameServerTime;
};

class NameLookup {
public:
    using Addresses = std::vector<policy::IpAddress>;

    NameLookup(std::string name, const NameSources& sources, Time now);

    // Nothing while it goes on. not_found: the name has no address; timeout: no server could tell.
    std::optional<Outcome<Addresses>> proceed(Time now);

    // What to wait for, at most until `deadline`, before the next proceed.
    void add_waits(std::vector<pollfd>& waits) const;
    Time deadline() const { return deadline_; }

private:
    struct Part {
        DnsType type = DnsType::kA;
        std::optional<DnsExchange> exchange = {};
        bool answered = false;
        Addresses addresses = {};
    };

    void ask_next_server(Time now);
    Outcome<Addresses> result() const;

    std::string name_;
    std::chrono::milliseconds server_time_;
    Addresses local_;  // known without asking
    std::vector<sys::SocketAddress> servers_;
    std::size_t asked_ = 0;  // servers, over all rounds
    Part parts_[2] = {{DnsType::kA}, {DnsType::kAaaa}};
    Time deadline_;
};

}  // namespace paddock::sandbox
