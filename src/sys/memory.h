// Memory: what is not touched until it is used, for processes that cannot allocate, and what is not
// used any more.
#pragma once

#include <cstddef>

#include "base/outcome.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PADDOCK_THREAD_SANITIZER
#endif
#endif

namespace paddock::sys {

// Whether borrow_process and share_process do what they say. The runtime of ThreadSanitizer keeps
// the state of a thread in the memory that parent and child would have in common, and takes every
// child for one with a copy: under it they copy, and a child can only answer in a Memory.
#ifdef PADDOCK_THREAD_SANITIZER
inline constexpr bool kChildrenShareMemory = false;
#else
inline constexpr bool kChildrenShareMemory = true;
#endif

class Memory {
public:
    static Outcome<Memory> map(std::size_t bytes);
    static Outcome<Memory> map_shared(std::size_t bytes);  // with the copies that fork makes

    Memory(Memory&& other) noexcept;
    Memory& operator=(Memory&&) = delete;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory();

    void* get() const noexcept { return start_; }  // zeroed

private:
    Memory(void* start, std::size_t bytes) noexcept : start_(start), bytes_(bytes) {}

    void* start_;
    std::size_t bytes_;
};

std::size_t page_bytes() noexcept;

// A System V segment, set of semaphores or message queue, by its id.
Done remove_shared_segment(int id);
Done remove_semaphores(int id);
Done remove_queue(int id);

// Lets go of the program's own pages that can be read from its file again. What is still used
// comes back by itself; what only the start needed is not resident for the rest of a long life.
// Breakpoints that a debugger has set go as well.
void release_program() noexcept;

// Memory for what is large goes back to the system when it is freed. By itself the C library keeps
// up to 64 MiB for each thread once it has seen such blocks. Call it before there are threads.
void return_large_blocks() noexcept;

}  // namespace paddock::sys
