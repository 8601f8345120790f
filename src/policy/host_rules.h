// Which hosts the commands of a session may reach: the operator's allow list.
//
//   "example.org"        that name, every port        "example.org:443"  that port only
//   "*.example.org"      every name below it, at any depth; not example.org itself
//   "10.1.2.3:8080"      that address                 "[::1]", "::1"     likewise
//   "npm"                the hosts of a preset
//   "host:build"         a name without dots, which would pass for a misspelt preset
//   "private:git.corp"   a name, or "*.", that may lead to private addresses as well
//
// A name is judged before it is looked up, and each address it leads to before it is dialled. A
// name leads to public addresses only; "localhost", listed itself, also to the loopback. Every
// other address (private, loopback, link-local, metadata services, ...) has to be listed itself,
// whatever name led there: who owns a listed name must not be able to point it at a service of this
// machine or of the network it stands in. "private:" opens private networks to one name, and
// neither loopback nor metadata. "private:localhost" and "private:NAME.localhost" are refused.
//
// Not protected: what else is served at the address of a listed host (the proxy does not look into
// TLS). Immutable.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>

#include "base/outcome.h"

namespace paddock::policy {

// IP addresses, and what kind of place each leads to. Pure.
//
// A name that an agent asks for may resolve to anything its owner likes: the machine's own
// loopback, the neighbour in the office, the metadata service of a cloud. Only kPublic is the
// internet; every address that is not known to be public has another class.

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

// The host and the port that somebody names, checked byte by byte before anything is made of them.
//
// One name has one form from here on: lower case, no final dot. Punycode stays as it is; other
// bytes than letters, digits, "-", "_" and "." are refused, and so is whatever an old C library
// would take for an IPv4 address ("127.1", "0x7f000001", "0177.0.0.1", "2130706433").
struct Host {
    std::string text;                       // the name, or the address without brackets
    std::optional<IpAddress> address = {};  // it is no name
};

struct Destination {
    Host host;
    std::uint16_t port = 0;
};

// A name, an IPv4 address, or an IPv6 address in brackets. Errors: invalid_argument with the
// reason.
Outcome<Host> parse_host(std::string_view text);

// 1 to 65535, decimal digits only, no leading zero.
Outcome<std::uint16_t> parse_port(std::string_view text);

// "host:port"; without a port `usual` is taken, and without that one it is an error.
Outcome<Destination> parse_destination(std::string_view text,
                                       std::optional<std::uint16_t> usual = {});

// "[::1]:80"
std::string destination_text(const Destination& destination);

// Presets of the allow list: one word for the hosts that a package manager or a forge needs.
// A table, so that a reader sees at once what each word opens and why.
struct PresetHost {
    std::string_view preset;  // "npm"
    std::string_view host;    // an entry of HostRules, with its port
    std::string_view reason;
};

// All of them, those of one preset together.
std::span<const PresetHost> preset_hosts() noexcept;

bool is_preset(std::string_view word) noexcept;

// The names, in the order of the table: "npm, pypi, ...".
std::string preset_names();

// An option beyond that is not given: whoever lists so much edits the list.
inline constexpr std::size_t kAllowOptionBytesMax = 512;

class HostRules {
public:
    // No entries: nothing is allowed. Errors: invalid_argument with the entry as `path`;
    // limit_reached for more than kHostRulesMax.
    static Result<HostRules> parse(std::span<const std::string> entries);

    // Why it may not be asked for, or nothing. "is not on the allow list", after the host. Without
    // any entry there is no network.
    std::optional<std::string_view> refusal(const Destination& destination) const;

    // Is it listed, be it with one port only?
    bool has(const Host& host) const;

    // Why `address`, which the name in `destination` led to, may not be dialled.
    std::optional<std::string_view> refusal(const Destination& destination,
                                            const IpAddress& address) const;

    // The option that allows `destination` as well, to be pasted into a shell: "--net npm" if a
    // preset has it, else "--allow-host HOST". Where something is allowed already it names all of
    // that, because an option on the command line replaces a list of the configuration. `refused`:
    // the name is allowed and led to this address, which is not. Empty: nothing should allow it, as
    // for the metadata service of a cloud, or the option would be too long. Port 0: of the host
    // with any port.
    std::string option_to_allow(const Destination& destination,
                                const std::optional<IpAddress>& refused = {}) const;

private:
    struct Rule {
        bool below = false;  // "*."
        Host host;
        std::optional<std::uint16_t> port;
        bool leads_to_private = false;  // "private:"
    };

    Done add(std::string_view entry);
    static Outcome<Rule> parse_rule(std::string_view entry);
    static bool fits(const Rule& rule, const Destination& destination);  // port included
    bool lists(const IpAddress& address, std::uint16_t port) const;

    std::vector<std::string> entries_;  // as they were given
    std::vector<Rule> rules_;
};

}  // namespace paddock::policy
