// What all sessions of a workspace have changed, oldest first: their logs, read together.
//
// Here records become entries: a make knows what it made, what failed is left out, and an entry
// that an undo has taken back is no longer in effect (until a redo takes back the undo).
//
// A log is read as far as it is whole. Its paths are checked: an entry never leads out of the
// workspace, nor into the journal, except to what a session has kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "journal/journal.h"
#include "journal/place.h"
#include "journal/record.h"

namespace paddock::journal {

// The logs that are read together, newest first: all that the journal keeps of sessions that are
// over. Older ones are not seen, but for one that is named and what came after it.
inline constexpr std::uint64_t kJournalReadBytesMax = limits::kJournalBytesMax;

struct SessionLog {
    std::string id;
    SessionNote note;
    bool live = false;
    std::unique_ptr<Log> log;
    std::int64_t last_time = 0;  // of its records; nanoseconds since 1970

    bool is_undo() const noexcept { return !note.undone.empty(); }
};

struct Entry {
    const Record* record = nullptr;  // a change, or a kReverts, which changes nothing itself
    std::size_t session = 0;         // in sessions()
    Object object = {};              // that of the record; of a kMake, what it made
    std::optional<std::size_t> takes_back = std::nullopt;  // of an undo: which entry
    bool in_effect = true;
    // A kReplace whose change failed, or a directory that was seen under its old name after a
    // kRename.
    bool has_failed = false;
    bool was_changed_before = false;  // by somebody else, after the last call that noted its state
};

// A file as the last call that touched it left it.
struct KnownState {
    std::uint32_t mode = 0;
    std::uint64_t size = 0;
    std::int64_t changed = 0;
};

// Do two index files of git, by their paths in the workspace, say the same? Git rewrites its index
// whenever it is asked for the status.
using IsSameIndex = std::function<bool(const std::string& one, const std::string& other)>;

class Timeline {
public:
    // `workspace`: its directory, borrowed for the call. Without a journal the timeline is empty.
    // An index that somebody else has rewritten, and that says the same as the one before, stands
    // for that. Without `is_same_index` none does. `needed`: the session that somebody asks for, by
    // its id or its end; it is read whatever came after it.
    static Outcome<Timeline> read(int workspace, const IsSameIndex& is_same_index = {},
                                  std::string_view needed = {});

    const std::vector<SessionLog>& sessions() const noexcept { return sessions_; }  // oldest first
    const std::vector<Entry>& entries() const noexcept { return entries_; }         // oldest first
    bool is_cut() const noexcept { return is_cut_; }  // by kJournalReadBytesMax

    // "ID" or the end of one that no other session has; not_found, invalid_argument.
    Outcome<std::size_t> find_session(std::string_view id) const;

    // An undo that could not bring back the inode has made another one, which stands for it. So
    // does an index that was rewritten.
    Object canonical(const Object& object) const;
    const KnownState* state_of(const Object& object) const;
    // When the session that touched it last wrote its last record; 0: none did.
    std::int64_t last_time_of(const Object& object) const;

    // Where the session keeps what the record took away, relative to the workspace.
    std::string kept_path(const Entry& entry) const;

private:
    class Reader;
    std::vector<SessionLog> sessions_;
    std::vector<Entry> entries_;
    std::map<Object, Object> same_as_;
    std::map<Object, KnownState> states_;
    std::map<Object, std::size_t> touched_by_;  // last, by which session
    std::string journal_path_;
    bool is_cut_ = false;
};

}  // namespace paddock::journal
