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
#include <thread>

#include "sandbox/warden.h"
#include "tools/disk_use.h"
#include "tools/job.h"

namespace paddock::tools {

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
    // To be asked every limits::kCommandCheckPause while this command runs: the limit it has met.
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
