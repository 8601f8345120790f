// Which hosts the commands of a session may reach: the operator's allow list.
//
//   "example.org"        that name, every port        "example.org:443"  that port only
//   "*.example.org"      every name below it, at any depth; not example.org itself
//   "10.1.2.3:8080"      that address                 "[::1]", "::1"     likewise
//   "npm"                the hosts of a preset (host_presets.h)
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

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>

#include "base/outcome.h"
#include "policy/destination.h"

namespace paddock::policy {

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
