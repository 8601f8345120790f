// Memory: what is not touched until it is used, for processes that cannot allocate, and what is not
// used any more.
#pragma once

#include <cstddef>

#include "base/outcome.h"

namespace paddock::sys {

class Memory {
public:
    static Outcome<Memory> map(std::size_t bytes);

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

// Lets go of the program's own pages that can be read from its file again. What is still used
// comes back by itself; what only the start needed is not resident for the rest of a long life.
// Breakpoints that a debugger has set go as well.
void release_program() noexcept;

}  // namespace paddock::sys
