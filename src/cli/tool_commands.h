// The tools on the command line: as commands for people ("cat" is read_file, "ls" is
// list_directory), and by name, as an agent calls them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/parser.h"
#include "json/value.h"
#include "tools/declaration.h"

namespace paddock::cli {

// A tool as a command for people. Its options are made from the tool's declaration; what people
// expect to be spelled in another way is said here.

// Other names for the option of an argument, another word for its value, and values to offer.
struct Spelling {
    std::string_view argument;
    Words names;
    std::string unit = "TEXT";
    Words choices{};
};

// An option without a value that gives an argument one.
struct Preset {
    Option option;
    std::string_view argument;
    json::Value value;
};

struct ToolCommand {
    std::string_view tool;
    std::vector<std::string_view> positional;  // arguments that are operands; the last may be many
    std::string_view from_input{};             // an argument that is read from standard input
    bool input_is_bytes = false;               // which may be no text in UTF-8
    bool last_is_file = false;                 // or from the file that the last operand names
    json::Object fixed{};                      // arguments that are always given, never offered
    std::vector<Spelling> spellings{};
    std::vector<Preset> presets{};
    std::vector<std::string_view> needed{};  // arguments whose options must be given
    Option detail{};                         // shows more in a pipe; without a name: none
    std::string_view remark{};               // behind the description of the tool
    Option habit{};  // known from other programs, asks for what is done anyway; the same
};

// `command` must live as long as the form.
std::unique_ptr<CommandParser> tool_parser(const ToolCommand& command);

// A text of a tool with its arguments named as options: "unless --replace-all is set", "continue
// with --offset 20".
enum class Quoted : bool { kArguments, kFiles };  // what words in quotes are
std::string for_people(std::string_view text, const tools::Declaration& tool,
                       Quoted quoted = Quoted::kArguments);

std::vector<Command> tool_commands();

// `paddock tools`: what an agent gets.
int run(const ToolListRequest& request);

// Calls tools for a person or a script, and prints their answers.
int run(const ToolRequest& request);

}  // namespace paddock::cli
