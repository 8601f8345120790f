// All entries of a tree that somebody wants to know of, by several threads. Nothing is left out:
// neither hidden names nor ignored ones, nor FIFOs and sockets.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <paddock/root.h>

#include "base/outcome.h"
#include "search/walk.h"

namespace paddock::search {

struct FoundEntry {
    std::string path;  // relative to the root
    FileType type = FileType::kUnknown;
};

struct FoundEntries {
    std::vector<FoundEntry> all;          // in order of path
    std::vector<std::string> unreadable;  // directories, also those that lie too deep; no mounts
    bool is_cut = false;                  // cancelled
};

// `root` passes no link. `choose` is asked on any thread.
Outcome<FoundEntries> find_entries(const Root& root, const Chooser& choose,
                                   const std::stop_token& cancel = {});

}  // namespace paddock::search
