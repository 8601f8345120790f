// The variables that paddock was started with.
#pragma once

#include <string>
#include <vector>

namespace paddock::cli {

std::vector<std::string> host_environment();  // "NAME=value"

}  // namespace paddock::cli
