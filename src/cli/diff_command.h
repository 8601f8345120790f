// `paddock diff`.
#pragma once

#include "cli/parser.h"

namespace paddock::cli {

Command diff_command();

int run(const DiffRequest& request);

}  // namespace paddock::cli
