// Resolution in user space, one component at a time, on held descriptors.
//
// Answers everything the kernel's openat2 does, and what it cannot: links with absolute targets
// below the root, mounts that the operator listed, which rule refused a path, where a name that
// does not exist yet would be created. Every step opens one name in a pinned directory without
// following; link texts are read from the pinned link; ".." in a link text goes back along the
// chain. So a rename can make it fail or change which inside object it finds, never lead it out.
#pragma once

#include <optional>
#include <string>

#include "base/outcome.h"
#include "fs/dir_chain.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"

namespace paddock::fs {

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

}  // namespace paddock::fs
