// The rules that the user's git applies in every repository, so that searches from the command line
// pass over the same files.
#pragma once

#include <string>
#include <string_view>

namespace paddock::cli {

// The text of the file that core.excludesFile names in the user's configuration of git, or that
// lies in its usual place ($XDG_CONFIG_HOME/git/ignore); empty if there is none. What else may set
// it is not looked at: the system's and the repository's configuration, and includes.
std::string git_excludes();

// What a configuration says of core.excludesFile, as it is written there; empty: nothing.
std::string excludes_file_in(std::string_view config);

}  // namespace paddock::cli
