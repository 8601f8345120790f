// How much of the host's memory the processes of a session hold, and which of them. Allocates
// nothing.
//
// Counted: private and shared pages, also those in swap, page tables, mappings, memfds and System V
// segments, semaphores and messages. Several processes that share pages hold them once. Address
// space costs nothing.
//
// A process can make each look at it take long. So everything counts at first as if nothing were
// shared, which the kernel knows at once. Only if that is too much each process is looked at, in
// slices between other work. When the time for that is over, what was not looked at yet counts as
// if nothing in it were shared.
//
// Not counted: the page cache; files in /tmp and /dev/shm that nobody maps, which may hold as much
// again; other memory of the kernel such as socket buffers. Not seen: a memfd that is only on
// its way through a socket, or only in a descriptor table that one thread has for itself; pages of
// a shared mapping that were dropped with madvise(2); memfds of a process that this one may not
// inspect.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string_view>

#include <paddock/handle.h>
#include <paddock/limits.h>

#include "base/outcome.h"
#include "sandbox/processes.h"

namespace paddock::sandbox {

// memfds that are counted once, however many descriptors there are of each.
inline constexpr std::size_t kMemfdsSeenMax = 1024;

// The System V objects of an ipc namespace: segments, sets of semaphores and message queues. They
// outlive who made them. Allocates nothing.

struct SysvObject {
    enum class Kind : char { kSegment, kSemaphores, kQueue } kind = Kind::kSegment;
    int id = 0;
    pid_t owner = 0;  // who made the segment, or sent the last message; 0: not known
    std::uint64_t bytes = 0;
};

// All that this process's namespace shows but the segments that somebody is attached to.
class SysvObjects {
public:
    explicit SysvObjects(int proc) noexcept : proc_(proc) {}

    // False: there is no other.
    bool next(SysvObject& object);

private:
    const int proc_;
    std::size_t next_kind_ = 0;
    std::optional<KernelLines> lines_;
};

// What they hold.
std::uint64_t sysv_bytes(int proc);

Done remove_object(const SysvObject& object);

// Says how many there were. Only for the last process that could use them.
std::uint32_t remove_all_objects(int proc);

// May the marked processes hold more than this? False is certain. Cheap: it adds the resident pages
// of the table to all shared memory, swap, page tables and other objects of the kernel on the host.
bool may_hold_more(int proc, const ProcessTable& table, std::uint64_t bytes, bool own_objects);

class MemoryUse {
public:
    using Clock = std::chrono::steady_clock;

    // Of the descendants of `ancestor`, as they are now. `own_objects`: the System V objects that
    // are shown are the session's.
    Done begin(int proc, sys::DirReader& reader, pid_t ancestor, std::uint64_t limit,
               bool own_objects);
    bool is_under_way() const noexcept { return phase_ != Phase::kDone; }
    // False: it is still under way. Goes beyond `until` by one file of one process.
    bool go_on(int proc, sys::DirReader& reader, Clock::time_point until);

    // When it is done. Segments whose creator has ended count to those left. Semaphores and
    // messages of nobody in particular count to nobody, as long as they may be in use.
    bool exceeds_limit() const noexcept { return total_ > limit_; }
    std::uint64_t of_left(pid_t ancestor, std::span<const pid_t> leaders) noexcept;
    std::uint64_t of_tree(pid_t leader) noexcept { return table_.memory_of_tree(leader); }
    Clock::duration work() const noexcept { return work_; }

private:
    enum class Phase : char { kBounds, kShares, kMemfdPages, kDone };

    void step(int proc, sys::DirReader& reader);
    void end_phase(int proc) noexcept;
    void forget_ended(int proc) noexcept;
    bool is_out_of_time() const noexcept;
    void bound(int proc, sys::DirReader& reader, SeenProcess& process);
    void count_memfds(int proc, sys::DirReader& reader, SeenProcess& process);
    bool add_memfds(int proc, sys::DirReader& reader, SeenProcess& process);
    void count_family(int proc, SeenProcess& process);
    void count_shares(int proc, SeenProcess& process);
    void count_objects(int proc);
    void replace(SeenProcess& process, std::uint64_t& part, std::uint64_t by) noexcept;
    std::uint64_t memfd_pages(int proc, const SeenProcess& process) const;
    SeenProcess* find_marked(pid_t id) noexcept;
    bool is_known(const Identity& memfd) const noexcept;
    bool remember(const Identity& memfd) noexcept;

    Phase phase_ = Phase::kDone;
    bool own_objects_ = false;
    std::size_t next_ = 0;  // of the table
    std::uint64_t limit_ = 0;
    std::uint64_t total_ = 0;
    std::uint64_t mappings_max_ = 0;     // of a process
    std::uint64_t unseen_memfds_ = 0;    // of the host: as much can be where nobody looked
    std::uint64_t abandoned_bytes_ = 0;  // segments that nobody uses and whose creator has ended
    std::uint64_t unowned_bytes_ = 0;    // semaphores, and messages whose sender has ended
    Clock::time_point began_{};
    Clock::duration work_{};
    std::clock_t processor_time_ = 0;
    std::array<Identity, kMemfdsSeenMax> memfds_;
    std::size_t memfd_count_ = 0;
    ProcessTable table_;
};

// Removes the segments that nobody is attached to and whose creator is not in the table; says how
// many.
std::uint32_t remove_abandoned_segments(int proc, ProcessTable& table);

}  // namespace paddock::sandbox
