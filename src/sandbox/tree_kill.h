// Ending all descendants of a process, those that left its session or lost their parents too.
// Allocates nothing.
//
// The process at the top collects orphans (adopt_orphans) and stands still, so that whoever it
// started stays its descendant until the end. Each pass kills all descendants that are seen for the
// first time. The last one is the pass that sees no new one after another saw that the process at
// the top stands still and the others are dead: until then they may still make some. Processes are
// held by descriptors: an id that came to mean another process is never signalled.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <span>

#include "base/outcome.h"
#include "sandbox/process_table.h"

namespace paddock::sandbox {

class TreeKiller {
public:
    // Kills the descendants of `ancestor`, not itself, nor `spared` and theirs; says how many there
    // were. limit_reached: still new ones after limits::kKillPassesMax passes, or more than fit in
    // the table.
    Outcome<std::uint32_t> kill_descendants(int proc, pid_t ancestor,
                                            std::span<const pid_t> spared = {});

    ProcessTable& table() noexcept { return table_; }
    sys::DirReader& reader() noexcept { return reader_; }  // free between calls

private:
    struct Doomed {
        pid_t id;
        std::uint64_t started;
    };

    bool is_doomed(const SeenProcess& process) const noexcept;
    bool is_still(int proc, pid_t ancestor) noexcept;
    bool is_stopped(int proc, const SeenProcess& process) noexcept;
    Done kill_new_ones(int proc, pid_t ancestor, std::span<const pid_t> spared);
    Done doom(int proc, const SeenProcess& process);

    ProcessTable table_;
    sys::DirReader reader_;
    std::array<Doomed, limits::kProcessesSeenMax> doomed_;
    std::size_t doomed_count_;
};

}  // namespace paddock::sandbox
