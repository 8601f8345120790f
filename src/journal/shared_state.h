// What the processes of a session know together: the number of calls, the size of the log, which
// inodes the session made and which it has copied. It lies in memory that copies of the process
// share, and is used without locks.
//
// Inodes are known by a hash of device, number and time of birth. A file system that does not tell
// the birth has no known inodes, and no more are known than the table takes: whoever asks for such
// a one hears that it is not known, and keeps more than necessary.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <paddock/handle.h>

#include "base/outcome.h"
#include "sys/memory.h"

namespace paddock::journal {

class SharedState {
public:
    static Outcome<SharedState> make();

    struct Counters {
        std::atomic<std::uint32_t> calls;
        std::atomic<std::uint32_t> writers;  // processes, for their letters
        std::atomic<std::uint64_t> changes;  // announced
        std::atomic<std::uint64_t> log_bytes;
        std::atomic<std::uint64_t> kept_bytes;      // of what was there before the session
        std::atomic<std::uint64_t> kept_own_bytes;  // of what it made or wrote itself
    };
    Counters& counters() const noexcept;

    // The call has made it / copied it.
    void note_made(const Stat& stat, std::uint32_t call) noexcept;
    void note_copied(const Stat& stat, std::uint32_t call) noexcept;

    bool is_made(const Stat& stat) const noexcept;  // by any call
    bool is_made_by(const Stat& stat, std::uint32_t call) const noexcept;
    bool is_copied(const Stat& stat) const noexcept;
    bool is_copied_by(const Stat& stat, std::uint32_t call) const noexcept;

private:
    struct Entry;
    struct Table;

    explicit SharedState(sys::Memory memory) noexcept : memory_(std::move(memory)) {}
    Table& table() const noexcept;
    const Entry* find(const Stat& stat) const noexcept;
    Entry* find_or_add(const Stat& stat) noexcept;

    sys::Memory memory_;
};

}  // namespace paddock::journal
