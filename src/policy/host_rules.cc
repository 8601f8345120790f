// Two tables of prefixes, taken in order: the first one that fits decides.
#include "policy/host_rules.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "base/text.h"
#include "text/edit.h"

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

namespace {

Failure wrong(std::string_view why) { return refuse(Code::kInvalidArgument, why); }

bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

bool is_name_byte(char c) { return is_digit(c) || is_lower(c) || c == '-' || c == '_' || c == '.'; }

// Would inet_aton take a name that ends so for a number?
bool is_number(std::string_view label) {
    if (label.starts_with("0x")) {
        label.remove_prefix(2);
        return std::all_of(label.begin(), label.end(), is_hex_digit);
    }
    return std::all_of(label.begin(), label.end(), is_digit);
}

Done check_labels(std::string_view name) {
    for (;;) {
        const std::string_view label = name.substr(0, name.find('.'));
        if (label.empty() || label.size() > limits::kHostLabelBytesMax) {
            return wrong("a part of the host name is empty or longer than 63 bytes");
        }
        if (label.starts_with('-') || label.ends_with('-')) {
            return wrong("a part of the host name begins or ends with a hyphen");
        }
        if (label.size() == name.size()) return {};
        name.remove_prefix(label.size() + 1);
    }
}

Outcome<Host> parse_bracketed(std::string_view text) {
    if (text.size() > 2 && text.ends_with(']')) {
        const auto address = parse_address(text.substr(1, text.size() - 2));
        if (address && address->v6) return Host{address_text(*address), address};
    }
    return wrong("the brackets do not hold an IPv6 address; zones are not accepted");
}

}  // namespace

Outcome<Host> parse_host(std::string_view text) {
    if (text.starts_with('[')) return parse_bracketed(text);
    if (text.ends_with('.')) text.remove_suffix(1);
    if (text.empty()) return wrong("the host is empty");
    if (text.size() > limits::kHostNameBytesMax) {
        return wrong("the host name is longer than 253 bytes");
    }
    std::string name = text::fold_case(text);
    if (!std::all_of(name.begin(), name.end(), is_name_byte)) {
        return wrong("the host has a byte that is not allowed in host names");
    }
    PADDOCK_TRY(check_labels(name));
    if (is_number(std::string_view(name).substr(name.rfind('.') + 1))) {
        const auto address = parse_address(name);
        if (!address) return wrong("an IPv4 address must be four decimal numbers");
        return Host{std::move(name), address};
    }
    return Host{std::move(name)};
}

Outcome<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, port);
    if (error != std::errc{} || stopped != end || port == 0 || text.front() == '0') {
        return wrong("the port is not a number from 1 to 65535");
    }
    return port;
}

Outcome<Destination> parse_destination(std::string_view text, std::optional<std::uint16_t> usual) {
    if (text.find('@') != text.npos) return wrong("user names and passwords are not accepted");
    // Of an address in brackets, behind them.
    const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
    const std::size_t colon = text.find(':', std::min(bracket, text.size()));
    PADDOCK_ASSIGN(host, parse_host(text.substr(0, colon)));
    if (colon != text.npos) {
        PADDOCK_ASSIGN(port, parse_port(text.substr(colon + 1)));
        return Destination{std::move(host), port};
    }
    if (!usual) return wrong("the port is missing");
    return Destination{std::move(host), *usual};
}

std::string destination_text(const Destination& destination) {
    const Host& host = destination.host;
    const bool brackets = host.address && host.address->v6;
    return (brackets ? "[" + host.text + "]" : host.text) + ":" + std::to_string(destination.port);
}

namespace {

constexpr std::array kHosts{
    PresetHost{"npm", "registry.npmjs.org:443", "packages and their metadata"},
    PresetHost{"npm", "registry.yarnpkg.com:443", "Yarn's name for the same registry"},
    PresetHost{"npm", "nodejs.org:443", "headers that node-gyp compiles against"},

    PresetHost{"pypi", "pypi.org:443", "the index"},
    PresetHost{"pypi", "files.pythonhosted.org:443", "the packages"},

    PresetHost{"crates", "index.crates.io:443", "the sparse index"},
    PresetHost{"crates", "static.crates.io:443", "the packages"},
    PresetHost{"crates", "crates.io:443", "cargo search; older versions of cargo download here"},

    PresetHost{"go", "proxy.golang.org:443", "modules and toolchains"},
    PresetHost{"go", "sum.golang.org:443", "the checksum database"},
    PresetHost{"go", "storage.googleapis.com:443", "large modules: the proxy redirects there"},
    PresetHost{"go", "dl.google.com:443", "toolchains: the proxy redirects there"},

    PresetHost{"github", "github.com:443", "git over HTTPS, releases"},
    PresetHost{"github", "api.github.com:443", "the API"},
    PresetHost{"github", "codeload.github.com:443", "archives of a repository"},
    PresetHost{"github", "raw.githubusercontent.com:443", "single files"},
    PresetHost{"github", "objects.githubusercontent.com:443", "release files, Git LFS"},
    PresetHost{"github", "release-assets.githubusercontent.com:443", "release files"},

    PresetHost{"debian", "deb.debian.org:80", "packages; apt checks their signatures"},
    PresetHost{"debian", "deb.debian.org:443", "packages"},
    PresetHost{"debian", "security.debian.org:80", "security updates"},
    PresetHost{"debian", "security.debian.org:443", "security updates"},
};

}  // namespace

