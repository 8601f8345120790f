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

// The same where the two lie in different roots: one file is copied, and removed there if `moves`.
class Session;
Attempt<Answer> take_between(const Session& session, const Arguments& arguments, bool moves);
// Do they?
bool are_in_different_roots(const Session& session, const Arguments& arguments);

// What to say of a destination that exists.
Problem occupied(const Files& files, const TwoPaths& paths);

}  // namespace paddock::tools
