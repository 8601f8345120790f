// Completions for shells: commands, options, their choices, and the names of files, in the
// workspace that --root names where a path is meant.
#pragma once

#include <string>
#include <vector>

#include "cli/parser.h"

namespace paddock::cli {

// The words with a space between each.
std::string spaced(const std::vector<std::string>& words);

std::string bash_completion(const std::vector<Command>& commands);
std::string zsh_completion(const std::vector<Command>& commands);
std::string fish_completion(const std::vector<Command>& commands);

}  // namespace paddock::cli
