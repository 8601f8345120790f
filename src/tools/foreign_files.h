// Files of the session's roots that belong to another user: left by `sudo npm install`, a container
// or an unpacked archive. Commands cannot change them, and say no more than "Permission denied".
//
// A cheap look, the top of each tree first and a few hundred entries at most, so that each session
// can begin with one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/session_root.h"

namespace paddock::tools {

// One or two sentences for each root that has some: which files there are, and what to do. A
// further root is named by its prefix; one that is only seen is left out.
std::vector<std::string> foreign_files(std::span<SessionRoot* const> roots);

}  // namespace paddock::tools
