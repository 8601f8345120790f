#include "sys/memory.h"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <utility>

#include "sys/call.h"

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

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

Done remove_shared_segment(int id) {
    return call(Call::kUnlink, [&] { return ::shmctl(id, IPC_RMID, nullptr); });
}

Done remove_semaphores(int id) {
    return call(Call::kUnlink, [&] { return ::semctl(id, 0, IPC_RMID); });
}

Done remove_queue(int id) {
    return call(Call::kUnlink, [&] { return ::msgctl(id, IPC_RMID, nullptr); });
}

void release_program() noexcept {
    // NOLINTBEGIN(performance-no-int-to-ptr): what lies in the file is known by numbers.
    const auto base = reinterpret_cast<std::uintptr_t>(&__ehdr_start);
    const std::uintptr_t page = page_bytes();
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

void return_large_blocks() noexcept {
#ifdef __GLIBC__
    constexpr int kLargeBytes = 1 << 20;
    // Once they are set, they no longer grow with the blocks that are freed.
    (void)::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
    (void)::mallopt(M_TRIM_THRESHOLD, 4 * kLargeBytes);
#endif
}

}  // namespace paddock::sys
