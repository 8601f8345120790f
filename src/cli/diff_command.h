// `paddock diff`.
#pragma once

#include "cli/command.h"

namespace paddock::cli {

Command diff_command();

int run(const DiffRequest& request);

}  // namespace paddock::cli
