#include "sandbox/publisher.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <paddock/limits.h>

#include "sandbox/doorway.h"
#include "sandbox/kernel_text.h"
#include "sandbox/socket_address.h"
#include "sys/io.h"
#include "sys/socket.h"

namespace paddock::sandbox {
namespace {

// Ports from here on are chosen by the kernel. Tests listen there, and nobody visits those.
constexpr std::uint16_t kChosenPortsBegin = 32768;

// Clients accepted in one turn, so that open connections do not wait.
constexpr int kAcceptedAtOnceMax = 16;

// Out of descriptors: time for some to be given back.
constexpr std::chrono::milliseconds kPauseWithoutRoom{100};

const policy::IpAddress kThisMachine = policy::ipv4(0x7f000001);

void remember(std::vector<unsigned>& users, unsigned user) {
    const bool is_new = std::find(users.begin(), users.end(), user) == users.end();
    if (is_new && users.size() < limits::kPublishedPortsMax) users.push_back(user);
}

}  // namespace

void Publisher::add(UniqueFd listener, policy::PublishedPort port) {
    places_.push_back({std::move(listener), port});
}

void Publisher::add_waits(std::vector<pollfd>& waits) const {
    waits.push_back({setup_.doorway.get(), POLLIN, 0});
    const bool has_room = visits_.size() < limits::kPublishedConnectionsMax &&
                          std::chrono::steady_clock::now() >= accept_again_;
    for (const Place& place : places_) {
        waits.push_back({has_room ? place.listener.get() : -1, POLLIN, 0});
    }
    for (const Visit& visit : visits_) {
        if (visit.relay) {
            visit.relay->add_waits(waits);
        } else if (visit.socket.valid()) {
            waits.push_back({visit.socket.get(), POLLOUT, 0});
        }
    }
}

Publisher::Time Publisher::deadline() const {
    const Time look = setup_.finds_servers ? look_again_ : Time::max();
    return accept_again_ > std::chrono::steady_clock::now() ? std::min(look, accept_again_) : look;
}

void Publisher::proceed(std::span<const pollfd> waited, Time now) {
    if (waited.front().revents != 0) take_from_doorway();
    const auto places = waited.subspan(1, places_.size());
    const auto visits = waited.subspan(1 + places.size());
    const bool is_visited = std::any_of(visits.begin(), visits.end(),
                                        [](const pollfd& wait) { return wait.revents != 0; });
    if (is_visited) std::erase_if(visits_, [](Visit& visit) { return !proceed(visit); });
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i].revents != 0) accept_at(places_[i]);
    }
    if (setup_.finds_servers && now >= look_again_) {
        look_again_ = now + limits::kPublishedLookPause;
        find_servers(look_inside());
    }
}

std::vector<TcpSocket> Publisher::look_inside() const {
    if (!inside_) return {};
    auto sockets = inside_->read();
    return sockets ? std::move(*sockets) : std::vector<TcpSocket>();
}

void Publisher::find_servers(const std::vector<TcpSocket>& inside) {
    for (const TcpSocket& socket : inside) {
        const std::uint16_t port = socket.local.port;
        if (!socket.listens || port >= kChosenPortsBegin || port == setup_.proxy_port) continue;
        const bool is_known =
            std::any_of(places_.begin(), places_.end(),
                        [port](const Place& each) { return each.port.inside == port; });
        if (!is_known && loopback_server(inside, port)) publish(port, inside);
    }
}

// At the same port if that is free. Where there is no room, a server that is gone makes some.
void Publisher::publish(std::uint16_t port, const std::vector<TcpSocket>& inside) {
    if (places_.size() >= limits::kPublishedPortsMax) {
        const auto gone = std::find_if(places_.begin(), places_.end(), [&](const Place& each) {
            return each.is_found && !loopback_server(inside, each.port.inside);
        });
        if (gone == places_.end()) return;
        places_.erase(gone);
    }
    auto listener = sys::listen_on_loopback(port);
    if (!listener) listener = sys::listen_on_loopback();
    if (!listener || !sys::set_nonblocking(listener->socket.get())) return;
    places_.push_back({std::move(listener->socket), {listener->port, port}, true});
}

