#include "search/memory_budget.h"

#include <chrono>

#include <paddock/limits.h>

namespace paddock::search {
namespace {

// How soon one who waits sees that it is interrupted.
constexpr std::chrono::milliseconds kLookPause{20};

}  // namespace

std::optional<MemoryBudget::Part> MemoryBudget::take(std::size_t bytes,
                                                     Interruption& interruption) {
    std::unique_lock lock(mutex_);
    const auto own = waiting_.insert(waiting_.end(), 0);
    const auto is_next = [&] { return own == waiting_.begin() && left_ >= bytes; };
    bool has_time = true;
    while (!is_next() && has_time) {
        changed_.wait_for(lock, kLookPause);
        has_time = !interruption.requested();
    }
    waiting_.erase(own);
    changed_.notify_all();
    if (!has_time) return std::nullopt;
    left_ -= bytes;
    return std::optional<Part>(std::in_place, *this, bytes);
}

void MemoryBudget::give_back(std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    left_ += bytes;
    changed_.notify_all();
}

MemoryBudget& whole_file_memory() {
    static MemoryBudget budget(limits::kSearchWholeTogetherBytesMax);
    return budget;
}

}  // namespace paddock::search
