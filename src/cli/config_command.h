// `paddock config` and `paddock init`.
#pragma once

#include <vector>

#include "cli/parser.h"

namespace paddock::cli {

std::vector<Command> config_commands();

int run(const ConfigRequest& request);
int run(const InitRequest& request);

}  // namespace paddock::cli
