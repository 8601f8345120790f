// A call whose tool is found and whose arguments are parsed already: what a server does that has
// parsed the whole request.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/tools.h>
#include <paddock/workspace.h>

#include "json/value.h"
#include "tools/declaration.h"

namespace paddock::tools {

// Like tools::call, but the tool is found and the arguments are parsed already.
Answer call_parsed(const Workspace& workspace, const Declaration& tool,
                   const json::Value& arguments, const CallOptions& options = {});

// Prints the rows of an answer as its first block. Secrets are replaced in both.
void print_found(const Session& session, Answer& answer);

// The tools; each is in the file of its name or its group.
const Declaration& read_file();
const Declaration& read_files();
const Declaration& write_file();
const Declaration& edit_file();
const Declaration& patch();
const Declaration& glob();
const Declaration& grep();
const Declaration& list_directory();
const Declaration& bash();
const Declaration& bash_output();
const Declaration& bash_input();
const Declaration& bash_kill();
const Declaration& move_path();
const Declaration& copy_path();
const Declaration& remove_path();
const Declaration& make_directory();
const Declaration& file_info();
const Declaration& workspace_info();

// In the order in which they are listed.
std::span<const Declaration* const> all_tools();

// nullptr if there is none.
const Declaration* find_tool(std::string_view name);

// What WorkspaceOptions::tools may hold: the names of all tools, and of the sets.
std::vector<std::string> listable_names();

// Does a workspace with these options have this tool? What is not listed is not to be had.
bool is_listed(const Declaration& tool, const WorkspaceOptions& options) noexcept;

}  // namespace paddock::tools
