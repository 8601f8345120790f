// Who does what takes time: two sets of workers, one for calls that work and one for those that
// wait for a command. Commands that run for minutes hold up other commands, and nothing else.
//
// Threads: all methods may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include <paddock/tools.h>

#include "mcp/workers.h"

namespace paddock::mcp {

class Lanes {
public:
    Lanes() : Lanes({}, {.threads = limits::kMcpCommandsMax}) {}
    Lanes(const Workers::Bounds& working, const Workers::Bounds& waiting)
        : waiting_(waiting), working_(working) {}

    // Nothing: it will run. Else which bound was reached, as a clause for the client.
    std::optional<std::string> submit(tools::Pace pace, std::function<void()> work,
                                      std::size_t bytes);

    std::size_t under_way() const {
        const std::size_t working =
            working_.under_way();  // first: what it hands on counts twice at worst
        return working + waiting_.under_way();
    }
    // Waits until nothing is under way. False: the time is up.
    bool wait_idle(std::chrono::steady_clock::time_point until);
    // From now on `wakeup` becomes readable whenever one of both has nothing under way. Borrowed.
    void tell_when_idle(int wakeup);

private:
    Workers waiting_;
    Workers working_;  // may submit to the other one, and ends before it
};

}  // namespace paddock::mcp
