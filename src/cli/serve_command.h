// The words of `paddock serve`.
#pragma once

#include "cli/command.h"

namespace paddock::cli {

Command serve_command();

}  // namespace paddock::cli
