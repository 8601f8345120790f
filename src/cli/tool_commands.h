// The tools on the command line: as commands for people ("cat" is read_file, "ls" is
// list_directory), and by name, as an agent calls them.
#pragma once

#include <vector>

#include "cli/command.h"

namespace paddock::cli {

std::vector<Command> tool_commands();

}  // namespace paddock::cli
