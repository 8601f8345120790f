#include "policy/host_rules.h"

#include <paddock/limits.h>

#include <algorithm>
#include <utility>

#include "base/outcome.h"
#include "policy/host_presets.h"

namespace paddock::policy {
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
    "is no preset (npm, pypi, crates, go, github, debian); write host:NAME for a host without dots";

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
        return wrong_rule("is this machine; private: never leads there, list it without private:");
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
        return wrong_rule("has a star elsewhere than in \"*.\" before a domain");
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
