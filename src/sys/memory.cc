#include "sys/memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace paddock::sys {

Outcome<Memory> Memory::map(std::size_t bytes) {
    void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return Failure::from_errno(errno);
    return Memory(start, bytes);
}

Memory::Memory(Memory&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), bytes_(other.bytes_) {}

Memory::~Memory() {
    if (start_ != nullptr) ::munmap(start_, bytes_);
}

}  // namespace paddock::sys
