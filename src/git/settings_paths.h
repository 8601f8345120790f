// Where the settings of git lead: to files that they include and to the directory of hooks that
// they name. Advisory: files are read while others may change them.
//
// An answer is complete, or it names what could not be read. "Could not look" never means "there is
// nothing": an unreadable file may lead anywhere. Only what is not there leads nowhere.
//
// Not seen here: what lies outside of the root, and other ways to it that begin outside. Whoever
// can look there adds that (cli/outer_git.h).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/limits.h>

#include "git/tree_view.h"

namespace paddock::git {

// The symbolic links that whoever follows a path passes, and where it ends, or would end if what is
// missing were made.
//
// Advisory: the links may change while they are read. A link that leads outside or in circles ends
// the trail. What cannot be looked at ends it too, and is named: the rest is not known then.

// The only failure that is an answer. Any other means that nobody could look.
bool is_not_there(const Failure& failure);

struct LinkTrail {
    std::vector<std::string> links;  // each where it lies, relative to the root, canonical
    std::optional<std::string> end;  // canonical, there or not; nothing if it is not inside
    std::string unread;              // what could not be looked at; empty: all could
};

// `path` is relative to the root, or absolute; `root` must pass no link.
LinkTrail follow_links(const TreeView& tree, std::string_view path);

// A ".git" file or a "commondir": a path, and a few bytes around it.
inline constexpr std::uint64_t kPointerBytesMax = limits::kPathBytesMax + 64;

// Where a path in a file of git's leads, relative to the root ("" is the root itself); nothing if
// it leads out. `from`: the directory that a relative path begins in. As text: no link is looked
// up.
std::optional<std::string> resolve_git_path(const TreeView& tree, std::string_view from,
                                            std::string_view path);

// The path that a ".git" file or a "commondir" with this content names, not yet resolved.
std::optional<std::string> pointer_target(std::string_view content, std::string_view name);

// What the repository in `directory` makes git obey besides its own parts, if that lies inside:
// files that its config includes, the directory of core.hooksPath, and where links among its hooks
// lead. Nothing if there is none. `home` is what "~/" stands for; empty: nothing.
struct ObeyedPaths {
    std::vector<std::string> all = {};
    std::string git_directory = {};
    bool is_by_pointer = false;  // ".git" is a file or a link, which may lead elsewhere any time
    // core.hooksPath as text, if git begins it in the worktree: it counts for every directory whose
    // ".git" leads here.
    std::vector<std::string> relative_hooks = {};
    std::string unread = {};     // the first thing that could not be read; then `all` is a part
    bool leads_outside = false;  // to settings that are not seen from here
};
ObeyedPaths paths_obeyed_in(const TreeView& tree, const std::string& directory,
                            std::string_view home);

// A repository whose settings lead somewhere inside, or cannot be read.
struct LeadingRepository {
    std::string directory;             // that holds its ".git", or a bare one itself
    std::string git_directory;         // elsewhere, if ".git" is a file
    std::vector<std::string> outside;  // of what it makes git obey: what is not in its directory
    std::string unread = {};           // see ObeyedPaths
    std::vector<std::string> relative_hooks = {};
};
// Those among the repositories in `directories`.
std::vector<LeadingRepository> leading_repositories(const TreeView& tree,
                                                    const std::vector<std::string>& directories,
                                                    std::string_view home);

// Where these core.hooksPath lead from `worktree`, and links among the hooks there.
ObeyedPaths hooks_obeyed_from(const TreeView& tree, const std::string& worktree,
                              const std::set<std::string>& relative_hooks);

// What this git directory makes git obey when it is used from `worktree`.
ObeyedPaths paths_obeyed_by(const TreeView& tree, const std::string& git_directory,
                            const std::string& worktree, std::string_view home);

}  // namespace paddock::git
