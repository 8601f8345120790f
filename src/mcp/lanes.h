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
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <paddock/tools.h>

#include "mcp/workers.h"

namespace paddock::mcp {

class Lanes {
public:
    Lanes() : Lanes({}, {.threads = limits::kMcpCommandsMax}) {}
    Lanes(const Workers::Bounds& working, const Workers::Bounds& waiting)
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