std::span<const PresetHost> preset_hosts() noexcept { return kHosts; }

bool is_preset(std::string_view word) noexcept {
    return std::any_of(kHosts.begin(), kHosts.end(),
                       [&](const PresetHost& each) { return each.preset == word; });
}

std::string preset_names() {
    std::string names;
    std::string_view last;
    for (const PresetHost& each : kHosts) {
        if (each.preset == last) continue;
        names += (names.empty() ? "" : ", ") + std::string(each.preset);
        last = each.preset;
    }
    return names;
}

namespace {

Failure wrong_rule(std::string_view why) { return refuse(Code::kInvalidArgument, why); }

// Is `name` a subdomain of `domain`?
bool is_below(std::string_view name, std::string_view domain) {
    return name.size() > domain.size() && name.ends_with(domain) &&
           name[name.size() - domain.size() - 1] == '.';
}

bool is_localhost(std::string_view name) {
    return name == "localhost" || is_below(name, "localhost");
}

// What stands behind "host:". A host of that name has a port there.
std::optional<std::string_view> behind(std::string_view prefix, std::string_view entry) {
    if (!entry.starts_with(prefix)) return std::nullopt;
    entry.remove_prefix(prefix.size());
    return parse_port(entry) ? std::nullopt : std::optional(entry);
}

constexpr std::string_view kNoPreset =
    "is not a preset (npm, pypi, crates, go, github, debian); write host:NAME for a host without "
    "dots";

// A misspelt preset must not pass for a host.
bool is_bare_word(std::string_view entry) {
    return !entry.empty() && entry.find_first_of(".:/*") == entry.npos && !is_localhost(entry);
}

// Of the network that the machine stands in.
bool is_of_site(AddressClass which) {
    return which == AddressClass::kPrivate || which == AddressClass::kShared;
}

std::string_view leads_to(AddressClass which) {
    switch (which) {
        case AddressClass::kPrivate:
        case AddressClass::kShared: return "leads to a private address that is not listed";
        case AddressClass::kLoopback: return "leads to a loopback address that is not listed";
        case AddressClass::kLinkLocal: return "leads to a link-local address that is not listed";
        case AddressClass::kMetadata: return "leads to a metadata service that is not listed";
        default: return "leads to an address that is not public and not listed";
    }
}

// The entry that allows it; empty: none should.
std::string entry_to_allow(const Destination& destination,
                           const std::optional<IpAddress>& refused) {
    const Host& host = destination.host;
    const std::string place = destination_text(destination);
    if (refused && !host.address) {
        if (is_of_site(classify(*refused))) return "private:" + place;
        return entry_to_allow({{address_text(*refused), *refused}, destination.port}, {});
    }
    for (const PresetHost& each : preset_hosts()) {
        const std::string_view name = each.host.substr(0, each.host.rfind(':'));
        if (each.host == place || (destination.port == 0 && name == host.text)) {
            return std::string(each.preset);
        }
    }
    if (host.address) {
        const AddressClass which = classify(*host.address);
        const bool is_closed =
            which == AddressClass::kMetadata || which == AddressClass::kLinkLocal;
        return is_closed ? "" : place;
    }
    const bool is_web = destination.port == 80 || destination.port == 443 || destination.port == 0;
    if (!is_web) return place;
    return (is_bare_word(host.text) ? "host:" : "") + host.text;
}

// A shell would take these for patterns of file names.
std::string shell_word(const std::string& entries) {
    return entries.find_first_of("*[") == entries.npos ? entries : "'" + entries + "'";
}

}  // namespace

std::string HostRules::option_to_allow(const Destination& destination,
                                       const std::optional<IpAddress>& refused) const {
    const std::string entry = entry_to_allow(destination, refused);
    if (entry.empty()) return {};
    std::string list;
    for (const std::string& each : entries_) list += each + ",";
    const bool is_host = list.empty() && !is_preset(entry);
    std::string option = (is_host ? "--allow-host " : "--net ") + shell_word(list + entry);
    return option.size() > kAllowOptionBytesMax ? std::string() : option;
}

