// `paddock clean`: empties the homes of commands that last.
#pragma once

#include "cli/parser.h"

namespace paddock::cli {

Command clean_command();

int run(const CleanRequest& request);

}  // namespace paddock::cli
