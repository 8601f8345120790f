#include "sys/memory.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <utility>

// The program as it is mapped; the linker puts it there, under this name.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

namespace paddock::sys {

namespace {

// The memory, or nullptr and errno.
void* map_zeroed(std::size_t bytes, int whose) {
    void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         whose | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start == MAP_FAILED ? nullptr : start;
}

}  // namespace

Outcome<Memory> Memory::map(std::size_t bytes) {
    void* start = map_zeroed(bytes, kChildrenShareMemory ? MAP_PRIVATE : MAP_SHARED);
    if (start == nullptr) return Failure::from_errno(errno);
    return Memory(start, bytes);
}

Outcome<Memory> Memory::map_shared(std::size_t bytes) {
    void* start = map_zeroed(bytes, MAP_SHARED);
    if (start == nullptr) return Failure::from_errno(errno);
    return Memory(start, bytes);
}

Memory::Memory(Memory&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), bytes_(other.bytes_) {}

Memory::~Memory() {
    if (start_ != nullptr) ::munmap(start_, bytes_);
}

void release_program() noexcept {
    // NOLINTBEGIN(performance-no-int-to-ptr): what lies in the file is known by numbers.
    const auto base = reinterpret_cast<std::uintptr_t>(&__ehdr_start);
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto* const first = reinterpret_cast<const ElfW(Phdr)*>(base + __ehdr_start.e_phoff);
    for (const ElfW(Phdr) & part : std::span(first, __ehdr_start.e_phnum)) {
        if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
        const std::uintptr_t begin = (base + part.p_vaddr) & ~(page - 1);
        const std::uintptr_t end = base + part.p_vaddr + part.p_memsz;
        // Advice: where it is not taken, nothing is lost.
        (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    }
    // NOLINTEND(performance-no-int-to-ptr)
}

}  // namespace paddock::sys
