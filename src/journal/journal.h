// The journal of a workspace: every change is recorded before it is made, with the call that makes
// it, and what a change removes or replaces is kept, so that undo.h can bring it back.
//
// It lies in the workspace, because names can only be moved within one mount: in ".git/paddock"
// where ".git" is a directory, else in ".paddock" (is_journal_path). No tool and no command gets
// there. Each session has a directory of its own in it: "log", one line per record, and "kept",
// removed and replaced inodes and copies of files that were opened for writing.
//
//   auto journal = Journal::open(workspace, info);
//   const Turn turn(*journal);                           // the serial point of the workspace
//   journal->will_make(call, name, FileType::kRegular);  // then make it
//   journal->made(call, stat);                           // what was made
//
// A log that is full refuses changes (limit_reached, ENOSPC).
//
// Killed at any moment, the log can be read: a record whose change was not made undoes nothing. It
// is not synced: after a power failure records may be missing, and what they kept is still there.
// A full disk stops no change: what cannot be recorded or kept is counted (Changes::not_kept). Any
// other reason for which the content before cannot be kept fails the change.
//
// Two processes of a session use one journal: the server and the warden, its copy (after_fork).
// Threads: any; whoever records holds a Turn from the first look at the names until the change is
// made and made() was called.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <paddock/handle.h>

#include "base/outcome.h"

namespace paddock::journal {

// Counted from 1 in each session. 0: a change outside any call.
using CallId = std::uint32_t;

// One name in a directory that is held, on the workspace's own mount.
struct Name {
    int directory = -1;
    const char* leaf = nullptr;  // one component
    std::string_view path;       // canonical, relative to the workspace
};

struct SessionInfo {
    std::string client = {};  // who asked: "claude-code", "paddock run"; shown by `paddock log`
    std::string undone = {};  // of an undo: the session or call that it takes back
};

// What one call changed, by distinct names.
struct Changes {
    std::uint64_t made = 0;
    std::uint64_t changed = 0;
    std::uint64_t removed = 0;
    std::uint64_t not_kept = 0;  // changed beyond what can be undone: too large, no room

    bool any() const noexcept { return made + changed + removed > 0; }
};

// Why a change fails when the log of its session has no room for it.
inline constexpr std::string_view kLogIsFull =
    "the journal of this session is full, and nothing is changed that is not recorded. Start "
    "another session";

// Is this canonical path the journal, above it included where that is the journal's alone?
bool is_journal_path(std::string_view path) noexcept;

class Journal;

// While it lives nobody else changes the workspace through paddock, of no session.
class [[nodiscard]] Turn {
public:
    explicit Turn(Journal& journal);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();

private:
    Journal& journal_;
};

class Journal {
public:
    // Makes what is missing, and removes sessions that are over by age and size.
    // `workspace`: its directory, borrowed for the call. Errors: those of the file system.
    static Outcome<Journal> open(int workspace, const SessionInfo& info);

    // One that records and keeps nothing, and counts all as the session's own: for a directory of
    // commands alone, whose changes are judged and never undone. `turn`: a file that all sessions
    // of the directory lock.
    static Outcome<Journal> silent(UniqueFd turn);

    Journal(Journal&&) noexcept;
    Journal& operator=(Journal&&) noexcept;
    ~Journal();

    const std::string& session() const noexcept;  // its id
    const std::string& path() const noexcept;     // of the journal, relative to the workspace

    // In the copy of a process: takes a lock of its own, and works on other mounts of the same
    // directory: `workspace` is the workspace as the copy reaches it. Its own calls of the methods
    // below then share what was made with the original.
    Done after_fork(int workspace);

    // The next call. `what`: the tool; `detail`: the command or path, for people.
    CallId begin_call(std::string_view what, std::string_view detail);
    // Records how each name that this process touched since the last time is now, so that a later
    // change by somebody else is noticed. May come again, for what the call left running. With or
    // without a Turn.
    Changes end_call(CallId call);

    // --- with a Turn held, each before its change ---
    Done will_make(CallId call, const Name& name, FileType type);
    // Another name for an existing file.
    Done will_link(CallId call, const Name& from, const Name& to);
    // `stat` is that of `from`; the target must have been given to will_replace() if there is one.
    Done will_rename(CallId call, const Name& from, const Name& to, const Stat& stat);
    Done will_exchange(CallId call, const Name& one, const Name& other);
    // A file, link or empty directory whose name another is about to take.
    Done will_replace(CallId call, const Name& name, const Stat& stat);
    // The content of a regular file is about to change in place: kept once for each call and file,
    // never for what the call made itself. `file` is readable, or -1: it is opened by its name. Its
    // position is at the start afterwards.
    Done will_write(CallId call, const Name& name, int file, const Stat& stat);
    Done will_chmod(CallId call, const Name& name, const Stat& stat);
    // Takes the name away itself: a file or link is moved into the journal, or unlinked if the call
    // made it; an empty directory is removed.
    Done remove(CallId call, const Name& name, const Stat& stat);
    // A whole directory, by one rename into the journal.
    Done remove_tree(CallId call, const Name& name, const Stat& stat);

    // --- after a change, with the same Turn ---
    // What will_make() announced; undo takes a make without it for one that failed. Without
    // will_make(): an inode that has no name yet.
    void made(CallId call, const Stat& stat);
    // What was announced last has failed. Optional: undo sees it by itself nearly always.
    void not_made(CallId call);

    // Did this session make it, by whatever process? Known up to a bound (kJournalInodesMax);
    // beyond it, and where the file system does not tell a file's birth, the answer is no.
    bool is_own(const Stat& stat) const noexcept;

    // Was its content changed in place by this session? Known as is_own() is.
    bool has_written(const Stat& stat) const noexcept;

    // Has the log hardly any room for changes left? One that does not fit fails with ENOSPC.
    bool is_full() const noexcept;

    // A number that all sessions of the workspace share, for what one of them must tell the others.
    // It grows when a directory is moved or removed. With a Turn held.
    std::uint64_t shared_count() const noexcept;
    void increase_shared_count() noexcept;

    // For undo.h: the records that follow take back the one at `position` in the log of `session`,
    // until the next such call; an empty session ends it.
    void begin_reverting(CallId call, std::string_view session, std::uint64_t position);

private:
    friend class Turn;
    struct State;
    explicit Journal(std::unique_ptr<State> state) noexcept;
    static Outcome<Journal> open_once(int workspace, const SessionInfo& info);
    std::unique_ptr<State> state_;
};

}  // namespace paddock::journal
