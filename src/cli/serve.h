// paddock serve: a workspace over HTTP, for agents that do not start their server themselves.
#pragma once

#include "cli/arguments.h"
#include "cli/parser.h"

namespace paddock::cli {

// Until a signal ends it.
int run(const ServeRequest& request);

// The words of `paddock serve`.
Command serve_command();

}  // namespace paddock::cli
