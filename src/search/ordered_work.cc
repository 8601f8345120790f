#include "search/ordered_work.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#include <paddock/limits.h>

namespace paddock::search {
namespace {

std::atomic<unsigned> searches_running = 0;

class OrderedWork {
public:
    OrderedWork(unsigned threads, std::size_t bytes_ahead_max)
        : threads_max_(std::max(threads, 1U)), bytes_ahead_max_(bytes_ahead_max) {
        ++searches_running;
    }
    OrderedWork(const OrderedWork&) = delete;
    OrderedWork& operator=(const OrderedWork&) = delete;
    ~OrderedWork() { --searches_running; }

    void run(std::unique_ptr<Task> first) {
        Task::List tasks;
        tasks.push_back(std::move(first));
        nodes_ = waiting(tasks);
        waiting_ = 1;
        work_or_stop(0);
        for (Helper& helper : helpers_) {
            if (helper.thread.joinable()) helper.thread.join();
        }
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    enum class State : std::uint8_t { kWaiting, kRunning, kDone };

    // A helper leaves when other searches begin and take its processor, and can come back.
    struct Helper {
        std::thread thread;
        bool has_left = false;
    };

    // Neighbours that are done become one node, so there are never more nodes in front of the first
    // waiting one than two for each thread.
    struct Node {
        explicit Node(State now) : state(now) {}
        State state;
        Task::List tasks;
        std::size_t bytes = 0;
    };
    using Nodes = std::list<Node>;

    static Nodes waiting(Task::List& tasks);
    void work_or_stop(unsigned worker) noexcept;
    void work(unsigned worker);
    Nodes::iterator claim(std::unique_lock<std::mutex>& lock);
    void finish(Nodes::iterator node, Nodes behind);
    void deliver(std::unique_lock<std::mutex>& lock);
    void start_helpers();

    // Of all processors, the part that falls to each search of the process.
    std::size_t share() const {
        const unsigned running = std::max(searches_running.load(std::memory_order_relaxed), 1U);
        return (threads_max_ + running - 1) / running;
    }

    // The one that all others wait for is never held back.
    bool may_claim(Nodes::const_iterator node) const {
        return node->state == State::kWaiting &&
               (node == nodes_.begin() || bytes_ahead_ <= bytes_ahead_max_);
    }

    const unsigned threads_max_;
    const std::size_t bytes_ahead_max_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Nodes nodes_;  // in order; what was delivered is gone
    std::size_t waiting_ = 0;
    std::size_t bytes_ahead_ = 0;
    bool delivering_ = false;
    bool stopped_ = false;
    std::exception_ptr thrown_;   // by a task, the first
    std::deque<Helper> helpers_;  // the first is worker 1
};

OrderedWork::Nodes OrderedWork::waiting(Task::List& tasks) {
    Nodes nodes;
    for (auto& task : tasks) nodes.emplace_back(State::kWaiting).tasks.push_back(std::move(task));
    return nodes;
}

void OrderedWork::work_or_stop(unsigned worker) noexcept {
    try {
        work(worker);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!thrown_) thrown_ = std::current_exception();
        stopped_ = true;
        changed_.notify_all();
    }
}

void OrderedWork::work(unsigned worker) {
    std::unique_lock lock(mutex_);
    for (Task::List behind;; behind.clear()) {
        const auto node = claim(lock);
        if (node == nodes_.end()) return;
        lock.unlock();
        node->tasks.front()->run(worker, behind);
        Nodes added = waiting(behind);
        lock.lock();
        finish(node, std::move(added));
        deliver(lock);
        if (worker == 0) start_helpers();
        if (worker == 0 || worker < share()) continue;
        helpers_[worker - 1].has_left = true;
        changed_.notify_all();  // what it delivered may let others go on
        return;
    }
}

// Waits for something to do; the end of the list if there will be nothing any more.
OrderedWork::Nodes::iterator OrderedWork::claim(std::unique_lock<std::mutex>& lock) {
    for (;;) {
        if (stopped_ || nodes_.empty()) return nodes_.end();
        for (auto node = nodes_.begin(); waiting_ > 0 && node != nodes_.end(); ++node) {
            if (node->state != State::kWaiting) continue;
            if (!may_claim(node)) break;
            node->state = State::kRunning;
            --waiting_;
            return node;
        }
        changed_.wait(lock);
    }
}

void OrderedWork::finish(Nodes::iterator node, Nodes behind) {
    const auto next = std::next(node);
    const bool brings_work = !behind.empty();
    waiting_ += behind.size();
    nodes_.splice(next, std::move(behind));
    node->state = State::kDone;
    node->bytes = node->tasks.front()->bytes();
    bytes_ahead_ += node->bytes;
    const auto join = [this](Nodes::iterator left, Nodes::iterator right) {
        std::move(right->tasks.begin(), right->tasks.end(), std::back_inserter(left->tasks));
        left->bytes += right->bytes;
        nodes_.erase(right);
    };
    if (!brings_work && next != nodes_.end() && next->state == State::kDone) join(node, next);
    if (node != nodes_.begin() && std::prev(node)->state == State::kDone) {
        join(std::prev(node), node);
    }
    if (brings_work) changed_.notify_all();
}

void OrderedWork::deliver(std::unique_lock<std::mutex>& lock) {
    if (delivering_) return;
    delivering_ = true;
    while (!stopped_ && !nodes_.empty() && nodes_.front().state == State::kDone) {
        Task::List ready = std::move(nodes_.front().tasks);
        bytes_ahead_ -= nodes_.front().bytes;
        nodes_.pop_front();
        lock.unlock();
        Next next = Next::kGoOn;
        for (const auto& task : ready) {
            next = task->deliver();
            if (next == Next::kStop) break;
        }
        ready.clear();  // here, where nobody waits for the lock
        lock.lock();
        if (next == Next::kStop) stopped_ = true;
        if (stopped_ || nodes_.empty() || bytes_ahead_max_ > 0) changed_.notify_all();
    }
    delivering_ = false;
}

void OrderedWork::start_helpers() {
    const std::size_t wanted = std::min<std::size_t>(share() - 1, waiting_);
    for (std::size_t i = 0; i < wanted; ++i) {
        if (i == helpers_.size()) helpers_.emplace_back().has_left = true;
        Helper& helper = helpers_[i];
        if (!helper.has_left) continue;
        if (helper.thread.joinable()) helper.thread.join();
        try {
            const auto number = static_cast<unsigned>(i) + 1;
            helper.thread = std::thread([this, number] { work_or_stop(number); });
            helper.has_left = false;
        } catch (const std::system_error&) {
            return;  // the machine has no more; those that there are do all the work
        }
    }
}

}  // namespace

unsigned search_threads(unsigned wanted) noexcept {
    if (wanted == 0) wanted = std::thread::hardware_concurrency();
    return std::clamp(wanted, 1U, limits::kSearchThreadsMax);
}

void run_in_order(std::unique_ptr<Task> first, unsigned threads, std::size_t bytes_ahead_max) {
    OrderedWork(threads, bytes_ahead_max).run(std::move(first));
}

}  // namespace paddock::search
