#include "mcp/lanes.h"

#include <utility>

namespace paddock::mcp {

std::optional<std::string> Lanes::submit(tools::Pace pace, std::function<void()> work,
                                         std::size_t bytes) {
    const bool waits = pace == tools::Pace::kWaiting;
    Workers& lane = waits ? waiting_ : working_;
    const std::string what = waits ? "commands" : "requests";
    switch (lane.submit(std::move(work), bytes)) {
        case Workers::Taken::kYes: return std::nullopt;
        case Workers::Taken::kTooMany:
            return std::to_string(lane.bounds().threads) + " " + what + " run and " +
                   std::to_string(lane.bounds().queued) + " more wait already";
        case Workers::Taken::kTooManyBytes:
            return "the " + what + " that wait hold " + std::to_string(lane.bounds().queued_bytes) +
                   " bytes already";
        case Workers::Taken::kNoThread: return "no thread can be had";
        case Workers::Taken::kStopping: break;
    }
    return "the server is about to end";
}

bool Lanes::wait_idle(std::chrono::steady_clock::time_point until) {
    return working_.wait_idle(until) && waiting_.wait_idle(until);
}

void Lanes::tell_when_idle(int wakeup) {
    working_.tell_when_idle(wakeup);
    waiting_.tell_when_idle(wakeup);
}

}  // namespace paddock::mcp
