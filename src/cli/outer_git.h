// What configurations of git that lie outside of the workspace say about it: the user's own, and
// that of a repository whose git directory lies elsewhere, as that of a linked worktree, of a
// submodule, or of a workspace in the middle of a repository.
#pragma once

#include <string>
#include <vector>

#include <paddock/workspace.h>

namespace paddock::cli {

// The text of the file that core.excludesFile names in the user's configuration, or that lies in
// its usual place ($XDG_CONFIG_HOME/git/ignore); empty if there is none. With it searches pass over
// the same files in every repository. What else may set it is not looked at: the system's and the
// repository's configuration, and includes.
std::string git_excludes();

// Hooks and configurations that lie in the workspace, and the links inside that lead to them,
// read-only. What is configured later counts for the next session. Repositories inside are not
// looked at: the session does that, again and again.
std::vector<PathRule> rules_of_outer_git(const std::string& root);

}  // namespace paddock::cli
