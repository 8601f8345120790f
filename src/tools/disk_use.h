// How much the files of a workspace take, kept below the operator's limit.
//
// Counted is the size of each name, in blocks of 4 kB, and a block for each directory; a hard link
// counts again, a hole counts as if it were filled. The journal has bounds of its own. What this
// session adds is counted at once. What it removes, and what others do, is seen when the tree is
// measured again: before a refusal, and when the last measurement is limits::kDiskMeasureAge old.
//
// A directory that somebody closed while the session lasts could hide anything. As long as it is
// closed, what the disk has lost since all could be seen counts, whoever wrote it.
//
// Not promised: what a process writes to a file that has no name is not counted, and two sessions
// that write at once may together pass the limit by what both write until then.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <paddock/root.h>

namespace paddock::tools {

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

}  // namespace paddock::tools
