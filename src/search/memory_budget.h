// How much memory the searches of one process use together for files that must be held as a whole.
// Who comes first is served first; the others wait, and hold nothing meanwhile.
//
// Threads: all methods may be called from any thread. A thread holds one part at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

#include "search/interruption.h"

namespace paddock::search {

class MemoryBudget {
public:
    explicit MemoryBudget(std::size_t bytes_max) : left_(bytes_max) {}

    class Part {
    public:
        Part(MemoryBudget& budget, std::size_t bytes) noexcept : budget_(&budget), bytes_(bytes) {}
        Part(Part&& other) noexcept
            : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
        Part& operator=(Part&&) = delete;
        Part(const Part&) = delete;
        Part& operator=(const Part&) = delete;
        ~Part() {
            if (budget_ != nullptr) budget_->give_back(bytes_);
        }

    private:
        MemoryBudget* budget_;
        std::size_t bytes_;
    };

    // Waits until there is so much, which must be less than all of it. Nothing: interrupted.
    std::optional<Part> take(std::size_t bytes, Interruption& interruption);

private:
    void give_back(std::size_t bytes) noexcept;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t left_;
    std::list<int> waiting_;  // one for each thread, in order
};

// That of this process.
MemoryBudget& whole_file_memory();

}  // namespace paddock::search
