// Every existing path of a workspace that commands must not change or not see.
//
// Two sources. The path rules, matched on names: the topmost path that a rule restricts stands for
// all below it. And what git obeys wherever it lies: a directory that git would take for a
// repository (HEAD, objects and refs, or one that a ".git" file or "commondir" leads to) has its
// config, config.worktree, hooks and commondir protected like those of a ".git" in its place; so
// are files that a config includes and the directory that core.hooksPath names, when they lie
// inside. An operator's rule that allows such a path has the last word. What a protected path leads
// to by links is protected too (protected_collection.h).
//
// Names below refs and logs of a ".git" are branches, not files of the project: rules do not apply
// there ("fix.key" is a good name for a branch), but for names that begin with a dot, as no
// branch does. A link that leads into a ".git" from
// elsewhere is protected: it would give them other names.
//
// Not covered: programs and settings elsewhere that a trusted config names by other keys; what
// the global git config says; hard links under other names.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <paddock/limits.h>
#include <paddock/root.h>

#include "base/outcome.h"
#include "policy/path_rules.h"
#include "search/tree_snapshot.h"

namespace paddock::search {

enum class Protection : std::uint8_t {
    kReadOnly,  // may be read, not changed, renamed or removed
    kHidden,    // may not be read either
    kPinned,    // a directory that may be changed but not renamed or removed: what is protected
                // below it would lose its name
};

enum class ProtectedKind : std::uint8_t {
    kNamed,       // by a rule
    kGitConfig,   // a file of settings that git reads
    kGitHooks,    // a directory of programs that git runs
    kGitPointer,  // ".git" as a file or link, "commondir": leads git elsewhere
};

struct ProtectedPath {
    std::string path;  // relative to the root, canonical
    Protection protection = Protection::kReadOnly;
    ProtectedKind kind = ProtectedKind::kNamed;
    Stat stat{};             // when it was looked at; links are links
    std::string rule{};      // the pattern that restricts it, as written
    std::string named_by{};  // the protected path that leads to it; empty: its name or place does
};

class ProtectedPaths {
public:
    // `root` must pass no link. `rules` must outlive this. `home` as in git_layout.h.
    ProtectedPaths(const Root& root, const policy::PathRules& rules, std::string home);

    // All of them as they are now, in order of path, so a pin stands before what is below it.
    // Costs one stat for each directory, and one for each protected path, after the first time.
    // Errors: limit_reached (too large or deep a tree, or more than `time_max`; the next time goes
    // on with what the snapshot has by then), those of reading the root.
    // `is_known` as in GitBounds.
    using IsKnown = std::function<bool(const std::string& path)>;
    Outcome<std::vector<ProtectedPath>> find(
        std::chrono::milliseconds time_max = limits::kProtectedLookTimeMax,
        const IsKnown& is_known = {});

    const TreeSnapshot& snapshot() const noexcept { return snapshot_; }

    // The last find() has not followed all that git's settings lead to, or not judged all names
    // above what it found. What it found can be acted on; nothing else may be trusted.
    bool is_cut() const noexcept { return is_cut_; }

    // What git would obey and was not known is too much to be followed, which is why it is cut.
    bool is_flooded() const noexcept { return is_flooded_; }

    // Unix sockets that the last find() saw, wherever they are and whatever the rules say.
    const std::vector<ProtectedPath>& sockets() const noexcept { return sockets_; }

private:
    void note_socket(const std::string& path);

    const Root root_;
    const policy::PathRules& rules_;
    const std::string home_;
    TreeSnapshot snapshot_;
    std::vector<ProtectedPath> sockets_;
    bool is_cut_ = false;
    bool is_flooded_ = false;
};

}  // namespace paddock::search
