#include "net/loop.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "net/answer.h"
#include "net/connection.h"

namespace paddock::net {
namespace {

// How often deadlines are looked at: a quarter late at most.
std::chrono::milliseconds tick_time(const ServerLimits& limits) {
    using std::chrono::milliseconds;
    const auto shortest =
        std::min({limits.request_time, limits.idle_time, limits.write_time, limits.silence_max});
    return std::clamp(shortest / 4, milliseconds(5), milliseconds(500));
}

}  // namespace

Loop::Loop(std::shared_ptr<Shared> shared) : shared_(std::move(shared)), timer_(io_) {}

void Loop::add(boost::asio::ip::tcp::socket socket) {
    boost::system::error_code error;
    socket.non_blocking(true, error);
    if (error) return;
    socket.set_option(boost::asio::ip::tcp::no_delay(true), error);
    if (shared_->connections >= limits().connections_max || shared_->draining) {
        // Best effort: nobody waits for this client to read it.
        if (shared_->tls == nullptr) {
            const Response full = plain_response(503);
            PlainChannel(socket).write(head_text(full, {.closes = true, .date = {}}) + full.body);
        }
        return;
    }
    const auto connection = std::make_shared<Connection>(*this, std::move(socket));
    ++shared_->connections;
    connections_.insert(connection);
    connection->start();
    if (!std::exchange(ticking_, true)) tick();
}

void Loop::remove(const std::shared_ptr<Connection>& connection) {
    if (connections_.erase(connection) != 0) --shared_->connections;
}

void Loop::tick() {
    const auto now = Clock::now();
    // Whoever is too late leaves the set.
    const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
    for (const auto& connection : all) connection->tick(now);
    if (connections_.empty()) {
        ticking_ = false;
        return;
    }
    timer_.expires_after(tick_time(limits()));
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) tick();
    });
}

void Loop::drain() {
    const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
    for (const auto& connection : all) connection->drain();
}

void Loop::close_all() {
    const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
    for (const auto& connection : all) connection->close();
    timer_.cancel();
}

const std::string& Loop::date() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const long long second = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    if (std::exchange(date_second_, second) != second) date_ = http_date(second);
    return date_;
}

}  // namespace paddock::net
