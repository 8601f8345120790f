// The processes of a session: who they are, and how all of them are ended.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/kernel_text.h"

namespace paddock::sandbox {

// Passes over all processes while a tree is being stopped. Each pass finds what was forked during
// the one before; whoever still forks then wins by luck only, and loses the session.
inline constexpr int kKillPassesMax = 64;

// Milliseconds that a tree is given to die before it is no longer looked at: whoever waits for a
// device dies when that answers.
inline constexpr int kKillWaitsMax = 5000;

// Processes that the warden looks at in one pass: the kernel's default limit of ids.
inline constexpr std::size_t kProcessesSeenMax = 32'768;

// Reading a file of /proc whose lines are many. Allocates nothing.

// A file of /proc, line by line. The longest line has a path whose every byte is escaped.
class KernelLines {
public:
    KernelLines(int proc, const char* path) : file_(sys::openat(proc, path, O_RDONLY)) {}

    bool is_open() const noexcept { return file_.has_value(); }

    // False: there is no other.
    bool next(std::string_view& line) {
        if (!is_open()) return false;
        for (;;) {
            const std::string_view rest(block_ + begin_, end_ - begin_);
            const std::size_t size = rest.find('\n');
            if (size != rest.npos) {
                line = rest.substr(0, size);
                begin_ += size + 1;
                return true;
            }
            std::memmove(block_, block_ + begin_, rest.size());
            begin_ = 0;
            end_ = rest.size();
            const auto more = sys::read(file_->get(), block_ + end_, sizeof block_ - end_);
            if (!more || *more == 0) return false;
            end_ += *more;
        }
    }

private:
    Outcome<UniqueFd> file_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    char block_[32768];
};

template <class Number>
Number next_number(std::string_view& rest) {
    Number number = 0;
    return sys::parse_number(sys::next_word(rest), number) ? number : 0;
}

// The processes that a /proc shows, and which of them descend from one. Allocates nothing.
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
    std::array<SeenProcess, kProcessesSeenMax> seen_;
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

// Ending all descendants of a process, those that left its session or lost their parents too.
// Allocates nothing.
//
// The process at the top collects orphans (adopt_orphans) and stands still, so that whoever it
// started stays its descendant until the end. Each pass kills all descendants that are seen for the
// first time. The last one is the pass that sees no new one after another saw that the process at
// the top stands still and the others are dead: until then they may still make some. Processes are
// held by descriptors: an id that came to mean another process is never signalled.
class TreeKiller {
public:
    // Kills the descendants of `ancestor`, not itself, nor `spared` and theirs; says how many there
    // were. limit_reached: still new ones after kKillPassesMax passes, or more than fit in
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
    std::array<Doomed, kProcessesSeenMax> doomed_;
    std::size_t doomed_count_;
};

}  // namespace paddock::sandbox
