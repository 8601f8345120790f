// Servers of commands, reached from the loopback of this machine by the session's user alone.
//
// A connection to a published port is accepted here, outside of the session's network namespace.
// The kernel's table of sockets says whose it is: another user's is closed before a byte is read. A
// socket inside comes through the doorway: a channel to the warden, which makes one there for each
// byte that it gets. Bytes then pass both ways until both sides have ended.
//
// Part of the proxy's process: one thread, never blocks.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "policy/host_rules.h"
#include "policy/published_ports.h"
#include "proxy/connection.h"

namespace paddock::proxy {

// The kernel's list of the TCP sockets of a network namespace: /proc/net/tcp and tcp6.

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

// What changed since the last report.
struct PublishedNews {
    std::vector<policy::PublishedPort> servers{};  // can be reached from now on
    std::vector<unsigned> refused_users{};         // other users who tried
};

// Bytes that parse_published_news takes back. It trusts nothing.
std::string write_published_news(const PublishedNews& news);
Outcome<PublishedNews> parse_published_news(std::string_view bytes);

class Publisher {
public:
    using Time = std::chrono::steady_clock::time_point;

    struct Setup {
        UniqueFd doorway;
        TcpTable outside;  // of this machine
        unsigned user = 0;
        bool finds_servers = false;    // publishes what commands start
        std::uint16_t proxy_port = 0;  // inside: no server of a command
    };
    explicit Publisher(Setup setup) : setup_(std::move(setup)) {}

    // `listener` is on 127.0.0.1 of this machine.
    void add(UniqueFd listener, policy::PublishedPort port);

    // What to wait for, at most until `deadline`; then proceed() with just these.
    void add_waits(std::vector<pollfd>& waits) const;
    Time deadline() const;
    void proceed(std::span<const pollfd> waited, Time now);

    PublishedNews take_news();

private:
    struct Place {
        UniqueFd listener;
        policy::PublishedPort port;
        bool is_found = false;  // by itself
        bool is_told = false;
    };
    struct Visit {
        UniqueFd client;
        sys::SocketAddress server;
        UniqueFd socket{};  // inside; none yet: the warden makes it
        std::optional<Relay> relay{};
    };

    std::vector<TcpSocket> look_inside() const;
    void find_servers(const std::vector<TcpSocket>& inside);
    void publish(std::uint16_t port, const std::vector<TcpSocket>& inside);
    void accept_at(const Place& place);
    bool is_users(int client, const Place& place);
    void take_from_doorway();
    static bool proceed(Visit& visit);  // false: it is over

    Setup setup_;
    std::optional<TcpTable> inside_;
    std::vector<Place> places_;
    std::list<Visit> visits_;
    std::vector<unsigned> refused_;
    Time look_again_{};
    Time accept_again_{};
};

}  // namespace paddock::proxy
