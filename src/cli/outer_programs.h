// The user's programs in a workspace that holds the user's home.
#pragma once

#include <string>
#include <vector>

#include <paddock/workspace.h>

namespace paddock::cli {

// What the user runs by its name must not be the agent's: directories of the home that are on PATH
// and the toolchains that commands could see elsewhere cannot be changed, but node_modules and
// virtual environments can. None for a workspace inside the home, which is made to be changed.
std::vector<PathRule> rules_of_programs(const std::string& root);

}  // namespace paddock::cli
