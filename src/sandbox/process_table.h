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
};

class ProcessTable {
public:
    // All processes now, as far as they hold still: who ends and has started another one meanwhile
    // may be missed with it. limit_reached: more than fit.
    Done scan(int proc);

    // Marks the descendants of `ancestor` and nobody else: not itself, none of `spared` and none of
    // theirs.
    void mark_descendants(pid_t ancestor, std::span<const pid_t> spared = {}) noexcept;

    std::uint32_t marked_alive() const noexcept;

    sys::DirReader& reader() noexcept { return reader_; }  // free between scans

    std::span<const SeenProcess> seen() const noexcept { return {seen_.data(), count_}; }

private:
    std::array<SeenProcess, limits::kProcessesSeenMax> seen_;
    std::size_t count_;
    sys::DirReader reader_;
};

// One process; ESRCH or ENOENT: there is none.
Outcome<SeenProcess> look_at_process(int proc, pid_t id);

// The parts of a line of /proc/<id>/stat; false: it is none. The name of the program, which the
// process chooses, may contain anything.
bool parse_stat(std::span<const char> line, SeenProcess& process) noexcept;

}  // namespace paddock::sandbox
