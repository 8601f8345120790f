// IP addresses, and what kind of place each leads to. Pure.
//
// A name that an agent asks for may resolve to anything its owner likes: the machine's own
// loopback, the neighbour in the office, the metadata service of a cloud. Only kPublic is the
// internet; every address that is not known to be public has another class.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace paddock::policy {

struct IpAddress {
    bool v6 = false;
    std::array<std::uint8_t, 16> bytes{};  // in network order; of IPv4 the first four, the rest 0

    friend bool operator==(const IpAddress&, const IpAddress&) = default;
};

IpAddress ipv4(std::uint32_t value) noexcept;  // 0x7f000001 is 127.0.0.1

// The one spelling of IPv4 (four decimal numbers, no leading zeros) or a spelling of IPv6 as in RFC
// 4291. No zone, no brackets, no octal, hexadecimal or shortened IPv4.
std::optional<IpAddress> parse_address(std::string_view text);

// As RFC 5952 has it, without brackets.
std::string address_text(const IpAddress& address);

enum class AddressClass : std::uint8_t {
    kPublic,
    kPrivate,      // 10/8, 172.16/12, 192.168/16, fc00::/7
    kShared,       // 100.64/10: behind a carrier's translator, and overlay networks
    kLoopback,     // 127/8, ::1
    kLinkLocal,    // 169.254/16, fe80::/10
    kMetadata,     // where clouds hand out credentials
    kMulticast,    // 224/4, ff00::/8
    kUnspecified,  // 0/8, ::  which Linux takes for the machine itself
    kEmbedded,     // IPv4 in another form: mapped, compatible, translated, 6to4, Teredo
    kReserved,     // documentation, benchmarks, broadcast, unassigned
};

// An address behind the well-known NAT64 prefix (64:ff9b::/96) has the class of the IPv4 address in
// it: networks without IPv4 reach all of the old internet that way.
AddressClass classify(const IpAddress& address) noexcept;

}  // namespace paddock::policy
