// What there is to say about a command besides what it printed: sentences of paddock's own. Names
// in them are of a command's making, and are shown so that they neither begin a line nor steer a
// terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <paddock/shell.h>
#include <paddock/tools.h>

#include "tools/job.h"

namespace paddock::tools {

struct Remarks {
    std::vector<std::string> lines{};  // sentences

    void add(Remarks more);
};

// "[2 files made, 1 changed, 3 removed]": empty if there is nothing to say.
std::string changes_text(const FileChanges& changes);

// What commands left running has met this limit, and therefore "was ended".
Remarks remarks_on_left(EndedBy limit, const CommandLimits& limits, std::string_view consequence);

}  // namespace paddock::tools
