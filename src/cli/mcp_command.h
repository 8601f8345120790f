// mcp: the words of the command that serves a workspace to an agent.
#pragma once

#include "cli/command.h"

namespace paddock::cli {

Command mcp_command();

}  // namespace paddock::cli
