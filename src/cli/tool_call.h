// Runs a tool for a person or a script, and prints its answer.
#pragma once

#include "cli/arguments.h"

namespace paddock::cli {

int run(const ToolRequest& request);

}  // namespace paddock::cli
