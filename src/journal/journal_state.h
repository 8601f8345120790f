// What one process holds of a session's journal.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <paddock/handle.h>
#include <paddock/limits.h>

#include "journal/journal.h"
#include "journal/place.h"
#include "journal/record.h"

namespace paddock::journal {

// The names that one call has touched, each with what it was before: from it and from what it is at
// the end follows what the call changed.
//
// When a directory is renamed the names below it go with it, so that they are looked for where they
// are.

class TouchedNames {
public:
    // Only the first time counts: is it that? `before`: nullptr if there was nothing.
    bool touch(std::string_view path, const Stat* before);
    void forget(std::string_view path);

    void rename_directory(std::string_view from, std::string_view to);
    void exchange_directories(std::string_view one, std::string_view other);

    std::size_t size() const noexcept { return names_.size(); }

    // Looks at each name as it is now, in the order of the paths, calls `note` for each that is
    // there, adds up what has changed, and forgets the names. `changed` gets the first that have,
    // until it holds limits::kChangedNamesMax.
    using Note = std::function<void(std::string_view path, const Stat& now)>;
    Changes settle(int workspace, std::vector<NameChange>& changed, const Note& note);

private:
    struct Before {
        bool existed = false;
        Object object = {};
        FileType type = FileType::kUnknown;
        std::uint32_t mode = 0;
        std::uint64_t size = 0;
        std::chrono::nanoseconds modified = {};

        bool is_like(const Stat& now) const noexcept;
    };
    using Names = std::map<std::string, Before, std::less<>>;

    Names take_below(std::string_view directory);
    void put_below(Names taken, std::string_view from, std::string_view to);

    Names names_;
};

struct Journal::State {
    // One call, as far as this process has changed something for it.
    struct OpenCall {
        TouchedNames names;
        Changes settled;  // of names that were let go early, and what could not be kept
        std::vector<NameChange> settled_names;  // the first of them
    };

    State(SharedState known, SessionFiles opened)
        : shared(std::move(known)), files(std::move(opened)) {}

    // The log has this much room for changes, or for all that must come after them.
    Done append(const Record& record, std::uint64_t bytes_max);
    Done append(const Record& record) { return append(record, limits::kJournalWholeLogBytesMax); }
    void append_to_batch(std::string& batch, const Record& record) const;
    bool claim_log(std::size_t bytes, std::uint64_t bytes_max) const;
    Done write(std::string_view lines, CallId call);
    Done announce(const Record& record);
    Done announce_kept(const Record& record, const Stat& stat);
    // Records the change of an intent, or withdraws it.
    Done announce(Intent& intent, const Record& record);
    // What loses its name by the change of an intent.
    Done set_aside(Intent& intent, const Name& name, const Stat& stat);
    // Is it the first time that the call touches the name?
    bool touch(CallId call, std::string_view name, const Stat* before);
    void touch_free(Intent& intent, std::string_view name);
    bool is_at(std::string_view where, const Object& object) const;
    void settle(CallId call, OpenCall& open_call);
    void count_not_kept(CallId call) { ++calls[call].settled.not_kept; }
    // Nothing is kept where the session has kept as much as it may. Errors: those of a Keeper.
    enum class As : bool { kInode, kCopy };
    Done keep(As how, const Name& name, int file, const Stat& stat, Record& record);
    void keep_index(std::string_view name, Record& record);
    bool is_own_content(const Stat& stat) const;
    std::atomic<std::uint64_t>& kept_bytes(const Stat& stat) const;
    bool claim(const Stat& stat);
    void give_back(const Stat& stat);
    void drop_kept(std::string_view kept, const Stat& stat);

    std::uint64_t shared_count() const noexcept;
    void increase_shared_count() const noexcept;

    bool is_disposable(CallId call, const Stat& stat) const;
    void remove_if_unused();

    bool is_silent = false;
    SharedState shared;
    SessionFiles files;
    UniqueFd workspace;
    UniqueFd journal;
    UniqueFd lock;
    std::string path;
    std::string id;
    std::uint64_t changes_bytes_max = limits::kJournalLogBytesMax;  // in the log
    char writer = 'a';

    std::unique_ptr<std::mutex> turns = std::make_unique<std::mutex>();
    std::atomic<std::thread::id> holder;  // of the turn
    std::optional<Failure> turn_failure;

    // Guards all members below. begin_call and end_call take it without a turn.
    std::unique_ptr<std::mutex> guard = std::make_unique<std::mutex>();
    std::map<CallId, OpenCall> calls;
    std::string line;     // reused
    std::string pending;  // a kMade, written with the next line
    Keeper keeper{writer};
    bool is_line_cut = false;  // the disk was full in the middle of one
};

}  // namespace paddock::journal
