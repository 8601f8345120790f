// What sessions and calls have changed, for people to read. Made from a Timeline; touches no disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "journal/journal.h"
#include "journal/rewind.h"
#include "journal/timeline.h"
#include "journal/undo.h"

namespace paddock::journal {

// Names of one call whose end is noted together. Beyond, they are noted early.
inline constexpr std::size_t kJournalNamesMax = 65'536;

// How much of it has been taken back.
enum class Undone : std::uint8_t { kNo, kPartly, kYes };

struct CallHistory {
    CallId id = 0;  // 0: outside of any call
    std::string tool = {};
    std::string detail = {};
    Time time = {};
    bool is_over = false;
    Changes changes = {};
    std::vector<NameChange> names = {};  // by their paths; kJournalNamesMax at most
    Undone undone = Undone::kNo;
};

struct SessionHistory {
    std::string id;
    std::string client;
    std::string undoes;  // of an undo: the session or call that it takes back
    Time started = {};
    bool live = false;
    Changes changes = {};
    Undone undone = Undone::kNo;
    std::vector<CallHistory> calls = {};  // those that have changed something, or cannot be undone
};

// Oldest first. Sessions that have changed nothing are left out.
std::vector<SessionHistory> history_of(const Timeline& timeline);

// One change of a file, by the name that it had then.
struct FileChange {
    std::string session;
    CallId call = 0;
    Time time = {};
    std::string tool = {};
    std::string detail = {};
    NameChange::What what = NameChange::What::kMade;
    std::string path;
    std::string from = {};
};

// Oldest first. A file that was moved is followed to its older names.
std::vector<FileChange> changes_of_file(const Timeline& timeline, std::string_view path);

// What a session or call has changed, with the content before and after: for a diff.
//
// All that came later is taken back in a model first. What somebody else has changed since then
// shows up as if the session had done it: nobody has kept what was there in between.
// By their paths; at most kJournalNamesMax. Errors: not_found.
Outcome<std::map<std::string, Version>> versions_of(int workspace, const Timeline& timeline,
                                                    const UndoTarget& target);

// The content of a file, the target of a link, nothing for others. Errors: too_large, those of the
// file system.
Outcome<std::string> read_version(int workspace, const ModelNode& node, std::uint64_t bytes_max);

}  // namespace paddock::journal
