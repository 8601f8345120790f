// What git obeys in a tree, wherever it lies: found by the shape of directories and by following
// what leads git from one place to another.
//
// A git directory is one named ".git", one that holds HEAD with objects and refs or with commondir,
// and one that a ".git" file or link or a "commondir" leads to. Its parts are config,
// config.worktree, hooks and commondir; further the files that its configs include and the
// directory that core.hooksPath names, each where it lies inside the root; and what a pointer or
// core.worktree leads to where nothing was noted, which may be a link or lie behind one. Of links
// only those of configs and on the way to git directories are followed. Addresses of remotes need
// not be: wherever one leads inside, git wants a directory of that shape there.
//
// Advisory: files are read while others may change them. Case is ignored, as path rules do.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

#include "search/interruption.h"
#include "search/tree_snapshot.h"

namespace paddock::search {

struct GitPart {
    // Among the hooks are all files that git must not find unless the owner made them.
    enum class Kind : std::uint8_t { kConfig, kHooks, kPointer };

    std::string path;
    Kind kind = Kind::kConfig;
    std::string git_directory;  // that it belongs to; of a ".git" file: where that lies
    std::string named_by{};     // the config or pointer that makes it a part; empty: its place does
};

struct GitParts {
    std::vector<GitPart> all;
    bool is_flooded = false;  // not all: what is not known is more than limits::kGitLedBytesMax
    bool is_cut = false;      // not all, for that reason or because of an interruption
};

// How far a look goes.
struct GitBounds {
    // A config that costs nothing to read, or a ".git" file in whose directory hooks cost nothing
    // to find, so that nobody's flood keeps them from being looked at. Empty: there is none.
    std::function<bool(const std::string& path)> is_known{};
    Interruption* interruption = nullptr;
};

// As the rules name it: in a ".git" in the place of its git directory.
std::string name_in_dot_git(const GitPart& part);

// Directories, with what was noted of their entries. An empty path is the root.
using NotableMap = std::map<std::string, std::vector<NotableEntry>>;

// Must be noted for the layout to be seen.
bool is_git_name(std::string_view name, FileType type);

// So must these, wherever they are: in "remotes" and "branches" of a git directory they give
// remotes their addresses, where the config does not.
bool may_be_remote_file(std::string_view path, FileType type);

// A directory named ".git".
bool is_git_directory_name(std::string_view name);

// git runs any file of a directory of hooks but one called so.
bool is_sample_hook(std::string_view name);

enum class GitChange : std::uint8_t { kMake, kTakeAway };

// A name on the way is one of git's. Whoever asks obeyed_part of such a path before a change
// has to be alone with it until the change is made.
bool has_git_name(std::string_view path);

// The part by which making, changing or taking away `path` would change what git obeys in a
// directory that it takes for a repository, or make one of a directory that holds such a part.
// Looks only where a name on the way is one of git's. What cannot be looked at counts as there.
// ".git" itself is left to the path rules.
std::optional<GitPart> obeyed_part(const Root& root, std::string_view path, GitChange change);

// The same of that very name, whatever lies above it.
bool is_obeyed_part(const Root& root, std::string_view path, GitChange change);

// Each once, in no order; some may not exist. `root` must pass no link. `home` is the path on the
// host that "~/" stands for in settings, empty if there is none.
GitParts git_parts(const Root& root, const NotableMap& notable, std::string_view home,
                   const GitBounds& bounds = {});

// The same of the repositories whose directories `path` lies in, from the root down; with where
// their links and those in their hooks lead or would lead, and the links on the way. Two lookups
// for each directory without any.
GitParts git_parts_above(const Root& root, std::string_view path, std::string_view home);

// The two halves of that: what git finds in this directory, a ".git" or itself a repository; and
// the parts of all that was noted so.
void note_repository(const Root& root, const std::string& path, NotableMap& notable);
GitParts git_parts_noted(const Root& root, const NotableMap& notable, std::string_view home);

// Where the path in a git file leads, relative to the root ("" is the root itself); nothing if it
// leads out. `from`: the directory that a relative path begins in. As text: no link is looked up.
std::optional<std::string> led_inside(const Root& root, std::string_view from,
                                      std::string_view path);

// Where a ".git" file or a "commondir" with this content leads, as it is written there.
std::optional<std::string> pointer_target(std::string_view content, std::string_view name);

}  // namespace paddock::search
