// Where the journal of a workspace lies, and the directories of its sessions.
//
//   .git/paddock or .paddock/
//     lock            held for each change of the workspace
//     pruned          when old sessions were last looked for, by its time of change
//     ID/             a session: 20261118-065712-3f2a, sortable by time
//       info          who and when; locked for as long as the session lives
//       log           the records
//       kept/         what was removed, replaced or copied
//
// On the low sandbox level commands can set the modification times of the journal's files. paddock
// reads the age of a session from the time of change (ctime), which no call can set.
//
// Everything is opened by name from a directory that is held, never through a link, and must be
// ours: a directory that belongs to somebody else, or that others may write, is refused.
//
// A session says in "info" which inode its directory is. A directory that came with a copy of the
// workspace, or that somebody put into an archive, says something else, and is not read: its
// records would be about other files, or made up.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <paddock/handle.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sys/memory.h"

namespace paddock::journal {

// Inodes that a session knows as its own, a power of two: more than the largest trees that are
// unpacked in one go. 16 bytes each, taken when used.
inline constexpr std::size_t kJournalInodesMax = std::size_t{1} << 20;

using Time = std::chrono::sys_time<std::chrono::nanoseconds>;

struct JournalPlace {
    UniqueFd directory;
    std::string path;  // relative to the workspace
};

// not_found if there is none; permission_denied if it is not ours.
Outcome<JournalPlace> find_journal(int workspace);
Outcome<JournalPlace> find_or_make_journal(int workspace);

// An empty one, whose lock is held.
void remove_journal(int workspace, const std::string& path, int journal);

// One of its files, to read and write; made if it is missing.
Outcome<UniqueFd> open_kept_file(int journal, const char* name);
// Held for each change of the workspace.
Outcome<UniqueFd> open_lock(int journal);

// A directory by its canonical path, relative to `start`; no link is followed.
Outcome<UniqueFd> open_directory(int start, std::string_view path);

struct SessionFiles {
    UniqueFd directory;
    UniqueFd info;  // locked
    UniqueFd log;
    UniqueFd kept;
};

struct SessionNote {
    std::string client = {};
    std::string undone = {};
    Time started = {};
};

std::string make_session_id(Time now, std::uint64_t random);
bool is_session_id(std::string_view name) noexcept;

Outcome<SessionFiles> make_session(int journal, const std::string& id, const SessionNote& note);

// The last one that was added counts. `info`: of the session, as make_session() gave it.
Done add_client(int info, std::string_view client);

// The ids of all sessions, or of `most`, oldest first; what else lies there is left out.
Outcome<std::vector<std::string>> list_sessions(int journal, std::size_t most = SIZE_MAX);

// An existing one, to be read: `log` and `kept`. not_found if it is none of ours.
struct OpenedSession {
    UniqueFd directory;
    SessionNote note;
    bool live = false;
};
Outcome<OpenedSession> open_session(int journal, const std::string& id);

// An undo does not count: it runs no commands. True if nobody can tell.
bool is_any_session_live(int workspace);

// All of a file of ours; too_large above `bytes_max`.
Outcome<std::string> read_own_file(int directory, const char* name, std::uint64_t bytes_max);

// What the processes of a session know together: the number of calls, the size of the log, which
// inodes the session made and which it has copied. It lies in memory that copies of the process
// share, and is used without locks.
//
// Inodes are known by a hash of device, number and time of birth. A file system that does not tell
// the birth has no known inodes, and no more are known than the table takes: whoever asks for such
// a one hears that it is not known, and keeps more than necessary.
class SharedState {
public:
    static Outcome<SharedState> make();

    struct Counters {
        std::atomic<std::uint32_t> calls;
        std::atomic<std::uint32_t> writers;  // processes, for their letters
        std::atomic<std::uint64_t> changes;  // announced
        std::atomic<std::uint64_t> log_bytes;
        std::atomic<std::uint64_t> kept_bytes;      // of what was there before the session
        std::atomic<std::uint64_t> kept_own_bytes;  // of what it made or wrote itself
    };
    Counters& counters() const noexcept;

    // The call has made it / copied it.
    void note_made(const Stat& stat, std::uint32_t call) noexcept;
    void note_copied(const Stat& stat, std::uint32_t call) noexcept;

    bool is_made(const Stat& stat) const noexcept;  // by any call
    bool is_made_by(const Stat& stat, std::uint32_t call) const noexcept;
    bool is_copied(const Stat& stat) const noexcept;
    bool is_copied_by(const Stat& stat, std::uint32_t call) const noexcept;

private:
    struct Entry;
    struct Table;

    explicit SharedState(sys::Memory memory) noexcept : memory_(std::move(memory)) {}
    Table& table() const noexcept;
    const Entry* find(const Stat& stat) const noexcept;
    Entry* find_or_add(const Stat& stat) noexcept;

    sys::Memory memory_;
};

}  // namespace paddock::journal
