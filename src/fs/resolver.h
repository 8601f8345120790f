// From a path to descriptors. The kernel resolves where it can (openat2), the walk where it must.
//
// The kernel's EAGAIN and a lost race of the walk are retried until limits::kRaceDeadline and then
// reported as race; neither selects another resolver. What the kernel refuses ambiguously is put to
// the walk, which follows absolute links that lead inside, enters listed mounts, or names the rule.
#pragma once

#include <fcntl.h>

#include <optional>
#include <string>

#include "base/outcome.h"
#include "fs/path_walk.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"

namespace paddock::fs {

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
