#include "mcp/lanes.h"

#include <utility>

namespace paddock::mcp {

namespace {

std::string_view what_runs(tools::Pace pace) {
    if (pace == tools::Pace::kWaiting) return "commands";
    return pace == tools::Pace::kChanging ? "changes" : "requests";
}

}  // namespace

Workers& Lanes::lane_of(tools::Pace pace) {
    if (pace == tools::Pace::kWaiting) return waiting_;
    return pace == tools::Pace::kChanging ? changing_ : working_;
}

std::optional<std::string> Lanes::submit(tools::Pace pace, std::function<void()> work,
                                         std::size_t bytes) {
    const bool changes = pace == tools::Pace::kChanging;
    if (changes || !is_changing()) return put(pace, std::move(work), bytes);
    auto in_turn = [this, pace, bytes, work = std::move(work)] {
        // Whoever asked has been told already that it will run.
        if (pace == tools::Pace::kQuick || put(pace, work, bytes)) work();
    };
    return put(tools::Pace::kChanging, std::move(in_turn), bytes);
}

std::optional<std::string> Lanes::put(tools::Pace pace, std::function<void()> work,
                                      std::size_t bytes) {
    Workers& lane = lane_of(pace);
    const std::string what(what_runs(pace));
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
    return changing_.wait_idle(until) && working_.wait_idle(until) && waiting_.wait_idle(until);
}

void Lanes::tell_when_idle(int wakeup) {
    changing_.tell_when_idle(wakeup);
    working_.tell_when_idle(wakeup);
    waiting_.tell_when_idle(wakeup);
}

}  // namespace paddock::mcp
