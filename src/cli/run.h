// paddock run: a command of a person's in the same sandbox that an agent's commands get.
#pragma once

#include "cli/arguments.h"

namespace paddock::cli {

// The exit code of the command; 128 and the signal's number if it was killed by one, as shells say.
int run(const RunRequest& request);

}  // namespace paddock::cli
