// The kernel's list of the TCP sockets of a network namespace: /proc/net/tcp and tcp6.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "policy/address_class.h"

namespace paddock::sandbox {

struct TcpEnd {
    policy::IpAddress address{};  // IPv4 that is mapped into IPv6 is IPv4
    std::uint16_t port = 0;

    friend bool operator==(const TcpEnd&, const TcpEnd&) = default;
};

struct TcpSocket {
    TcpEnd local{};
    TcpEnd remote{};
    bool listens = false;
    unsigned user = 0;
    // Some process has it open. The kernel shows a closed one as root's.
    bool is_held = false;
};

// Pure. Lines that are not in the form are left out.
std::vector<TcpSocket> parse_tcp_table(std::string_view text);

// The two files, opened in the namespace; they show its sockets wherever they are read.
struct TcpTable {
    UniqueFd v4;
    UniqueFd v6;  // invalid: the kernel has no IPv6

    // `proc`: a directory of procfs.
    static Outcome<TcpTable> open(int proc);
    Outcome<std::vector<TcpSocket>> read() const;
};

// Where to reach what listens at a port of all addresses or of the loopback.
std::optional<policy::IpAddress> loopback_server(const std::vector<TcpSocket>& sockets,
                                                 std::uint16_t port);

}  // namespace paddock::sandbox
