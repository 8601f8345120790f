// What a model reads about a command: what it printed, how it ended, what else there is to say.
#pragma once

#include <optional>
#include <string>

#include "tools/shell.h"

namespace paddock::tools {

// What it printed and, in a block of its own, what paddock says about it: however like it the
// command's own words look, the last block is never the command's.
Answer command_answer(std::string printed, std::string said);

// Everything that an answer says about a command, read from the job once.
struct CommandReport {
    CommandResult result;
    std::string ending;  // "exit code 0 after 0.4 s", "timeout: ended after 120.0 s, its time was
                         // up", "running for 3.1 s"
    std::optional<Code> error{};  // of a command that was not let finish
    bool output_open = false;     // somebody can still print
};
CommandReport report_on(Job& job, const Shell& shell, const CommandLimits& limits);

// "\n[...]" for each remark.
std::string remarks_text(const Remarks& remarks);

// Of a command that has ended: "\n[Denied by the sandbox: ...]", what it was refused and the limit
// that it met, and "\n[Files: ...]", what it changed. Empty: nothing that was seen.
std::string consequences_text(const CommandResult& result);

}  // namespace paddock::tools
