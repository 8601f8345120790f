// The System V objects of an ipc namespace: segments, sets of semaphores and message queues. They
// outlive who made them. Allocates nothing.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/outcome.h"
#include "sandbox/kernel_lines.h"

namespace paddock::sandbox {

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

}  // namespace paddock::sandbox
