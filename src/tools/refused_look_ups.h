// Look-ups of host names that failed where commands have no sockets, and with them no proxy that
// could report a host. They are known by what the command printed: "Could not resolve host: HOST"
// and the like. What is reported is true of each host, whatever the command printed.
#pragma once

#include <string_view>
#include <vector>

#include "sandbox/denial.h"

namespace paddock::tools {

std::vector<sandbox::Denial> refused_look_ups(std::string_view printed);

}  // namespace paddock::tools
