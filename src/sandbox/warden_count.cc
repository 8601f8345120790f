// What the processes of a session are and hold, as the warden answers it.
#include <algorithm>

#include "sandbox/sysv_objects.h"
#include "sandbox/warden_process.h"
#include "sys/child.h"

namespace paddock::sandbox {

// Whoever lives by forking, each generation for a moment, may be missed by every look at /proc. The
// kernel misses nobody: who loses its parent is a child of this process before that one has ended.
Reply WardenProcess::count_processes(Left left) {
    Reply counted;
    if (left == Left::kNobody) return counted;
    ProcessTable& table = killer_.table();
    if (const auto seen = table.scan(proc_.get(), killer_.reader()); !seen) {
        return Reply{{Stage::kCount, seen.error().os_error}, 0, 0};
    }
    table.mark_descendants(sys::own_id());
    counted.value = table.marked_alive();
    if (counted.value == 0) {
        counted.value = counted.left = 1;
        return counted;
    }
    look_at_memory(counted);
    table.mark_descendants(sys::own_id(), leaders());
    counted.left = table.marked_alive();
    std::uint32_t most = counted.left;
    for (const Job& job : jobs_) {
        if (job.id == 0) continue;
        table.mark_descendants(job.leader);
        const std::uint32_t own = table.marked_alive() + 1;
        if (own <= most) continue;
        most = own;
        counted.id = job.id;
    }
    return counted;
}

// With all processes of the session marked in the table.
void WardenProcess::look_at_memory(Reply& counted) {
    if (plan_.memory_events.valid()) return;
    const std::uint64_t most_allowed = plan_.limits.memory_bytes;
    const bool own_objects = plan_.rung == Rung::kFull;
    if (!may_hold_more(proc_.get(), killer_.table(), most_allowed, own_objects)) return;
    if (!memory_.is_under_way() && MemoryUse::Clock::now() >= measure_again_) {
        (void)memory_.begin(proc_.get(), killer_.reader(), sys::own_id(), most_allowed,
                            own_objects);
    }
    if (memory_.is_under_way()) measure_memory();
    const bool is_there = most_memory_ == 0 || find(most_memory_) != nullptr;
    counted.exceeds_memory = exceeds_memory_ && is_there;
    counted.most_memory = most_memory_;
}

void WardenProcess::measure_memory() {
    constexpr int kPausePerWork = 9;
    constexpr std::chrono::milliseconds kSlice{50};  // requests are answered in between
    using Clock = MemoryUse::Clock;
    if (!memory_.go_on(proc_.get(), killer_.reader(), Clock::now() + kSlice)) return;
    exceeds_memory_ = memory_.exceeds_limit();
    std::uint64_t most = memory_.of_left(sys::own_id(), leaders());
    most_memory_ = 0;
    for (const Job& job : jobs_) {
        if (job.id == 0) continue;
        const std::uint64_t own = memory_.of_tree(job.leader);
        if (own <= most) continue;
        most = own;
        most_memory_ = job.id;
    }
    measure_again_ = Clock::now() + std::min<Clock::duration>(kPausePerWork * memory_.work(),
                                                              limits::kMemoryMeasureAge);
}

// One command may leave a message for the next, and not a part of its memory.
void WardenProcess::free_large_objects() {
    constexpr std::uint64_t kMostPart = 4;
    if (plan_.rung != Rung::kFull) return;
    if (sysv_bytes(proc_.get()) <= plan_.limits.memory_bytes / kMostPart) return;
    (void)remove_all_objects(proc_.get());
}

}  // namespace paddock::sandbox
