// The journal of a session, as its tools use it. Opened with the first change: a session that only
// looks leaves nothing behind.
//
//   const Recorder::Call call(recorder, "write_file", path);  // around the call, on its thread
//   auto change = recorder.begin();                           // alone in the workspace from now on
//   auto intent = change->will_make(path, FileType::kRegular);
//   change->made(path, *intent);                              // once it is there
//
// Paths are canonical and relative to the root. What lies outside the workspace is not recorded,
// and nothing is where the user may make no name in the workspace itself.
//
// Threads: any; a change is of one thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <paddock/root.h>

#include "journal/journal.h"
#include "tools/answer.h"

namespace paddock::tools {

// Of a journal that cannot be opened: the user may make no name in the workspace.
bool is_for_want_of_rights(const Failure& why) noexcept;

class Recorder {
public:
    struct Setup {
        Root root;         // passes no link
        std::string base;  // where the workspace lies in it; empty: it is the root
        Root workspace;
        bool records = true;  // false: nothing will be changed
        std::string client;   // see journal::SessionInfo
    };
    explicit Recorder(Setup setup) : setup_(std::move(setup)), client_(setup_.client) {}

    // Opens it, unless that was done. Errors: those of journal::Journal::open.
    Outcome<journal::Journal*> journal();

    // Who works there, as Setup::client.
    void name_client(const std::string& client);

    // Did this session make it?
    bool is_own(const Stat& stat) const noexcept;
    // Did it write to it in place?
    bool has_written(const Stat& stat) const noexcept;

    // Those of the journal; none if there is no journal.
    std::uint64_t shared_count() const noexcept;
    void increase_shared_count() noexcept;

    class Call;
    class Change;
    Result<Change> begin();

private:
    const Setup setup_;
    mutable std::mutex mutex_;
    std::string client_;
    std::optional<journal::Journal> journal_;
};

// What the thread changes until this goes, it changes for one call. One inside another is for
// another recorder, and goes first.
class [[nodiscard]] Recorder::Call {
public:
    Call(Recorder& recorder, std::string_view tool, std::string detail);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();

private:
    friend class Recorder;

    Recorder& recorder_;
    const std::string tool_;
    const std::string detail_;
    journal::CallId id_ = 0;  // from its first change on
    Call* const outer_;
};

// While it lives nobody else changes the workspace through paddock. Not more than one for a thread.
class [[nodiscard]] Recorder::Change {
public:
    // As those of the journal. `replaced`: what is there, whose name goes to another file.
    Outcome<journal::Intent> will_make(const std::string& path, FileType type,
                                       const std::optional<Stat>& replaced = {});
    Outcome<journal::Intent> will_rename(const std::string& from, const std::string& to,
                                         const Stat& stat, const std::optional<Stat>& replaced);
    Outcome<journal::Intent> will_exchange(const std::string& one, const std::string& other);
    void made(const std::string& path, journal::Intent& intent) const;
    Done will_chmod(const std::string& path, const Stat& stat);
    // Takes the name away itself: a file, a link, an empty directory.
    Done remove(const std::string& path, const Stat& stat);
    // The same, or a directory with all that is in it. One that is recorded goes as a whole; any
    // other piece by piece, until the call is cancelled.
    Done remove_tree(const std::string& path, const Stat& stat, const std::stop_token& cancel);
    bool records(const std::string& path) const;

private:
    friend class Recorder;

    // A name, for as long as its directory is held.
    struct Held {
        std::optional<Handle> directory;
        std::string leaf;
        std::string path;
        journal::Name name() const { return {directory->fd(), leaf.c_str(), path}; }
    };
    Change(const Recorder& recorder, journal::Journal* journal, journal::CallId call);
    // Nothing: it is not recorded.
    Outcome<std::optional<Held>> hold(const std::string& path) const;

    const Recorder& recorder_;
    journal::Journal* journal_;  // nullptr: nothing is recorded
    journal::CallId call_ = 0;
    std::unique_ptr<journal::Turn> turn_;
};

}  // namespace paddock::tools
