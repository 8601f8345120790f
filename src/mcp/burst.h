// Calls that came together, for their maker and a helper to take one by one. The maker also lets
// them go: memory that another thread gives back makes both wait for each other.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
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
        return take_locked();
    }

    // The same for the helper, which gives it back by answered(); it is kept until
    // forget_answered().
    Call take_to_help() {
        const std::lock_guard lock(mutex_);
        Call call = take_locked();
        if (call != nullptr) ++with_helper_;
        return call;
    }
    void answered(Call call) {
        const std::lock_guard lock(mutex_);
        answered_.push_back(std::move(call));
        if (--with_helper_ == 0) none_with_helper_.notify_all();
    }

    // Until the helper has answered what it took. For whoever has taken all the others.
    void wait_for_helper() {
        std::unique_lock lock(mutex_);
        none_with_helper_.wait(lock, [this] { return with_helper_ == 0; });
    }

    void forget_answered() {
        std::vector<Call> all;
        const std::lock_guard lock(mutex_);
        all.swap(answered_);
    }

private:
    Call take_locked() {
        if (waiting_.empty()) return nullptr;
        Call call = std::move(waiting_.front());
        waiting_.pop_front();
        return call;
    }

    mutable std::mutex mutex_;
    std::condition_variable none_with_helper_;
    std::deque<Call> waiting_;
    std::size_t with_helper_ = 0;
    std::vector<Call> answered_;
};

}  // namespace paddock::mcp
