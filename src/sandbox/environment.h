// The variables that a command gets: a fixed basis, the few of the host that are let through, those
// of the operator. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <paddock/shell.h>

namespace paddock::sandbox {

// Variables of the host that commands get: how to talk to the person, nothing about who it is.
inline constexpr std::array<std::string_view, 19> kPassedVariables{"COLORTERM",
                                                                   "LANG",
                                                                   "LANGUAGE",
                                                                   "LC_ADDRESS",
                                                                   "LC_ALL",
                                                                   "LC_COLLATE",
                                                                   "LC_CTYPE",
                                                                   "LC_IDENTIFICATION",
                                                                   "LC_MEASUREMENT",
                                                                   "LC_MESSAGES",
                                                                   "LC_MONETARY",
                                                                   "LC_NAME",
                                                                   "LC_NUMERIC",
                                                                   "LC_PAPER",
                                                                   "LC_TELEPHONE",
                                                                   "LC_TIME",
                                                                   "NO_COLOR",
                                                                   "TERM",
                                                                   "TZ"};

struct Environment {
    std::vector<std::string> variables;  // "NAME=value", no name twice
    std::vector<std::string> withheld;   // names of the host's that were not passed, sorted
};

// What commands need in their environment to find the proxy on this port of 127.0.0.1:
// "HTTP_PROXY=http://127.0.0.1:3128", ... in both spellings. Their own loopback is reached
// directly.
std::vector<std::string> proxy_environment(std::uint16_t port);

// What commands find in their sandbox.
struct Surroundings {
    std::string home = {};
    std::string temporary = {};
    std::string search_path = {};  // PATH; empty: the system's directories. "~/": in `home`
    std::span<const std::string> variables = {};  // of toolchains: "NAME=value"
    std::string git_config = {};                  // of the system, for git; empty: there is none
    std::uint16_t proxy_port = 0;                 // on 127.0.0.1, for the usual proxy variables
};

// `host`: "NAME=value" as in environ; what has no name is left out. Order of precedence: operator,
// proxy, passed, surroundings, and what package managers obey where they cannot reach everything.
Environment command_environment(const ShellOptions& options, std::span<const std::string> host,
                                const Surroundings& surroundings);

}  // namespace paddock::sandbox
