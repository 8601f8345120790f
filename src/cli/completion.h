// Completions for shells: commands, options, their choices, and the names of files, in the
// workspace that --root names where a path is meant.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace paddock::cli {

std::string bash_completion(const std::vector<Command>& commands);
std::string zsh_completion(const std::vector<Command>& commands);
std::string fish_completion(const std::vector<Command>& commands);

}  // namespace paddock::cli
