// Globs as callers write them.
#pragma once

#include <string>
#include <string_view>

namespace paddock::tools {

class Session;

// The escaped form, in which tools print names, taken back. What is a backslash in it is one of the
// name; "*" and the like mean what they mean in any pattern.
std::string written_pattern(std::string_view given);

struct Place {
    std::string path;     // as a caller would write it
    std::string pattern;  // below it
};

// Where a search by this pattern begins. An absolute one begins in the directory that its plain
// names lead to, any other in `path`; where no boundary is, so does one whose plain names climb. A
// climb behind a wildcard has no such directory, and is an escape.
Place place_of(const Session& session, const std::string& path, std::string_view given);

}  // namespace paddock::tools
