// Servers of commands, reached from the loopback of this machine by the session's user alone.
//
// A connection to a published port is accepted here, outside of the session's network namespace.
// The kernel's table of sockets says whose it is: another user's is closed before a byte is read. A
// socket inside comes through the doorway: a channel to the warden, which makes one there for each
// byte that it gets (doorway.h). Bytes then pass both ways until both sides have ended.
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
#include <vector>

#include <paddock/unique_fd.h>

#include "policy/published_ports.h"
#include "sandbox/relay.h"
#include "sandbox/tcp_table.h"

namespace paddock::sandbox {

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

}  // namespace paddock::sandbox
