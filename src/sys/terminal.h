// Pseudo terminals. Nothing here allocates.
#pragma once

#include <cstdint>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

struct Terminal {
    UniqueFd master;
    UniqueFd peer;  // what a program gets
};

// `multiplexer` is the path of a ptmx below `directory`.
Outcome<Terminal> open_terminal(int directory, const char* multiplexer);
Done set_terminal_size(int terminal, std::uint16_t rows, std::uint16_t columns);

// What is printed comes out as it is, without a carriage return at the end of each line.
Done leave_lines_alone(int terminal);

// The session of this process, which must lead it, gets the terminal.
Done take_terminal(int terminal);

}  // namespace paddock::sys
