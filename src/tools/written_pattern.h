// Globs as callers write them.
#pragma once

#include <string>
#include <string_view>

namespace paddock::tools {

// The escaped form, in which tools print names, taken back. What is a backslash in it is one of the
// name; "*" and the like mean what they mean in any pattern.
std::string written_pattern(std::string_view given);

}  // namespace paddock::tools
