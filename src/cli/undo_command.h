// `paddock undo` and `paddock redo`.
#pragma once

#include <string>
#include <vector>

#include "cli/parser.h"
#include "journal/undo.h"

namespace paddock::cli {

// Two questions that undo asks about git.
//
// May this step be taken? A session may have made and removed hooks or settings before there was a
// repository, and undo must not bring them into one. So each step is judged as the gate would judge
// it, in the tree that it will find. Content that the owner lost is in question as well: only he
// knows that it is his. Is this index the same as the old one? Git rewrites it without changing its
// entries.

// `workspace` is borrowed for as long as the result lives; `path` is the path of the workspace.
journal::SealOn seal_in(int workspace, const std::string& path);
journal::IsSameIndex same_index_in(int workspace);

std::vector<Command> undo_commands();

int run(const UndoRequest& request);

}  // namespace paddock::cli
