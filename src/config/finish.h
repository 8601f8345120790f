// The last step: what the settings mean together, and what that needs of the host.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/draft.h"
#include "config/host.h"

namespace paddock::config {

using Origins = std::map<std::string, std::string>;  // of settings that are not the default

struct Context {
    const Source& source;
    const Variables& variables;
    const std::string& file;  // empty: none was read
    bool has_workspace;       // the file has a table of that name
    const Origins& origins;
};

// Fills `configuration`, or says what is wrong. The root that is in force is put into the draft.
std::vector<Problem> finish(const Context& context, Draft& draft, Configuration& configuration);

}  // namespace paddock::config
