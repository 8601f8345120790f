// The words of `paddock run`: how a person asks for a sandbox.
#pragma once

#include "cli/parser.h"

namespace paddock::cli {

Command run_command();

}  // namespace paddock::cli
