#include "proxy/publisher.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include <paddock/limits.h>

#include "proxy/name_lookup.h"
#include "proxy/proxy.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/kernel_text.h"
#include "sys/socket.h"

namespace paddock::proxy {
namespace {

constexpr std::size_t kTableBytesMax = std::size_t{16} << 20;
constexpr unsigned kListenState = 10;

template <class Number>
std::optional<Number> read_hex(std::string_view text) {
    Number value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value, 16);
    if (error != std::errc() || stopped != end) return std::nullopt;
    return value;
}

policy::IpAddress unmapped(const policy::IpAddress& address) {
    constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (!address.v6 || std::memcmp(address.bytes.data(), kMapped, sizeof kMapped) != 0) {
        return address;
    }
    policy::IpAddress inner;
    std::copy_n(address.bytes.begin() + sizeof kMapped, 4, inner.bytes.begin());
    return inner;
}

// "0100007F:0BB8": words of four bytes, each printed as the number that it is for this machine.
std::optional<TcpEnd> parse_end(std::string_view text) {
    constexpr std::size_t kWordDigits = 8;
    const std::size_t colon = text.find(':');
    if (colon != kWordDigits && colon != 4 * kWordDigits) return std::nullopt;
    TcpEnd end;
    end.address.v6 = colon != kWordDigits;
    for (std::size_t at = 0; at < colon; at += kWordDigits) {
        const auto word = read_hex<std::uint32_t>(text.substr(at, kWordDigits));
        if (!word) return std::nullopt;
        std::memcpy(end.address.bytes.data() + at / 2, &*word, sizeof *word);
    }
    const auto port = read_hex<std::uint16_t>(text.substr(colon + 1));
    if (!port) return std::nullopt;
    end.port = *port;
    end.address = unmapped(end.address);
    return end;
}

// "sl local remote state queues timer retransmits user timeout inode ..."
std::optional<TcpSocket> parse_row(std::string_view line) {
    std::string_view words[10];
    for (std::string_view& word : words) word = sys::next_word(line);
    const auto local = parse_end(words[1]);
    const auto remote = parse_end(words[2]);
    const auto state = read_hex<unsigned>(words[3]);
    unsigned user = 0;
    std::uint64_t inode = 0;
    if (!local || !remote || !state || !sys::parse_number(words[7], user) ||
        !sys::parse_number(words[9], inode)) {
        return std::nullopt;
    }
    return TcpSocket{*local, *remote, *state == kListenState, user, inode != 0};
}

Outcome<std::string> read_from_start(int file) {
    std::string text;
    char block[16384];
    while (text.size() < kTableBytesMax) {
        PADDOCK_ASSIGN(size, sys::read_at(file, block, sizeof block, text.size()));
        if (size == 0) break;
        text.append(block, size);
    }
    return text;
}

}  // namespace

std::vector<TcpSocket> parse_tcp_table(std::string_view text) {
    std::vector<TcpSocket> sockets;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (const auto row = parse_row(text.substr(0, end))) sockets.push_back(*row);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return sockets;
}

Outcome<TcpTable> TcpTable::open(int proc) {
    PADDOCK_ASSIGN(v4, sys::openat(proc, "thread-self/net/tcp", O_RDONLY));
    auto v6 = sys::openat(proc, "thread-self/net/tcp6", O_RDONLY);
    return TcpTable{std::move(v4), v6 ? std::move(*v6) : UniqueFd()};
}

Outcome<std::vector<TcpSocket>> TcpTable::read() const {
    PADDOCK_ASSIGN(text, read_from_start(v4.get()));
    if (v6.valid()) {
        PADDOCK_ASSIGN(more, read_from_start(v6.get()));
        text += '\n' + more;
    }
    return parse_tcp_table(text);
}

std::optional<policy::IpAddress> loopback_server(const std::vector<TcpSocket>& sockets,
                                                 std::uint16_t port) {
    using policy::AddressClass;
    const policy::IpAddress v4 = policy::ipv4(0x7f000001);
    policy::IpAddress v6{.v6 = true};
    v6.bytes.back() = 1;
    std::optional<policy::IpAddress> found;
    for (const TcpSocket& socket : sockets) {
        if (!socket.listens || socket.local.port != port) continue;
        const policy::IpAddress& loopback = socket.local.address.v6 ? v6 : v4;
        const bool is_reached =
            socket.local.address == loopback ||
            policy::classify(socket.local.address) == AddressClass::kUnspecified;
        if (is_reached && (!found || !loopback.v6)) found = loopback;
    }
    return found;
}

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
        const std::string_view what = sys::next_word(line);
        const std::string_view first = sys::next_word(line);
        const std::string_view second = sys::next_word(line);
        policy::PublishedPort port;
        unsigned user = 0;
        if (what == "server" && sys::parse_number(first, port.outside) &&
            sys::parse_number(second, port.inside)) {
            news.servers.push_back(port);
        } else if (what == "user" && sys::parse_number(first, user) && second.empty()) {
            news.refused_users.push_back(user);
        } else {
            return refuse(Code::kInternal, "the proxy gave a malformed answer");
        }
    }
    return news;
}

}  // namespace paddock::proxy
