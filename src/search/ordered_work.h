// Tasks that have an order, run by several threads. The earliest is always taken first, a task may
// put others directly behind itself, and results are delivered in order: so a search that needs
// only the first results runs little further than those, and gives the same answer every time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "search/sink.h"

namespace paddock::search {

class Task {
public:
    using List = std::vector<std::unique_ptr<Task>>;

    Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;
    virtual ~Task() = default;

    // On any thread; `worker` is that thread's number, below the number of threads. What is put
    // into `behind` comes after this task and before all others that come after it.
    virtual void run(unsigned worker, List& behind) = 0;

    // After run and after all earlier tasks, never two at once. kStop: the rest is not wanted.
    virtual Next deliver() = 0;

    // How much it holds until it is delivered.
    virtual std::size_t bytes() const noexcept = 0;
};

// How many threads a search should use that was asked to use `wanted`; 0: one for each processor.
// Never more than limits::kSearchThreadsMax.
unsigned search_threads(unsigned wanted) noexcept;

// Returns when everything is delivered or a delivery said stop. Uses the calling thread and at most
// `threads` - 1 more, started when there is work for them, and fewer the more of these calls run in
// the process: together they use as many as one, and no search holds up the others. Tasks that are
// far ahead of a slow one wait while their results together hold more than `bytes_ahead_max`. What
// a task throws, no memory for example, ends all of it and is thrown here.
void run_in_order(std::unique_ptr<Task> first, unsigned threads, std::size_t bytes_ahead_max);

}  // namespace paddock::search
