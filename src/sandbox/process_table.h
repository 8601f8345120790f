// The processes that a /proc shows, and which of them descend from one. Allocates nothing.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "sys/dir.h"

namespace paddock::sandbox {

// No initial values: most of a table is never touched.
struct SeenProcess {
    pid_t id;
    pid_t parent;
    std::uint64_t started;  // with the id, unique
    char state;             // of its first thread, as in /proc/<id>/stat
    bool is_over;           // all of its threads have ended
    bool descends;
    bool shows_memory;  // in its files in /proc: its first thread may have ended before others
    std::uint64_t resident_pages;
    // By MemoryUse:
    std::uint64_t memory_bytes;
    std::uint64_t page_bytes, table_bytes, mapping_bytes;  // parts of it
    std::uint64_t shared_bytes;                            // of the pages
    pid_t memory_shown_by;                                 // a thread whose files in /proc show it
    enum class Pages : char { kNotShown, kBounded, kCounted } pages;
};

class ProcessTable {
public:
    // All processes now, as far as they hold still: who ends and has started another one meanwhile
    // may be missed with it. limit_reached: more than fit.
    Done scan(int proc, sys::DirReader& reader);

    // Marks the descendants of `ancestor` and nobody else: not itself, none of `spared` and none of
    // theirs.
    void mark_descendants(pid_t ancestor, std::span<const pid_t> spared = {}) noexcept;

    std::uint32_t marked_alive() const noexcept;
    // After MemoryUse::measure. The second marks the descendants of `ancestor`, and counts itself.
    std::uint64_t marked_memory() const noexcept;
    std::uint64_t memory_of_tree(pid_t ancestor) noexcept;

    SeenProcess* find(pid_t id) noexcept;  // null: not seen

    std::span<const SeenProcess> seen() const noexcept { return {seen_.data(), count_}; }
    std::span<SeenProcess> seen() noexcept { return {seen_.data(), count_}; }

private:
    std::array<SeenProcess, limits::kProcessesSeenMax> seen_;
    std::size_t count_;
};

// One process; ESRCH or ENOENT: there is none.
Outcome<SeenProcess> look_at_process(int proc, pid_t id);

// A thread of it whose files in /proc show its memory. A thread that has ended shows none, nor does
// one that is about to, for as long as closing its files takes; others may go on. Its first thread
// if there is no such thread.
pid_t thread_with_memory(int proc, const SeenProcess& process, sys::DirReader& reader);

// The parts of a line of /proc/<id>/stat; false: it is none. The name of the program, which the
// process chooses, may contain anything.
bool parse_stat(std::span<const char> line, SeenProcess& process) noexcept;

}  // namespace paddock::sandbox
