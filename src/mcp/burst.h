// Calls that came together, for any thread to take one by one. The one that made them also lets
// them go: memory that another thread gives back makes both wait for each other.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "mcp/exchange.h"

namespace paddock::mcp {

class Burst {
public:
    using Call = std::shared_ptr<Exchange>;

    void add(Call call) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(call));
    }

    std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return waiting_.size();
    }

    // The one that has waited longest, or nothing.
    Call take() {
        const std::lock_guard lock(mutex_);
        if (waiting_.empty()) return nullptr;
        Call call = std::move(waiting_.front());
        waiting_.pop_front();
        return call;
    }

    // For whoever did not make it: it is kept until forget_answered().
    void answered(Call call) {
        const std::lock_guard lock(mutex_);
        answered_.push_back(std::move(call));
    }

    void forget_answered() {
        std::vector<Call> all;
        const std::lock_guard lock(mutex_);
        all.swap(answered_);
    }

private:
    mutable std::mutex mutex_;
    std::deque<Call> waiting_;
    std::vector<Call> answered_;
};

}  // namespace paddock::mcp
