// `paddock log`.
#pragma once

#include "cli/command.h"

namespace paddock::cli {

Command log_command();

int run(const LogRequest& request);

}  // namespace paddock::cli
