#include "policy/host_rules.h"

#include <paddock/limits.h>

#include <algorithm>
#include <utility>

#include "base/outcome.h"

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

}  // namespace

Result<HostRules> HostRules::parse(std::span<const std::string> entries) {
    if (entries.size() > limits::kHostRulesMax) {
        return as_error(refuse(Code::kLimitReached, "has more than 256 entries"), "allow", {});
    }
    HostRules rules;
    for (const std::string& entry : entries) {
        auto rule = parse_rule(entry);
        if (!rule) return as_error(rule.error(), "allow", entry);
        rules.rules_.push_back(std::move(*rule));
    }
    return rules;
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
    bool other_port = false;
    for (const Rule& rule : rules_) {
        const Host& host = destination.host;
        const bool fits = rule.below
                              ? !host.address && is_below(host.text, rule.host.text)
                              : host.address == rule.host.address && host.text == rule.host.text;
        if (!fits) continue;
        if (rule.port.value_or(destination.port) == destination.port) return std::nullopt;
        other_port = true;
    }
    return other_port ? "is on the allow list with another port only" : "is not on the allow list";
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
    return leads_to(which);
}

bool HostRules::lists(const IpAddress& address, std::uint16_t port) const {
    return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        return rule.host.address == address && rule.port.value_or(port) == port;
    });
}

}  // namespace paddock::policy
