// What may have been meant by a path that does not exist: a like name in the directory that is
// named, or in one that is named alike; then the same name anywhere, by a short look. Nothing that
// a rule hides; and anywhere nothing that an ignore file excludes.
#pragma once

#include <string>
#include <vector>

#include "search/walk.h"

namespace paddock::tools {

class Files;

// Three at most, the likeliest first. Paths are canonical. `start`: where to look for the same
// name; `ignored`: what the operator's rules exclude there.
std::vector<std::string> near_paths(const Files& files, const std::string& missing,
                                    const std::string& start, const search::GlobalIgnores& ignored);

// The deepest directory above a path that is there.
std::string directory_above(const Files& files, const std::string& path);

}  // namespace paddock::tools
