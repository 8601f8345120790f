// The tools as commands for people: "cat" is read_file, "ls" is list_directory. Options are made
// from the tool's declaration.
#pragma once

#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/parser.h"

namespace paddock::cli {

struct ToolCommand {
    Manual manual;
    std::string_view tool;                       // empty: "call", where the first word names it
    std::vector<std::string_view> positional{};  // arguments given without an option's name
    std::size_t required = 0;                    // of them, the first ones
    std::string_view from_input{};               // an argument that is read from standard input
    bool last_is_file = false;  // the last positional one names a file to take it from
};

const std::vector<ToolCommand>& tool_commands();

// Reads standard input or a file where the command says so.
Request parse_tool_command(const ToolCommand& command, const Words& words);

}  // namespace paddock::cli
