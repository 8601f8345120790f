// `paddock install` and `paddock uninstall`: an entry in the file in which an agent keeps its
// servers. Everything else in it stays byte for byte; what cannot be kept is not touched, and the
// entry is shown to be pasted. A file is replaced at once or not at all, after a copy was made.
#pragma once

#include <vector>

#include "cli/parser.h"

namespace paddock::cli {

std::vector<Command> registration_commands();

int run(const RegisterRequest& request);

}  // namespace paddock::cli
