#include "mcp/lanes.h"

#include <gtest/gtest.h>

#include <latch>
#include <mutex>
#include <vector>

namespace paddock::mcp {
namespace {

using tools::Pace;

constexpr auto kNoDeadline = std::chrono::steady_clock::time_point::max();

TEST(Lanes, what_waits_holds_up_only_what_waits) {
    Lanes lanes({.threads = 1, .queued = 1}, {.threads = 1, .queued = 1, .queued_bytes = 10});
    std::latch begun(1);
    std::latch released(1);
    std::latch worked(1);
    const auto wait = [&] {
        begun.count_down();
        released.wait();
    };
    EXPECT_FALSE(lanes.submit(Pace::kWaiting, wait, 0));
    begun.wait();
    EXPECT_FALSE(lanes.submit(
        Pace::kWaiting, [] {}, 0));
    EXPECT_EQ(lanes.submit(
                  Pace::kWaiting, [] {}, 0),
              "1 commands run and 1 more wait already");
    EXPECT_FALSE(lanes.submit(
        Pace::kWorking, [&] { worked.count_down(); }, 0));
    worked.wait();
    EXPECT_GE(lanes.under_way(), 2U) << "the other lane has not moved";
    EXPECT_FALSE(lanes.wait_idle(std::chrono::steady_clock::now()));
    released.count_down();
    EXPECT_TRUE(lanes.wait_idle(kNoDeadline));
}

TEST(Lanes, what_comes_behind_a_change_begins_when_it_has_been_made) {
    Lanes lanes;
    std::latch released(1);
    std::mutex mutex;
    std::vector<int> order;
    const auto note = [&](int number) {
        const std::lock_guard lock(mutex);
        order.push_back(number);
    };
    const auto change = [&] {
        released.wait();
        note(0);
    };
    EXPECT_FALSE(lanes.is_changing());
    EXPECT_FALSE(lanes.submit(Pace::kChanging, change, 0));
    EXPECT_TRUE(lanes.is_changing());
    int number = 0;
    for (const Pace pace : {Pace::kQuick, Pace::kChanging, Pace::kQuick, Pace::kChanging}) {
        EXPECT_FALSE(lanes.submit(
            pace, [&note, at = ++number] { note(at); }, 0));
    }
    for (const Pace pace : {Pace::kWorking, Pace::kWaiting}) {
        EXPECT_FALSE(lanes.submit(
            pace, [&] { note(5); }, 0));
    }
    EXPECT_TRUE(order.empty());
    released.count_down();
    EXPECT_TRUE(lanes.wait_idle(kNoDeadline));
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4, 5, 5}));
    EXPECT_FALSE(lanes.is_changing());
}

TEST(Lanes, say_which_bound_was_reached) {
    Lanes lanes({.threads = 1, .queued = 2, .queued_bytes = 10}, {});
    std::latch begun(1);
    std::latch released(1);
    EXPECT_FALSE(lanes.submit(
        Pace::kWorking,
        [&] {
            begun.count_down();
            released.wait();
        },
        0));
    begun.wait();
    EXPECT_FALSE(lanes.submit(
        Pace::kQuick, [] {}, 9));
    EXPECT_EQ(lanes.submit(
                  Pace::kWorking, [] {}, 2),
              "the requests that wait hold 10 bytes already");
    EXPECT_FALSE(lanes.submit(
        Pace::kWorking, [] {}, 1));
    EXPECT_EQ(lanes.submit(
                  Pace::kWorking, [] {}, 0),
              "1 requests run and 2 more wait already");
    released.count_down();
    EXPECT_TRUE(lanes.wait_idle(kNoDeadline));
}

}  // namespace
}  // namespace paddock::mcp