void Publisher::accept_at(const Place& place) {
    const auto inside = look_inside();
    const auto address = loopback_server(inside, place.port.inside);
    for (int turn = 0;
         turn < kAcceptedAtOnceMax && visits_.size() < limits::kPublishedConnectionsMax; ++turn) {
        auto client = sys::accept(place.listener.get());
        if (!client) {
            if (sys::would_block(client.error())) return;
            accept_again_ = std::chrono::steady_clock::now() + kPauseWithoutRoom;
            return;
        }
        if (!is_users(client->get(), place)) continue;
        if (!address || !sys::send_now(setup_.doorway.get(), door_of(*address))) continue;
        sys::send_small_parts_at_once(client->get());
        visits_.push_back({std::move(*client), socket_address(*address, place.port.inside)});
    }
}

// Which user has the other end? Nobody, if it is closed by now.
bool Publisher::is_users(int client, const Place& place) {
    const auto peer = sys::peer_address(client);
    const auto sockets = setup_.outside.read();
    if (!peer || !sockets) return false;
    const TcpEnd here{kThisMachine, place.port.outside};
    for (const TcpSocket& socket : *sockets) {
        const bool is_peer =
            socket.remote == here && !socket.listens && socket.is_held &&
            same_address(*peer, socket_address(socket.local.address, socket.local.port));
        if (!is_peer) continue;
        if (socket.user == setup_.user) return true;
        remember(refused_, socket.user);
    }
    return false;
}

// First the tables; then a socket for each visit, in the order in which they were asked for.
void Publisher::take_from_doorway() {
    char byte = 0;
    UniqueFd brought[2];
    const auto message = sys::receive_message(setup_.doorway.get(), {&byte, 1}, brought);
    const bool has_no_room = !message && message.error().os_error == EMSGSIZE;
    if (!has_no_room && (!message || message->bytes == 0)) {  // the session has ended
        places_.clear();
        visits_.clear();
        setup_.doorway.reset();
        return;
    }
    if (!inside_) {
        inside_ = TcpTable{std::move(brought[0]), std::move(brought[1])};
        return;
    }
    const auto waiting = std::find_if(visits_.begin(), visits_.end(), [](const Visit& visit) {
        return !visit.socket.valid() && !visit.relay;
    });
    if (waiting == visits_.end()) return;
    waiting->socket = std::move(brought[0]);
    if (!waiting->socket.valid() || !proceed(*waiting)) visits_.erase(waiting);
}

bool Publisher::proceed(Visit& visit) {
    if (visit.relay) {
        return visit.relay->proceed() != Relay::State::kOver;
    }
    if (!visit.socket.valid()) return true;
    const Done connected = sys::connect(visit.socket.get(), visit.server);
    if (!connected) return sys::would_block(connected.error());
    sys::send_small_parts_at_once(visit.socket.get());
    visit.relay.emplace(std::move(visit.client), std::move(visit.socket), Flow({}, std::nullopt),
                        Flow({}, std::nullopt), false);
    return visit.relay->proceed() != Relay::State::kOver;
}

PublishedNews Publisher::take_news() {
    PublishedNews news;
    news.refused_users = std::exchange(refused_, {});
    const auto inside = look_inside();
    if (setup_.finds_servers) find_servers(inside);
    for (Place& place : places_) {
        if (place.is_told || !loopback_server(inside, place.port.inside)) continue;
        place.is_told = true;
        news.servers.push_back(place.port);
    }
    return news;
}

std::string write_published_news(const PublishedNews& news) {
    std::string bytes;
    for (const policy::PublishedPort& port : news.servers) {
        bytes +=
            "server " + std::to_string(port.outside) + " " + std::to_string(port.inside) + "\n";
    }
    for (const unsigned user : news.refused_users) bytes += "user " + std::to_string(user) + "\n";
    return bytes;
}

Outcome<PublishedNews> parse_published_news(std::string_view bytes) {
    PublishedNews news;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        std::string_view line = bytes.substr(0, end);
        bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
        const std::string_view what = next_word(line);
        const std::string_view first = next_word(line);
        const std::string_view second = next_word(line);
        policy::PublishedPort port;
        unsigned user = 0;
        if (what == "server" && parse_number(first, port.outside) &&
            parse_number(second, port.inside)) {
            news.servers.push_back(port);
        } else if (what == "user" && parse_number(first, user) && second.empty()) {
            news.refused_users.push_back(user);
        } else {
            return refuse(Code::kInternal, "the proxy gave a malformed answer");
        }
    }
    return news;
}

}  // namespace paddock::sandbox
