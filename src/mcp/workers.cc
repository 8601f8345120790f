#include "mcp/workers.h"

#include <system_error>
#include <utility>

#include "sys/wait.h"

namespace paddock::mcp {

Workers::~Workers() {
    std::deque<Work> dropped;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        dropped.swap(queue_);
    }
    work_there_.notify_all();
}

Workers::Taken Workers::submit(std::function<void()> work, std::size_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return Taken::kStopping;
        if (queue_.size() >= bounds_.queued) return Taken::kTooMany;
        if (queued_bytes_ + bytes > bounds_.queued_bytes && !queue_.empty()) {
            return Taken::kTooManyBytes;
        }
        if (waiting_ <= queue_.size() && threads_.size() < bounds_.threads) {
            try {
                threads_.emplace_back([this] { loop(); });
            } catch (const std::system_error&) {
                if (threads_.empty()) return Taken::kNoThread;
            }
        }
        queue_.push_back({std::move(work), bytes});
        queued_bytes_ += bytes;
    }
    work_there_.notify_one();
    return Taken::kYes;
}

void Workers::loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++waiting_;
        work_there_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
        --waiting_;
        if (stopping_) return;
        Work work = std::move(queue_.front());
        queue_.pop_front();
        queued_bytes_ -= work.bytes;
        ++running_;
        lock.unlock();
        work.run();
        work.run = nullptr;  // what it holds goes before it counts as done
        lock.lock();
        --running_;
        if (running_ > 0 || !queue_.empty()) continue;
        idle_.notify_all();
        if (idle_wakeup_ >= 0) sys::wake(idle_wakeup_);
    }
}

void Workers::tell_when_idle(int wakeup) {
    const std::lock_guard lock(mutex_);
    idle_wakeup_ = wakeup;
    if (running_ == 0 && queue_.empty()) sys::wake(wakeup);
}

std::size_t Workers::under_way() const {
    const std::lock_guard lock(mutex_);
    return queue_.size() + running_;
}

bool Workers::wait_idle(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mutex_);
    return idle_.wait_until(lock, until, [&] { return queue_.empty() && running_ == 0; });
}

}  // namespace paddock::mcp
