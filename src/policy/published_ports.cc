#include "policy/published_ports.h"

#include <algorithm>
#include <string_view>

#include <paddock/limits.h>

#include "policy/host_rules.h"

namespace paddock::policy {
namespace {

Outcome<PublishedPort> parse_one(std::string_view text) {
    const std::size_t colon = text.find(':');
    PADDOCK_ASSIGN(outside, parse_port(text.substr(0, colon)));
    if (colon == text.npos) return PublishedPort{outside, outside};
    PADDOCK_ASSIGN(inside, parse_port(text.substr(colon + 1)));
    return PublishedPort{outside, inside};
}

}  // namespace

Outcome<PublishedPorts> PublishedPorts::parse(std::span<const std::string> texts) {
    PublishedPorts parsed;
    for (const std::string& text : texts) {
        if (text == "auto") {
            parsed.finds_servers = true;
            continue;
        }
        const auto port = parse_one(text);
        if (!port) {
            return refuse(Code::kInvalidArgument,
                          "is neither 'auto' nor a port such as 3000 or 8080:3000");
        }
        const bool is_taken =
            std::any_of(parsed.ports.begin(), parsed.ports.end(),
                        [&](const PublishedPort& other) { return other.outside == port->outside; });
        if (is_taken) return refuse(Code::kInvalidArgument, "names a port of this machine twice");
        if (parsed.ports.size() == limits::kPublishedPortsMax) {
            return refuse(Code::kInvalidArgument,
                          "exceeds the number of ports that can be published");
        }
        parsed.ports.push_back(*port);
    }
    return parsed;
}

}  // namespace paddock::policy
