// Who does what takes time: workers for calls that work, others for those that wait for a command,
// and one for those that change files. Commands that run for minutes hold up other commands, and
// nothing else. One client may use no more than its share of the threads, so that the slow calls of
// one never hold up another. Changes are made one after the other, and whatever is submitted after
// a change begins when that has been made: a client that sends a row of calls without waiting for
// answers finds each of them in force for the next.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <paddock/limits.h>
#include <paddock/tools.h>

namespace paddock::mcp {

// A few threads that do what takes time, and a bounded queue before them. Threads are started when
// there is work for them, and stay. Where several clients wait, the one with the fewest threads is
// next; of each client, what came first.
//
// Threads: all methods may be called from any thread, the destructor by the owner.

class Workers {
public:
    struct Bounds {
        std::size_t threads = limits::kMcpWorkersMax;
        std::size_t queued = limits::kMcpQueueMax;
        std::size_t queued_bytes = limits::kMcpQueueBytesMax;
        // One client gets no more of the threads, and the same part of the queue. 0: all.
        std::size_t share = 0;
    };

    Workers() : Workers(Bounds{}) {}
    explicit Workers(const Bounds& bounds) : bounds_(bounds) {}
    ~Workers();  // what is queued is dropped, what runs is waited for
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    enum class Taken : std::uint8_t {
        kYes,
        kTooMany,
        kTooManyBytes,
        kShareFull,
        kNoThread,
        kStopping
    };
    // Anything but kYes: it will not run. `bytes` is what the work holds in memory, `client` any
    // number that stands for who asks.
    Taken submit(std::function<void()> work, std::size_t bytes, std::uint64_t client = 0);
    const Bounds& bounds() const noexcept { return bounds_; }

    std::size_t under_way() const;  // queued and running
    // Waits until nothing is under way. False: the time is up.
    bool wait_idle(std::chrono::steady_clock::time_point until);
    // From now on `wakeup` becomes readable whenever nothing is under way. Borrowed.
    void tell_when_idle(int wakeup);

private:
    struct Work {
        std::function<void()> run;
        std::size_t bytes = 0;
        std::uint64_t client = 0;
    };
    // What there is of one client.
    struct Load {
        std::size_t running = 0;
        std::size_t queued = 0;
        std::size_t queued_bytes = 0;
    };

    void loop();
    std::size_t share() const { return bounds_.share == 0 ? bounds_.threads : bounds_.share; }
    std::optional<Taken> full_for(const Load& load, std::size_t bytes) const;
    std::deque<Work>::iterator next();

    const Bounds bounds_;
    mutable std::mutex mutex_;
    std::condition_variable work_there_;
    std::condition_variable idle_;
    std::deque<Work> queue_;
    std::unordered_map<std::uint64_t, Load> loads_;  // of those that have work here
    std::size_t queued_bytes_ = 0;
    std::size_t waiting_ = 0;  // threads without work
    std::size_t running_ = 0;
    bool stopping_ = false;
    int idle_wakeup_ = -1;
    std::vector<std::jthread> threads_;
};

class Scheduler {
public:
    Scheduler() : Scheduler({}, {.threads = limits::kMcpCommandsMax}) {}
    Scheduler(const Workers::Bounds& working, const Workers::Bounds& waiting)
        : waiting_(waiting), working_(working) {}

    // While this is so, no tool is to be called but by submit().
    bool is_changing() const { return changing_.under_way() > 0; }

    // Nothing: it will run. Else which bound was reached, as a clause for the client. What waits
    // for a change may meet a bound only then: `refuse` is called with that instead of `work`.
    using Refuse = std::function<void(std::string_view full)>;
    std::optional<std::string> submit(tools::Pace pace, std::function<void()> work,
                                      std::size_t bytes, Refuse refuse = {},
                                      std::uint64_t client = 0);

    std::size_t under_way() const {
        std::size_t sum = 0;
        for (const Workers* lane : lanes()) sum += lane->under_way();
        return sum;
    }
    // Waits until nothing is under way. False: the time is up.
    bool wait_idle(std::chrono::steady_clock::time_point until);
    // From now on `wakeup` becomes readable whenever one of them has nothing under way. Borrowed.
    void tell_when_idle(int wakeup);

private:
    Workers& lane_of(tools::Pace pace);
    std::optional<std::string> put(tools::Pace pace, std::function<void()> work, std::size_t bytes,
                                   std::uint64_t client);
    std::array<const Workers*, 3> lanes() const { return {&changing_, &working_, &waiting_}; }

    // They submit to each other: whoever destroys this has waited until all are idle.
    Workers waiting_;
    Workers working_;
    Workers changing_{{.threads = 1}};
};

}  // namespace paddock::mcp
