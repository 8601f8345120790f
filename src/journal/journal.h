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
//   auto intent = journal->will_make(call, name, FileType::kRegular);
//   intent->made(stat);                                  // once it is there, or intent->failed()
//
// Killed at any moment, the log can be read: a record whose change was not made undoes nothing. It
// is not synced: after a power failure records may be missing, and what they kept is still there.
// A full disk stops no change: what cannot be recorded or kept is counted (Changes::not_kept). Any
// other reason for which the content before cannot be kept fails the change, and so does a log that
// is full (limit_reached, ENOSPC).
//
// Two processes of a session use one journal: the server and the warden, its copy (after_fork).
// Threads: any. A recorder holds a Turn from the first look at the names until its Intent is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <paddock/handle.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "journal/record.h"

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

// Why a change fails when the log of its session has no room for it.
inline constexpr std::string_view kLogIsFull =
    "the journal of this session is full, so changes are refused. Start another session";

// Is this canonical path the journal, above it included where that is the journal's alone?
bool is_journal_path(std::string_view path) noexcept;

class Journal;
class Intent;

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
    void name_client(std::string_view client);    // who asks, told late. Not in a copy

    // In the copy of a process: takes a lock of its own, and works on other mounts of the same
    // directory: `workspace` is the workspace as the copy reaches it. Its own calls of the methods
    // below then share what was made with the original.
    Done after_fork(int workspace);

    // The next call. `what`: the tool; `detail`: the command or path, for people.
    CallId begin_call(std::string_view what, std::string_view detail);
    // Records how each name that this process touched since the last time is now, so that a later
    // change by somebody else is noticed. May come again, for what the call left running. With or
    // without a Turn. `names`: gets the first of them by their paths, limits::kChangedNamesMax at
    // most.
    Changes end_call(CallId call, std::vector<NameChange>* names = nullptr);

    // --- with a Turn held, each before its change ---
    // `replaced`: the file, link or empty directory that loses its name by the change; it is kept.
    Outcome<Intent> will_make(CallId call, const Name& name, FileType type,
                              const Stat* replaced = nullptr);
    // Another name for an existing file.
    Outcome<Intent> will_link(CallId call, const Name& from, const Name& to);
    // `stat` is that of `from`.
    Outcome<Intent> will_rename(CallId call, const Name& from, const Name& to, const Stat& stat,
                                const Stat* replaced = nullptr);
    Outcome<Intent> will_exchange(CallId call, const Name& one, const Name& other);
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
    friend class Intent;
    struct State;
    explicit Journal(std::unique_ptr<State> state) noexcept;
    static Outcome<Journal> open_once(int workspace, const SessionInfo& info);
    std::unique_ptr<State> state_;
};

// A change that was announced and is about to be made. What was set aside for it belongs to it:
// only its own failure takes that away again. Unless it fails it counts as made. It goes before its
// Turn.
class [[nodiscard]] Intent {
public:
    Intent() = default;  // of a change that is not recorded
    Intent(Intent&& other) noexcept;
    ~Intent();

    // What will_make() announced, as it is now. Undo takes a make without it for one that failed.
    void made(const Stat& stat);
    void failed();  // it left everything as it was, and is not counted

private:
    friend class Journal;

    struct SetAside {
        std::string path;
        Stat stat;
        std::string kept;  // a name in the session's "kept"; empty: nothing
        bool is_lost = false;
    };

    Intent(Journal::State& state, CallId call) noexcept : state_(&state), call_(call) {}
    void withdraw();

    Journal::State* state_ = nullptr;
    CallId call_ = 0;
    std::string fresh_;  // a name that was free, and that the call had not touched before
    std::optional<SetAside> set_aside_;
    // Directories: names below go along when it is made.
    std::optional<std::pair<std::string, std::string>> moves_;
    bool is_exchange_ = false;
};

// Putting what a change takes away into a session's "kept": the inode itself where a link to it can
// be made, else a copy of its content. Names there are a letter for the process and a number.
//
// kNone: it is too large, or there is no room; the change goes on and cannot be undone. Whatever
// else keeps it from being kept is an error, and the change is not made: who can cause it would
// change files beyond undo. Nothing waits: only regular files are opened.
// The journal has no place for it: the change goes on and cannot be undone.
bool is_no_room(const Failure& failure) noexcept;
// A file that cannot be moved into the journal although its name can be taken away.
bool cannot_be_moved(const Failure& failure) noexcept;

// Renames to a name that is not taken.
Done move_to_free_name(int directory, const char* name, int to_directory, const char* to);

// A file of the user's own whose mode forbids it: the mode is another one for a moment. Otherwise
// whoever closes a file before changing it would do so beyond undo. `access`: O_RDONLY or O_RDWR.
Outcome<UniqueFd> open_whatever_its_mode(const Name& name, const Stat& stat, int access);

class Keeper {
public:
    explicit Keeper(char letter) noexcept : letter_(letter) {}

    // Of the last thing that was kept; valid until the next.
    const std::string& name() const noexcept { return name_; }
    const std::string& next_name();

    // Another name for what is at `name`, in the directory `kept`.
    Outcome<Keeping> keep_inode(int kept, const Name& name, const Stat& stat);

    // `file`: as of Journal::will_write.
    Outcome<Keeping> keep_copy(int kept, const Name& name, int file, const Stat& stat);

private:
    char letter_;
    std::uint64_t count_ = 0;
    std::string name_;
};

// The content of `from` becomes that of the empty file `to`, shared on the disk where it can be.
// `from` is at its start afterwards.
Done copy_file(int from, std::uint64_t size, int to);

}  // namespace paddock::journal
