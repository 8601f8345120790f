// Two tables of prefixes, taken in order: the first one that fits decides.
#include "policy/address_class.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace paddock::policy {
namespace {

using enum AddressClass;

struct Range4 {
    std::uint32_t prefix;
    int bits;
    AddressClass which;
};

constexpr Range4 kRanges4[] = {
    {0xa9fea9fe, 32, kMetadata},    // 169.254.169.254, most clouds
    {0xa9feaa02, 32, kMetadata},    // 169.254.170.2, containers at AWS
    {0xa9feaa17, 32, kMetadata},    // 169.254.170.23, pods at AWS
    {0x646464c8, 32, kMetadata},    // 100.100.100.200, Alibaba
    {0xc00000c0, 32, kMetadata},    // 192.0.0.192, Oracle
    {0xa83f8110, 32, kMetadata},    // 168.63.129.16, Azure: in the middle of public space
    {0x00000000, 8, kUnspecified},  // 0/8
    {0x0a000000, 8, kPrivate},      // 10/8
    {0x64400000, 10, kShared},      // 100.64/10
    {0x7f000000, 8, kLoopback},     // 127/8
    {0xa9fe0000, 16, kLinkLocal},   // 169.254/16
    {0xac100000, 12, kPrivate},     // 172.16/12
    {0xc0000000, 24, kReserved},    // 192.0.0/24, protocol assignments
    {0xc0000200, 24, kReserved},    // 192.0.2/24, documentation
    {0xc0586300, 24, kReserved},    // 192.88.99/24, the relay of 6to4
    {0xc0a80000, 16, kPrivate},     // 192.168/16
    {0xc6120000, 15, kReserved},    // 198.18/15, benchmarks
    {0xc6336400, 24, kReserved},    // 198.51.100/24, documentation
    {0xcb007100, 24, kReserved},    // 203.0.113/24, documentation
    {0xe0000000, 4, kMulticast},    // 224/4
    {0xf0000000, 4, kReserved},     // 240/4, broadcast included
};

// The prefix as two halves.
struct Range6 {
    std::uint64_t high;
    std::uint64_t low;
    int bits;
    AddressClass which;
};

constexpr Range6 kRanges6[] = {
    {0, 0, 128, kUnspecified},               // ::
    {0, 1, 128, kLoopback},                  // ::1
    {0, 0xffff00000000, 96, kEmbedded},      // ::ffff:0:0/96, mapped
    {0, 0, 96, kEmbedded},                   // ::/96, compatible
    {0, 0xffff000000000000, 96, kEmbedded},  // ::ffff:0:0:0/96, translated
    {0x0064ff9b00010000, 0, 48, kEmbedded},  // 64:ff9b:1::/48, local NAT64
    // Clouds put their services into unique local prefixes of their own. All of each: credentials
    // have several addresses in it.
    {0xfd000ec200000000, 0, 32, kMetadata},   // fd00:ec2::/32, AWS: ::254 machines, ::23 pods
    {0xfd00004200000000, 0, 32, kMetadata},   // fd00:42::/32, Scaleway: ::42
    {0xfd0000c100000000, 0, 32, kMetadata},   // fd00:c1::/32, Oracle: ::a9fe:a9fe
    {0xfd00010000000000, 0, 32, kMetadata},   // fd00:100::/32, Alibaba: ::100:200
    {0xfd00a9fe00000000, 0, 32, kMetadata},   // fd00:a9fe::/32, Akamai: fd00:a9fe:a9fe::1
    {0xfd2000ce00000000, 0, 32, kMetadata},   // fd20:ce::/32, Google: ::254
    {0xfc00000000000000, 0, 7, kPrivate},     // fc00::/7
    {0xfe80000000000000, 0, 10, kLinkLocal},  // fe80::/10
    {0xfec0000000000000, 0, 10, kPrivate},    // fec0::/10, the older site-local
    {0xff00000000000000, 0, 8, kMulticast},   // ff00::/8
    {0x2001000000000000, 0, 32, kEmbedded},   // 2001::/32, Teredo
    {0x2001000000000000, 0, 23, kReserved},   // 2001::/23, protocol assignments
    {0x20010db800000000, 0, 32, kReserved},   // 2001:db8::/32, documentation
    {0x2002000000000000, 0, 16, kEmbedded},   // 2002::/16, 6to4
    {0x3fff000000000000, 0, 20, kReserved},   // 3fff::/20, documentation
    {0x2000000000000000, 0, 3, kPublic},      // all that is assigned
};

constexpr std::uint64_t kNat64High = 0x0064ff9b00000000;

constexpr std::uint64_t mask(int bits) {
    return bits <= 0 ? 0 : bits >= 64 ? ~std::uint64_t{0} : ~std::uint64_t{0} << (64 - bits);
}

std::uint64_t number(const std::uint8_t* bytes, int count) {
    std::uint64_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 8 | bytes[i];
    return value;
}

AddressClass classify4(std::uint32_t value) {
    for (const Range4& range : kRanges4) {
        if (((value ^ range.prefix) & mask(range.bits + 32)) == 0) return range.which;
    }
    return kPublic;
}

}  // namespace

IpAddress ipv4(std::uint32_t value) noexcept {
    IpAddress address;
    for (int i = 0; i < 4; ++i) {
        address.bytes[static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(value >> (24 - 8 * i));
    }
    return address;
}

std::optional<IpAddress> parse_address(std::string_view text) {
    char copy[INET6_ADDRSTRLEN];
    if (text.size() >= sizeof copy || text.find('\0') != text.npos) return std::nullopt;
    copy[text.copy(copy, text.size())] = '\0';
    IpAddress address;
    address.v6 = text.find(':') != text.npos;
    if (::inet_pton(address.v6 ? AF_INET6 : AF_INET, copy, address.bytes.data()) != 1) {
        return std::nullopt;
    }
    return address;
}

std::string address_text(const IpAddress& address) {
    char text[INET6_ADDRSTRLEN] = "";
    ::inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
    return text;
}

AddressClass classify(const IpAddress& address) noexcept {
    if (!address.v6) return classify4(static_cast<std::uint32_t>(number(address.bytes.data(), 4)));
    const std::uint64_t high = number(address.bytes.data(), 8);
    const std::uint64_t low = number(address.bytes.data() + 8, 8);
    if (high == kNat64High && low >> 32 == 0) return classify4(static_cast<std::uint32_t>(low));
    for (const Range6& range : kRanges6) {
        const bool fits = ((high ^ range.high) & mask(range.bits)) == 0 &&
                          ((low ^ range.low) & mask(range.bits - 64)) == 0;
        if (fits) return range.which;
    }
    return kReserved;
}

}  // namespace paddock::policy
