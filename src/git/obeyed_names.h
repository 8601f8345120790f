// Names and paths that mean something to git, for the judge.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "git/judge.h"

namespace paddock::git {

// Directories of a git directory in which nothing is made, samples of hooks excepted.
inline constexpr std::array<std::string_view, 4> kClosedDirectories = {"hooks", "remotes",
                                                                       "branches", "rr-cache"};
// The one that is not made either: that it is there has git replay what it recorded.
inline constexpr std::string_view kRerereCache = "rr-cache";
// Names files from which git records there, and which it resolves.
inline constexpr std::string_view kRerereList = "MERGE_RR";
// Those in which git writes to names that are its users' choice.
inline constexpr std::array<std::string_view, 6> kFilledByGit = {"info",    "logs", "modules",
                                                                 "objects", "refs", "worktrees"};
inline constexpr std::array<std::string_view, 2> kConfigs = {"config", "config.worktree"};

// In "objects/info": they name directories of objects that git takes for its own.
inline constexpr std::array<std::string_view, 2> kAlternates = {"alternates", "http-alternates"};

// The index, or the part of one that several share.
bool is_index(std::string_view name);

// A file that git obeys by what it says, if `git_directory` is one.
struct JudgedFile {
    std::string_view git_directory;
    std::string_view rule;
};
// By the path alone.
std::optional<JudgedFile> judged_file(std::string_view path);

// Where a directory ignores case, git finds them under any.
bool is_called(std::string_view name, std::string_view wanted);

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view each) { return is_called(name, each); });
}

Refusal sealed(std::string_view rule);
Refusal not_readable(std::string_view path);

// "name/..": git goes up from where the name leads, which a link makes another place than the text
// says. What git writes itself has ".." at its beginning only.
bool goes_up_from_a_name(std::string_view path);

// The git directory of a submodule, "X/.git/modules/NAME", may have a worktree below X: then the
// two move together, and no link or other place of X leads git elsewhere.
bool is_worktree_of_submodule(std::string_view git_directory, std::string_view path);

// The one that is called like it. For a submodule that was moved it is another.
bool is_usual_worktree(std::string_view git_directory, std::string_view path);

// The first of the names that a default rule gives, of a path that it matches: a session that makes
// ".github" itself has not made the tree that ".github/hooks" is in.
std::string_view first_named(std::string_view path, std::string_view pattern);

// Which entries of a walk need not be judged.
//
// Judge::remove() and Judge::carry() look at every name of a path, so a deep tree would cost the
// square of its depth. But most names mean nothing to a rule or to git, wherever they are. A path
// of such names alone is refused only for the directory that the walk began in, which was judged.
class OrdinaryNames {
public:
    // The directory may be removed, or names may be carried into it.
    OrdinaryNames(const Judge& judge, std::string_view directory);

    // Asked of each entry, in the order of the walk: is nothing below the directory to be refused
    // because of this one? False if the judge has to say.
    bool include(const WalkEntry& entry);

private:
    bool is_ordinary(std::string_view name) const;
    bool is_ordinary_place(std::string_view directory) const;

    const Judge& judge_;
    std::size_t telling_depth_;  // of the first other name on the way to the last entry
};

}  // namespace paddock::git
