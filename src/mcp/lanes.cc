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
                                         std::size_t bytes, Refuse refuse, std::uint64_t client) {
    const bool waits = pace != tools::Pace::kChanging && pace != tools::Pace::kApart;
    if (!waits || !is_changing()) return put(pace, std::move(work), bytes, client);
    auto in_turn = [this, pace, bytes, client, work = std::move(work), refuse = std::move(refuse)] {
        if (pace == tools::Pace::kQuick) return work();
        const auto full = put(pace, work, bytes, client);
        if (full && refuse) refuse(*full);
    };
    return put(tools::Pace::kChanging, std::move(in_turn), bytes, client);
}

std::optional<std::string> Lanes::put(tools::Pace pace, std::function<void()> work,
                                      std::size_t bytes, std::uint64_t client) {
    Workers& lane = lane_of(pace);
    const std::string what(what_runs(pace));
    // Changes keep the order in which they came, whoever makes them.
    switch (lane.submit(std::move(work), bytes, &lane == &changing_ ? 0 : client)) {
        case Workers::Taken::kYes: return std::nullopt;
        case Workers::Taken::kTooMany:
            return std::to_string(lane.bounds().threads) + " " + what + " run and " +
                   std::to_string(lane.bounds().queued) + " more wait already";
        case Workers::Taken::kTooManyBytes:
            return "the " + what + " that wait hold " + std::to_string(lane.bounds().queued_bytes) +
                   " bytes already";
        case Workers::Taken::kShareFull:
            return "this session has its share of the " + what + " that may wait";
        case Workers::Taken::kNoThread: return "no thread can be had";
        case Workers::Taken::kStopping: break;
    }
    return "the server is about to end";
}

// One may hand on to another that was idle already.
bool Lanes::wait_idle(std::chrono::steady_clock::time_point until) {
    while (under_way() > 0) {
        for (Workers* lane : {&changing_, &working_, &waiting_}) {
            if (!lane->wait_idle(until)) return false;
        }
    }
    return true;
}

void Lanes::tell_when_idle(int wakeup) {
    changing_.tell_when_idle(wakeup);
    working_.tell_when_idle(wakeup);
    waiting_.tell_when_idle(wakeup);
}

}  // namespace paddock::mcp
