// Memory that is not touched until it is used, for processes that cannot allocate.
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

}  // namespace paddock::sys
