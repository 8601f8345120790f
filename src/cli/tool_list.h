// `paddock tools`: what an agent gets.
#pragma once

#include "cli/arguments.h"

namespace paddock::cli {

int run(const ToolListRequest& request);

}  // namespace paddock::cli
