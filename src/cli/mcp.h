// Serves a workspace on standard input and output. Nothing but the protocol goes to standard
// output.
#pragma once

#include "cli/arguments.h"

namespace paddock::cli {

int run(const McpRequest& request);

}  // namespace paddock::cli
