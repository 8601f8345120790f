// What there is to say about a command besides what it printed: sentences of paddock's own. Names
// and settings in them are of a command's making, and are shown so that they neither begin a line
// nor steer a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <paddock/shell.h>

#include "tools/guard_report.h"
#include "tools/job.h"

namespace paddock::tools {

struct Remarks {
    std::vector<std::string> lines{};  // sentences
    // One of them names something in the quarantine, relative to it: where that is on the host is
    // for the operator, not for the model.
    bool is_anything_kept = false;

    void add(Remarks more);
};

Remarks remarks_on(const GuardReport& undone);

// What commands left running has met this limit, and therefore "was ended".
Remarks remarks_on_left(EndedBy limit, const CommandLimits& limits, std::string_view consequence);

}  // namespace paddock::tools
