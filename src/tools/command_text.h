// What a model reads about a command: what it printed, how it ended, what else there is to say.
#pragma once

#include <string>

#include "tools/shell.h"

namespace paddock::tools {

// "exit code 0 after 0.4 s", "ended after 120.0 s: the time was up", "running for 3.1 s".
std::string ending_text(const Job::State& state, const CommandLimits& limits);

// "\n[...]" for each remark.
std::string remarks_text(const Remarks& remarks);

// The code of a command that was not let finish.
std::optional<Code> ending_code(EndedBy cause);

}  // namespace paddock::tools