bool HostRules::fits(const Rule& rule, const Destination& destination) {
    const Host& host = destination.host;
    const bool is_host = rule.below
                             ? !host.address && is_below(host.text, rule.host.text)
                             : host.address == rule.host.address && host.text == rule.host.text;
    return is_host && rule.port.value_or(destination.port) == destination.port;
}

Result<HostRules> HostRules::parse(std::span<const std::string> entries) {
    if (entries.size() > limits::kHostRulesMax) {
        return as_error(refuse(Code::kLimitReached, "has more than 256 entries"), "allow", {});
    }
    HostRules rules;
    for (const std::string& entry : entries) {
        if (const Done added = rules.add(entry); !added) {
            return as_error(added.error(), "allow", entry);
        }
    }
    rules.entries_.assign(entries.begin(), entries.end());
    return rules;
}

Done HostRules::add(std::string_view entry) {
    if (is_preset(entry)) {
        for (const PresetHost& each : preset_hosts()) {
            if (each.preset != entry) continue;
            PADDOCK_ASSIGN(rule, parse_rule(each.host));
            rules_.push_back(std::move(rule));
        }
        return {};
    }
    const auto of_site = behind("private:", entry);
    const auto named = of_site ? of_site : behind("host:", entry);
    if (!named && is_bare_word(entry)) return wrong_rule(kNoPreset);
    PADDOCK_ASSIGN(rule, parse_rule(named.value_or(entry)));
    if (of_site && rule.host.address) return wrong_rule("is an address; list it without private:");
    if (of_site && is_localhost(rule.host.text)) {
        return wrong_rule("is this machine, which private: never covers; list it without private:");
    }
    rule.leads_to_private = of_site.has_value();
    rules_.push_back(std::move(rule));
    return {};
}

Outcome<HostRules::Rule> HostRules::parse_rule(std::string_view entry) {
    if (entry.find("://") != entry.npos) return wrong_rule("is a URL; write the host or host:port");
    if (entry.find('/') != entry.npos) {
        return wrong_rule("has a slash; paths and ranges of addresses cannot be listed");
    }
    if (const auto address = parse_address(entry); address && address->v6) {
        return Rule{false, Host{address_text(*address), address}, {}};
    }
    Rule rule;
    rule.below = entry.starts_with("*.");
    const std::string_view rest = entry.substr(rule.below ? 2 : 0);
    if (rest.find('*') != rest.npos) {
        return wrong_rule("has a star in the wrong place; only \"*.\" before a domain is accepted");
    }
    // 0 is no port that could be written.
    PADDOCK_ASSIGN(destination, parse_destination(rest, std::uint16_t{0}));
    if (rule.below && destination.host.address) return wrong_rule("has a star before an address");
    rule.host = std::move(destination.host);
    if (destination.port != 0) rule.port = destination.port;
    return rule;
}

std::optional<std::string_view> HostRules::refusal(const Destination& destination) const {
    if (rules_.empty()) return "is out of reach: commands have no network";
    const bool is_listed = std::any_of(rules_.begin(), rules_.end(),
                                       [&](const Rule& rule) { return fits(rule, destination); });
    if (is_listed) return std::nullopt;
    return has(destination.host) ? "is on the allow list with another port only"
                                 : "is not on the allow list";
}

bool HostRules::has(const Host& host) const {
    return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        return fits(rule, {host, rule.port.value_or(0)});
    });
}

std::optional<std::string_view> HostRules::refusal(const Destination& destination,
                                                   const IpAddress& address) const {
    if (const auto why = refusal(destination)) return why;
    const AddressClass which = classify(address);
    if (which == AddressClass::kPublic || lists(address, destination.port)) return std::nullopt;
    const bool own_loopback =
        which == AddressClass::kLoopback && is_localhost(destination.host.text);
    const bool by_itself = std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        return !rule.below && rule.host.text == destination.host.text &&
               rule.port.value_or(destination.port) == destination.port;
    });
    if (own_loopback && by_itself) return std::nullopt;
    const bool may_be_private = std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        return rule.leads_to_private && fits(rule, destination);
    });
    if (may_be_private && is_of_site(which)) return std::nullopt;
    return leads_to(which);
}

bool HostRules::lists(const IpAddress& address, std::uint16_t port) const {
    return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        return rule.host.address == address && rule.port.value_or(port) == port;
    });
}

}  // namespace paddock::policy
