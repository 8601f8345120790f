// resolve, doctor, prove: what paddock can do here, and whether it holds.
#pragma once

#include <vector>

#include "cli/command.h"

namespace paddock::cli {

std::vector<Command> host_commands();

}  // namespace paddock::cli
