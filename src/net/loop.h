// One thread that moves bytes, and its connections. Everything here belongs to that thread unless
// it says otherwise.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <unordered_set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "net/channel.h"
#include "net/server.h"

namespace paddock::net {

class Connection;

// Of all loops together.
struct Shared {
    ServerLimits limits;
    std::shared_ptr<TlsContext> tls;  // absent: plain
    Handlers handlers{};
    std::atomic<std::size_t> connections = 0;
    // Requests may outlive the server.
    std::shared_ptr<BodyShare::Sum> body_bytes = std::make_shared<BodyShare::Sum>(0);
    std::atomic<bool> draining = false;
};

class Loop : public std::enable_shared_from_this<Loop> {
public:
    using Clock = std::chrono::steady_clock;

    explicit Loop(std::shared_ptr<Shared> shared);

    boost::asio::io_context& io() noexcept { return io_; }  // any thread
    Shared& shared() noexcept { return *shared_; }
    const ServerLimits& limits() const noexcept { return shared_->limits; }

    // Takes over a connected socket of io().
    void add(boost::asio::ip::tcp::socket socket);
    void remove(const std::shared_ptr<Connection>& connection);
    void drain();
    void close_all();

    // A buffer for whoever reads now.
    std::array<char, 16'384>& scratch() noexcept { return scratch_; }
    const std::string& date();

private:
    void tick();

    std::shared_ptr<Shared> shared_;
    boost::asio::io_context io_{1};
    boost::asio::steady_timer timer_;
    bool ticking_ = false;
    std::unordered_set<std::shared_ptr<Connection>> connections_;
    std::array<char, 16'384> scratch_{};
    std::string date_;
    long long date_second_ = -1;
};

}  // namespace paddock::net
