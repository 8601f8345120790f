// `paddock undo` and `paddock redo`.
#pragma once

#include <vector>

#include "cli/command.h"

namespace paddock::cli {

std::vector<Command> undo_commands();

int run(const UndoRequest& request);

}  // namespace paddock::cli
