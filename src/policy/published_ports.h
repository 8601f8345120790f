// Which ports of commands are reached from this machine, as the operator writes them. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/outcome.h"

namespace paddock::policy {

struct PublishedPort {
    std::uint16_t outside = 0;  // on 127.0.0.1 of this machine
    std::uint16_t inside = 0;   // where the command listens

    friend bool operator==(const PublishedPort&, const PublishedPort&) = default;
};

struct PublishedPorts {
    bool finds_servers = false;  // "auto": those that commands start
    std::vector<PublishedPort> ports{};

    bool empty() const { return !finds_servers && ports.empty(); }

    // "auto", "3000" or "8080:3000" (outside, inside). Errors: invalid_argument with the reason.
    static Outcome<PublishedPorts> parse(std::span<const std::string> texts);
};

}  // namespace paddock::policy
