// Limits of a session that the kernel does not keep by itself: the number of its processes, their
// memory, the quota of the workspace, the reserve on its disk and the size of the home that lasts.
//
// Whoever runs a command asks now and then whether it met one. What a command leaves running when
// it ends belongs to nobody: a thread looks after that, and ends it. Where there is no thread for
// that, it is ended at once.
//
// Who met the limit of processes or memory is whoever has the most. Who fills a disk cannot be
// seen: what is left from commands that have ended is ended first, and a command if the disk fills
// further. That spares a command once: else one could write on as long as there is something new to
// be ended.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <paddock/root.h>

#include "sandbox/warden.h"
#include "tools/job.h"

namespace paddock::tools {

// How long a session trusts its own count of what the workspace takes on disk: long enough that a
// busy session does not walk the tree again and again.
inline constexpr std::chrono::seconds kDiskMeasureAge{30};

// How much the files of a workspace take, kept below the operator's limit.
//
// Counted is the size of each name, in blocks of 4 kB, and a block for each directory; a hard link
// counts again, a hole counts as if it were filled. The journal has bounds of its own. What this
// session adds is counted at once. What it removes, and what others do, is seen when the tree is
// measured again: before a refusal, and when the last measurement is kDiskMeasureAge old.
//
// A directory that somebody closed while the session lasts could hide anything. As long as it is
// closed, what the disk has lost since all could be seen counts, whoever wrote it.
//
// Not promised: what a process writes to a file that has no name is not counted, and two sessions
// that write at once may together pass the limit by what both write until then.
//
// Threads: all methods may be called from any thread.

// What a file of this size counts for.
std::uint64_t in_disk_blocks(std::uint64_t bytes);

class DiskUse {
public:
    enum class Journal : bool { kLeftOut, kCounted };

    // `directory`: of the workspace, below the root. Without a limit nothing is ever measured.
    DiskUse(Root root, std::string directory, std::optional<std::uint64_t> bytes_max,
            Journal journal = Journal::kLeftOut);

    // Before a file of `bytes` takes a new name, or the place of one of `replaced`. quota_exceeded.
    Result<void> claim(std::uint64_t bytes, std::optional<std::uint64_t> replaced = {});

    // Bytes beyond the limit, while somebody else writes; the last measurement serves if it is not
    // older than that.
    std::uint64_t excess(std::chrono::milliseconds age_max);

    // The same where measuring must cost next to nothing: no more than a twentieth of the time.
    std::uint64_t excess_now_and_then();
    bool is_measured();

private:
    using Clock = std::chrono::steady_clock;

    struct Seen {
        std::uint64_t bytes = 0;
        std::uint64_t free = 0;  // on the disk
    };

    Result<void> measure();
    bool hides_something(const WalkEntry& entry, Code why);

    const Root root_;
    const std::string directory_;
    const std::optional<std::uint64_t> bytes_max_;
    const Journal journal_;
    std::mutex mutex_;
    std::uint64_t used_ = 0;
    Seen all_;                         // when nothing was hidden
    std::vector<Stat> closed_before_;  // at the first measurement
    std::optional<Clock::time_point> measured_;
    Clock::duration took_{};
};

class LimitWatch {
public:
    struct Session {
        sandbox::Warden& warden;
        // How far the quota is exceeded: DiskUse::excess.
        std::function<std::uint64_t(std::chrono::milliseconds age_max)> excess;
        DiskUse* home = nullptr;  // that lasts
        int workspace = -1;       // its directory
        std::uint64_t processes_max = 0;
        std::uint64_t disk_reserve = 0;  // bytes
        // What commands left running has met this limit and was ended.
        std::function<void(EndedBy limit)> tell;
    };
    // Bytes: how much the disk's reserve lacks, and how far the quota and the limit of the home
    // are exceeded. The home takes time to measure: that waits until a command runs for a while.
    struct Overfill {
        std::uint64_t shortage = 0;
        std::uint64_t excess = 0;
        std::optional<std::uint64_t> home{};
    };
    // What a command is not to be blamed for: it must get to free some.
    struct Before {
        Overfill disk;
        std::uint64_t endings = 0;
        bool is_spared = false;  // something left was ended while it ran
    };

    explicit LimitWatch(Session session) : session_(std::move(session)) {}

    // Looks at the disk as it is before a command; whatever the command takes is its own from the
    // first byte on.
    Before look_before();
    void began(sandbox::ProcessId command, const Before& before);

    using Check = std::function<std::optional<EndedBy>()>;
    // To be asked every kCommandCheckPause while this command runs: the limit it has met.
    Check check_of(sandbox::ProcessId command);

    // A command has ended, and processes are alive.
    void look_after_left();

private:
    std::uint64_t shortage() const;
    Overfill look_at_disk();
    void take_in_endings(sandbox::ProcessId command, Before& before) const;
    std::optional<EndedBy> check(sandbox::ProcessId command, Before& before);
    std::optional<EndedBy> disk_limit(Overfill& before);
    // What there is to say to the command that asks.
    std::optional<EndedBy> judge(EndedBy limit, sandbox::ProcessId guilty,
                                 sandbox::ProcessId asking);
    void watch_left(const std::stop_token& stop);
    bool is_any_left();

    const Session session_;

    std::mutex checking_;
    std::uint64_t endings_ = 0;
    Overfill after_ending_;                       // the last one
    std::map<sandbox::ProcessId, Before> begun_;  // and not watched yet

    std::mutex mutex_;
    std::condition_variable_any wanted_;
    bool is_wanted_ = false;
    std::jthread watcher_;
};

// False: a stop was requested.
bool wait_for_next_check(const std::stop_token& stop);

}  // namespace paddock::tools
