#include "sandbox/tcp_table.h"

#include <fcntl.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "sandbox/kernel_text.h"
#include "sys/io.h"
#include "sys/open.h"

namespace paddock::sandbox {
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
    for (std::string_view& word : words) word = next_word(line);
    const auto local = parse_end(words[1]);
    const auto remote = parse_end(words[2]);
    const auto state = read_hex<unsigned>(words[3]);
    unsigned user = 0;
    std::uint64_t inode = 0;
    if (!local || !remote || !state || !parse_number(words[7], user) ||
        !parse_number(words[9], inode)) {
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

}  // namespace paddock::sandbox
