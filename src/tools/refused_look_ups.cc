#include "tools/refused_look_ups.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "policy/host_rules.h"

namespace paddock::tools {
namespace {

// What programs print before the host.
constexpr std::array<std::string_view, 8> kBeforeHost{
    "getaddrinfo EAI_AGAIN ",           // Node, npm
    "getaddrinfo ENOTFOUND ",           // Node
    "Could not resolve host: ",         // curl, git, cargo
    "Could not resolve hostname ",      // ssh
    "unable to resolve host address ",  // wget
    "Failed to resolve ",               // Python's urllib3
    "Temporary failure resolving ",     // apt
    "dial tcp: lookup ",                // Go
};

// What some print without naming the host.
constexpr std::array<std::string_view, 3> kWithoutHost{"Temporary failure in name resolution",
                                                       "Name or service not known",
                                                       "failed to lookup address information"};

constexpr std::string_view kWhy =
    "is out of reach: commands have no network, and allowed hosts need a network namespace (see "
    "`paddock doctor`)";

bool is_of_host(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_'; }

// Behind quotes of any language, which are no ASCII.
std::string_view host_at(std::string_view text) {
    constexpr std::size_t kQuoteBytesMax = 3;
    const auto* begin = std::find_if(text.begin(), text.end(), is_of_host);
    if (begin - text.begin() > static_cast<std::ptrdiff_t>(kQuoteBytesMax)) return {};
    const auto* const end = std::find_if_not(begin, text.end(), is_of_host);
    std::string_view host(begin, static_cast<std::size_t>(end - begin));
    while (host.ends_with('.')) host.remove_suffix(1);
    return host;
}

bool is_of_this_machine(std::string_view name) {
    return name == "localhost" || name.ends_with(".localhost");
}

sandbox::Denial denial_of(std::string target, std::string option) {
    return {.wall = sandbox::Wall::kNetwork,
            .deed = sandbox::Deed::kResolve,
            .target = std::move(target),
            .why = std::string(kWhy),
            .option = std::move(option)};
}

void add_hosts(std::string_view printed, std::string_view before,
               std::vector<sandbox::Denial>& denials) {
    const policy::HostRules nothing_allowed;
    for (;;) {
        const std::size_t found = printed.find(before);
        if (found == printed.npos) return;
        printed.remove_prefix(found + before.size());
        const auto host = policy::parse_host(host_at(printed));
        if (!host || is_of_this_machine(host->text)) continue;
        denials.push_back(denial_of(host->text, nothing_allowed.option_to_allow({*host, 0})));
    }
}

}  // namespace

std::vector<sandbox::Denial> refused_look_ups(std::string_view printed) {
    std::vector<sandbox::Denial> denials;
    for (const std::string_view before : kBeforeHost) add_hosts(printed, before, denials);
    const bool is_nameless =
        denials.empty() &&
        std::any_of(kWithoutHost.begin(), kWithoutHost.end(),
                    [&](std::string_view words) { return printed.find(words) != printed.npos; });
    if (is_nameless) denials.push_back(denial_of("any host", {}));
    return denials;
}

}  // namespace paddock::tools
