// Calls tools for a person or a script, and prints their answers.
#pragma once

#include "cli/arguments.h"

namespace paddock::cli {

int run(const ToolRequest& request);

}  // namespace paddock::cli
