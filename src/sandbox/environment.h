// The variables that a command gets: a fixed basis, the few of the host that are let through, those
// of the operator. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <paddock/shell.h>

namespace paddock::sandbox {

struct Environment {
    std::vector<std::string> variables;  // "NAME=value", no name twice
    std::vector<std::string> withheld;   // names of the host's that were not passed, sorted
};

// `host`: "NAME=value" as in environ; what has no name is left out. With a proxy port the usual
// proxy variables point to 127.0.0.1. Order of precedence: operator, proxy, passed, basis.
Environment command_environment(const ShellOptions& options, std::span<const std::string> host,
                                const std::string& home, const std::string& temporary,
                                std::uint16_t proxy_port);

}  // namespace paddock::sandbox
