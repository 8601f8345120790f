// Files of a workspace that belong to another user: left by `sudo npm install`, a container or an
// unpacked archive. Commands cannot change them, and say no more than "Permission denied".
//
// A cheap look, the top of the tree first and a few hundred entries at most, so that each session
// can begin with one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <paddock/root.h>

namespace paddock::tools {

struct ForeignFiles {
    std::uint32_t user = 0;            // who works here
    std::size_t count = 0;             // a directory counts once, with all below it
    std::vector<std::string> first{};  // some of them, relative to the workspace
    bool is_cut = false;               // there may be more: not all was looked at

    // One or two sentences: which files there are, and what to do. Empty if there are none.
    std::string text() const;
};

// `workspace` passes no link.
ForeignFiles look_for_foreign_files(const Root& workspace);

}  // namespace paddock::tools
