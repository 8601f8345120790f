// What configurations of git that lie outside of the workspace say about it: the user's own, and
// that of a repository whose git directory lies elsewhere, as that of a linked worktree, of a
// submodule, or of a workspace in the middle of a repository.
#pragma once

#include <string>
#include <vector>

#include <paddock/root.h>
#include <paddock/workspace.h>

namespace paddock::cli {

// The text of the file that core.excludesFile names in the user's configuration, or that lies in
// its usual place ($XDG_CONFIG_HOME/git/ignore); empty if there is none. With it searches pass over
// the same files in every repository. What else may set it is not looked at: the system's and the
// repository's configuration, and includes.
std::string git_excludes();

// user.name and user.email of the user's configuration, nothing else of it. Empty where it does
// not say; includes are not followed.
GitAuthor git_author();

// Hooks and configurations that lie in the workspace, and the links inside that lead to them,
// read-only. What is configured later counts for the next session.
//
// Settings of repositories inside the session reads itself, again and again. Here it gets what it
// cannot see: what they reach by a way that begins outside, and through files outside that they
// include. The directory of a repository where that cannot be read is read-only as a whole. A
// session asks for the workspace's own: to find all takes a search through the workspace.
enum class InnerRepositories : bool { kOwn, kAll };
std::vector<PathRule> rules_of_outer_git(const std::string& root, InnerRepositories inner);

// The directories of all repositories below `root`, which passes no link.
std::vector<std::string> repositories_in(const Root& root);

}  // namespace paddock::cli
