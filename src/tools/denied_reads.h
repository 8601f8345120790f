// What commands were denied and nobody reports: reads of hidden files, look-ups without a proxy.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/denial.h"
#include "tools/session_root.h"

namespace paddock::tools {

// Names in the complaints of a command, and files of such names, that are compared.
inline constexpr std::size_t kComplaintNamesMax = 256;

// Reads of hidden files that a command was denied. The kernel tells nobody but the command of a
// read that fails, so they are known by what it printed: a line that says "Permission denied" and
// names a file that is covered. What is reported is true of that file, whatever the command
// printed.
//
// Not found: names with spaces, quotes, brackets or colons.

struct ReadsToFind {
    std::string_view printed;
    // Where the command began, and where the session is now; relative to the workspace or absolute.
    std::array<std::string, 2> directories;
    std::span<SessionRoot* const> roots;  // the workspace first
    bool can_add_rule = false;            // the operator has none, which --rule would replace
};

std::vector<sandbox::Denial> refused_reads(const ReadsToFind& command);

// Look-ups of host names that failed where commands have no sockets, and with them no proxy that
// could report a host. They are known by what the command printed: "Could not resolve host: HOST"
// and the like. What is reported is true of each host, whatever the command printed.
std::vector<sandbox::Denial> refused_look_ups(std::string_view printed);

}  // namespace paddock::tools
