// The arguments of the tools that take something from one path to another.
#pragma once

#include <string>
#include <vector>

#include "tools/arguments.h"
#include "tools/files.h"

namespace paddock::tools {

struct TwoPaths {
    std::string source;       // canonical but for the last name
    std::string destination;  // the same; the directory above exists now
};

std::vector<Argument> two_path_arguments();

// Makes the directories above the destination, unless the source is missing.
Attempt<TwoPaths> two_paths(const Files& files, const Arguments& arguments);

}  // namespace paddock::tools
