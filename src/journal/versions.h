// What a session or call has changed, with the content before and after: for a diff.
//
// All that came later is taken back in a model first. What somebody else has changed since then
// shows up as if the session had done it: nobody has kept what was there in between.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/outcome.h"
#include "journal/rewind.h"
#include "journal/timeline.h"
#include "journal/undo.h"

namespace paddock::journal {

// By their paths; at most limits::kJournalNamesMax. Errors: not_found.
Outcome<std::map<std::string, Version>> versions_of(int workspace, const Timeline& timeline,
                                                    const UndoTarget& target);

// The content of a file, the target of a link, nothing for others. Errors: too_large, those of the
// file system.
Outcome<std::string> read_version(int workspace, const ModelNode& node, std::uint64_t bytes_max);

}  // namespace paddock::journal
