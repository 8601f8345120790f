// From a path to descriptors. The kernel resolves where it can (openat2), the walk where it must.
//
// The kernel's EAGAIN and a lost race of the walk are retried until limits::kRaceDeadline and then
// reported as race; neither selects another resolver. What the kernel refuses ambiguously is put to
// the walk, which follows absolute links that lead inside, enters listed mounts, or names the rule.
#pragma once

#include <fcntl.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"

namespace paddock::fs {

// How often the kernel is asked again when it says "too many links" of a path that is too long for
// the user-space lookup to judge. Under a storm of mounts four of five answers were wrong.
inline constexpr int kLinkCountRetriesMax = 64;

// Directories at the end of a lookup, walk or removal that stay open: ordinary trees never re-open
// a level. A deeper tree holds one more for each doubling of its depth.
inline constexpr std::size_t kHeldDirectoriesMax = 16;

// The directories between a starting point and where a walk stands, each reached by name from the
// one before and held open, so that going up never asks the kernel for "..".
//
// The last kHeldDirectoriesMax levels stay open, and below them ever sparser ones, about
// one for each doubling of the depth. A level that had to be let go is opened again by its name,
// from the nearest one held, when the walk comes back to it, and must still be the same directory.
// So depth costs neither descriptors nor repeated descents from the start.

// One child directory of `directory`, by name: a link is not_a_directory, a mount that may not be
// entered mount_crossing. `flags` is O_PATH or O_RDONLY.
struct ChildDirectory {
    UniqueFd fd;
    sys::Node node;
};
Outcome<ChildDirectory> open_child(const RootState& state, int directory, const char* name,
                                   int flags);

class DirChain {
public:
    struct Level {
        std::string name;
        UniqueFd fd;
        sys::Node node;
    };

    // `start` is borrowed and stays at the bottom; `flags` as for open_child.
    DirChain(const RootState& state, int start, const sys::Node& start_node, int flags)
        : state_(&state), start_(start), start_node_(start_node), flags_(flags) {}

    int top() const noexcept { return levels_.empty() ? start_ : levels_.back().fd.get(); }
    const sys::Node& top_node() const noexcept {
        return levels_.empty() ? start_node_ : levels_.back().node;
    }
    std::size_t depth() const noexcept { return levels_.size(); }
    std::string path() const;  // the names, joined; empty at the start

    void push(std::string_view name, UniqueFd fd, const sys::Node& node);

    // Goes up one level, which must exist, and returns the one that was left. race if the
    // directory to go back to is no longer what it was.
    Outcome<Level> pop();
    // Goes up without a look; top() may be none until hold_top() or the next drop().
    void drop() { levels_.pop_back(); }
    Done hold_top();
    void clear() { levels_.clear(); }

    // The deepest directory as a descriptor of its own; the chain is used up.
    Outcome<UniqueFd> take_top();

private:
    const RootState* state_;
    int start_;
    sys::Node start_node_;
    int flags_;
    std::vector<Level> levels_;
};

// Resolution in user space, one component at a time, on held descriptors.
//
// Answers everything the kernel's openat2 does, and what it cannot: links with absolute targets
// below the root, mounts that the operator listed, which rule refused a path, where a name that
// does not exist yet would be created. Every step opens one name in a pinned directory without
// following; link texts are read from the pinned link; ".." in a link text goes back along the
// chain. So a rename can make it fail or change which inside object it finds, never lead it out.
struct WalkEnd {
    DirChain directories;           // the deepest one holds `name`
    std::string name;               // empty: the object is the root itself
    std::optional<sys::Node> node;  // absent: there is no such name
    UniqueFd object;                // opened with the flags asked for; invalid if absent
    std::string missing;            // what would have to be made below `name`, "b/c"
    bool by_link = false;       // the absent name was read from a link, not written by the caller
    bool as_directory = false;  // and there with a final slash

    std::string path() const;  // canonical, relative to the root; empty: the root
};

// Walks to `path`, following every link on the way and at its end, and opens what is there with
// `flags` (O_DIRECTORY is not among them: see RelPath::must_be_directory).
Outcome<WalkEnd> walk_path(const RootState& state, const RelPath& path, int flags,
                           Symlinks symlinks);

// Does this failure of a walk tell where the path leads (nowhere, outside, in circles), rather than
// that the question could not be answered?
bool says_where(const Failure& failure);

// The walk came to limits::kResolveStepsMax: it cannot tell whether the path is a good one.
bool gave_up(const Failure& failure);

// Opens what is at `path`, following links. `flags` must not create, and must not block: use
// O_PATH, or an access mode with kNoWait. O_DIRECTORY is honoured.
Outcome<UniqueFd> open_object(const RootState& state, const RelPath& path, int flags);
Outcome<UniqueFd> open_object(const RootState& state, const RelPath& path, int flags,
                              Symlinks symlinks);

// Where `path` leads by the walk in user space, which knows names where the kernel only has
// objects.
Outcome<WalkEnd> walk_settled(const RootState& state, const RelPath& path, Symlinks symlinks);

// A FIFO, a lease or a terminal never holds us up.
inline constexpr int kNoWait = O_NONBLOCK | O_NOCTTY;

// A directory for reading its entries. Refused mounts are recognised before anything is opened that
// could set off an automount.
Outcome<UniqueFd> open_listing(const RootState& state, const RelPath& path);

// A name in a pinned directory, ready for an *at call.
struct Place {
    UniqueFd owned;  // invalid if the directory is the root, which the state holds
    int directory = -1;
    std::string name;
    std::optional<sys::Node> node;  // what was there, a link not followed; absent: nothing
    bool by_link = false;           // the name that was asked for is a link that leads here

    const char* c_name() const noexcept { return name.c_str(); }
};

// The name itself, a link not followed. invalid_argument for the root and for final "." and "..".
// A final slash demands a directory, and is never passed on.
Outcome<Place> locate_name(const RootState& state, const RelPath& path);

// Where the file would be written: links at the end followed too, even to a name to be created.
Outcome<Place> locate_target(const RootState& state, const RelPath& path);

}  // namespace paddock::fs
