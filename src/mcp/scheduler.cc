#include "mcp/scheduler.h"

#include <system_error>
#include <utility>

#include "sys/process.h"

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

// The only queued call of a client may be of any size.
std::optional<Workers::Taken> Workers::full_for(const Load& load, std::size_t bytes) const {
    const std::size_t queued = bounds_.queued * share() / bounds_.threads;
    const std::size_t queued_bytes = bounds_.queued_bytes * share() / bounds_.threads;
    if (queue_.size() >= bounds_.queued) return Taken::kTooMany;
    if (queued_bytes_ + bytes > bounds_.queued_bytes && !queue_.empty()) {
        return Taken::kTooManyBytes;
    }
    const bool is_too_large = load.queued_bytes + bytes > queued_bytes && load.queued > 0;
    if (load.queued >= queued || is_too_large) return Taken::kShareFull;
    return std::nullopt;
}

// What a thread is to do now.
std::deque<Workers::Work>::iterator Workers::next() {
    auto best = queue_.end();
    std::size_t fewest = share();
    for (auto work = queue_.begin(); work != queue_.end() && fewest > 0; ++work) {
        const std::size_t running = loads_[work->client].running;
        if (running >= fewest) continue;
        fewest = running;
        best = work;
    }
    return best;
}

Workers::Taken Workers::submit(std::function<void()> work, std::size_t bytes,
                               std::uint64_t client) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return Taken::kStopping;
        const auto known = loads_.find(client);
        if (const auto full = full_for(known == loads_.end() ? Load() : known->second, bytes)) {
            return *full;
        }
        if (waiting_ <= queue_.size() && threads_.size() < bounds_.threads) {
            try {
                threads_.emplace_back([this] { loop(); });
            } catch (const std::system_error&) {
                if (threads_.empty()) return Taken::kNoThread;
            }
        }
        queue_.push_back({std::move(work), bytes, client});
        queued_bytes_ += bytes;
        Load& load = loads_[client];
        ++load.queued;
        load.queued_bytes += bytes;
    }
    work_there_.notify_one();
    return Taken::kYes;
}

void Workers::loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++waiting_;
        auto taken = queue_.end();
        work_there_.wait(lock, [&] {
            taken = next();
            return stopping_ || taken != queue_.end();
        });
        --waiting_;
        if (stopping_) return;
        Work work = std::move(*taken);
        queue_.erase(taken);
        queued_bytes_ -= work.bytes;
        Load& load = loads_[work.client];
        --load.queued;
        load.queued_bytes -= work.bytes;
        ++load.running;
        ++running_;
        lock.unlock();
        work.run();
        work.run = nullptr;  // what it holds goes before it counts as done
        lock.lock();
        --running_;
        const auto done = loads_.find(work.client);
        if (--done->second.running == 0 && done->second.queued == 0) loads_.erase(done);
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

namespace {

std::string_view what_runs(tools::Pace pace) {
    if (pace == tools::Pace::kWaiting) return "commands";
    return pace == tools::Pace::kChanging ? "changes" : "requests";
}

}  // namespace

Workers& Scheduler::lane_of(tools::Pace pace) {
    if (pace == tools::Pace::kWaiting) return waiting_;
    return pace == tools::Pace::kChanging ? changing_ : working_;
}

std::optional<std::string> Scheduler::submit(tools::Pace pace, std::function<void()> work,
                                             std::size_t bytes, Refuse refuse,
                                             std::uint64_t client) {
    const bool waits = pace != tools::Pace::kChanging && pace != tools::Pace::kApart;
    if (!waits || !is_changing()) return put(pace, std::move(work), bytes, client);
    auto in_turn = [this, pace, bytes, client, work = std::move(work), refuse = std::move(refuse)] {
        if (pace == tools::Pace::kQuick) return work();
        const auto full = put(pace, work, bytes, client);
        if (full && refuse) refuse(*full);
    };
    return put(tools::Pace::kChanging, std::move(in_turn), bytes, client);
}

std::optional<std::string> Scheduler::put(tools::Pace pace, std::function<void()> work,
                                          std::size_t bytes, std::uint64_t client) {
    Workers& lane = lane_of(pace);
    const std::string what(what_runs(pace));
    // Changes keep the order in which they came, whoever makes them.
    switch (lane.submit(std::move(work), bytes, &lane == &changing_ ? 0 : client)) {
        case Workers::Taken::kYes: return std::nullopt;
        case Workers::Taken::kTooMany:
            return std::to_string(lane.bounds().threads) + " " + what + " are running and " +
                   std::to_string(lane.bounds().queued) + " more are waiting";
        case Workers::Taken::kTooManyBytes:
            return "the " + what + " that are waiting hold " +
                   std::to_string(lane.bounds().queued_bytes) + " bytes already";
        case Workers::Taken::kShareFull:
            return "this session has used its share of the " + what + " that can wait";
        case Workers::Taken::kNoThread: return "no thread is available";
        case Workers::Taken::kStopping: break;
    }
    return "the server is shutting down";
}

// One may hand on to another that was idle already.
bool Scheduler::wait_idle(std::chrono::steady_clock::time_point until) {
    while (under_way() > 0) {
        for (Workers* lane : {&changing_, &working_, &waiting_}) {
            if (!lane->wait_idle(until)) return false;
        }
    }
    return true;
}

void Scheduler::tell_when_idle(int wakeup) {
    changing_.tell_when_idle(wakeup);
    working_.tell_when_idle(wakeup);
    waiting_.tell_when_idle(wakeup);
}

}  // namespace paddock::mcp
