// The arguments of the tools that take something from one path to another.
#pragma once

#include <string>
#include <vector>

#include "tools/arguments.h"
#include "tools/files.h"

namespace paddock::tools {

struct TwoPaths {
    std::string source;       // canonical but for the last name
    std::string destination;  // the same
};

std::vector<Argument> two_path_arguments();

// The source exists; it is not the workspace itself.
Attempt<TwoPaths> two_paths(const Files& files, const Arguments& arguments);

// What to say of a destination that exists.
Problem occupied(const Files& files, const TwoPaths& paths);

}  // namespace paddock::tools
