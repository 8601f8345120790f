// Where the settings of git lead: to files that they include and to the directory of hooks that
// they name. Advisory: files are read while others may change them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/limits.h>
#include <paddock/root.h>

namespace paddock::git {

// A ".git" file or a "commondir": a path, and a few bytes around it.
inline constexpr std::uint64_t kPointerBytesMax = limits::kPathBytesMax + 64;

// Where a path in a file of git's leads, relative to the root ("" is the root itself); nothing if
// it leads out. `from`: the directory that a relative path begins in. As text: no link is looked
// up.
std::optional<std::string> resolve_git_path(const Root& root, std::string_view from,
                                            std::string_view path);

// The path that a ".git" file or a "commondir" with this content names, not yet resolved.
std::optional<std::string> pointer_target(std::string_view content, std::string_view name);

// What the repository in `directory` makes git obey besides its own parts, if that lies inside:
// files that its config includes, the directory of core.hooksPath, and where links among its hooks
// lead. Nothing if there is none. `home` is what "~/" stands for; empty: nothing.
struct ObeyedPaths {
    std::vector<std::string> all = {};
    bool is_by_pointer = false;  // ".git" is a file or a link, which may lead elsewhere any time
};
ObeyedPaths paths_obeyed_in(const Root& root, const std::string& directory, std::string_view home);
// What this git directory makes git obey when it is used from `worktree`.
std::vector<std::string> paths_obeyed_by(const Root& root, const std::string& git_directory,
                                         const std::string& worktree, std::string_view home);

}  // namespace paddock::git
