// What a model reads about a command: what it printed, how it ended, what else there is to say.
#pragma once

#include <optional>
#include <string>

#include "tools/shell.h"

namespace paddock::tools {

// What it printed and, in a block of its own, what paddock says about it: however like it the
// command's own words look, the last block is never the command's.
Answer command_answer(std::string printed, std::string said);

// "exit code 0 after 0.4 s", "timeout: ended after 120.0 s, its time was up", "running for 3.1 s".
std::string ending_text(const Job& job, const CommandLimits& limits);

// "\n[...]" for each remark.
std::string remarks_text(const Remarks& remarks);

// "\n[Denied by the sandbox: ...]" of a command that has ended: what it was refused, and the limit
// that it met. Empty: nothing that was seen.
std::string denials_text(Job& job, const Shell& shell, const CommandLimits& limits);

// The code of a command that was not let finish.
std::optional<Code> ending_code(EndedBy cause);

}  // namespace paddock::tools
