// Which settings a repository made inside a workspace may have: only those that are known to
// neither run a program nor lead elsewhere. Everything git learns in future is refused by that.
//
// Settings that were there before are trusted: whoever owns the workspace may have made them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "git/config.h"

namespace paddock::git {

// Where a relative path of a setting begins.
enum class PathFrom : bool { kGitDirectory, kWorktree };

// Does this path stay inside the workspace?
using LeadsInside = std::function<bool(std::string_view path, PathFrom from)>;

// Can this setting neither run a program nor lead out of the workspace?
bool is_benign(const GitSetting& setting, const LeadsInside& leads_inside);

// Those that lead git to a repository on this host: by a path, or by a name that is no remote's.
std::vector<GitSetting> repositories_here(const std::vector<GitSetting>& settings);

struct GitVerdict {
    std::vector<std::string> refused{};  // keys, each once; empty: the text may stay
    bool unreadable = false;             // no configuration, or too large

    bool is_clean() const { return refused.empty() && !unreadable; }
    // What is refused, for a sentence: of many keys the first, of long ones both ends.
    std::string summary() const;
};

GitVerdict judge_git_config(std::string_view text, const std::vector<GitSetting>& trusted,
                            const LeadsInside& leads_inside);

}  // namespace paddock::git
