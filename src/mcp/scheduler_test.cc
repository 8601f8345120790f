#include "mcp/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace paddock::mcp {
namespace {

using Taken = Workers::Taken;

constexpr auto kForEver = std::chrono::steady_clock::time_point::max();

// Keeps one of them busy until it is released.
void occupy(Workers& workers, std::latch& released) {
    const auto started = std::make_shared<std::latch>(1);
    const auto wait = [started, &released] {
        started->count_down();
        released.wait();
    };
    EXPECT_EQ(workers.submit(wait, 0), Taken::kYes);
    started->wait();
}

TEST(Workers, run_at_the_same_time_up_to_their_number) {
    Workers workers({.threads = 3});
    std::latch together(3);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(workers.submit([&] { together.arrive_and_wait(); }, 0), Taken::kYes);
    }
    EXPECT_TRUE(workers.wait_idle(kForEver));
    EXPECT_EQ(workers.under_way(), 0U);
}

TEST(Workers, refuse_what_does_not_fit_the_queue) {
    Workers workers({.threads = 1, .queued = 4, .queued_bytes = 100});
    std::latch released(1);
    occupy(workers, released);
    std::atomic<int> ran = 0;
    const auto count = [&] { ++ran; };
    EXPECT_EQ(workers.submit(count, 90), Taken::kYes);
    EXPECT_EQ(workers.submit(count, 20), Taken::kTooManyBytes);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(workers.submit(count, 1), Taken::kYes);
    EXPECT_EQ(workers.submit(count, 0), Taken::kTooMany);
    EXPECT_EQ(workers.under_way(), 5U);
    released.count_down();
    EXPECT_TRUE(workers.wait_idle(kForEver));
    EXPECT_EQ(ran, 4);
    EXPECT_EQ(workers.submit(count, 1000), Taken::kYes) << "alone it may be larger";
    EXPECT_TRUE(workers.wait_idle(kForEver));
}

TEST(Workers, issue_17_10_one_client_leaves_threads_and_queue_to_others) {
    Workers workers({.threads = 4, .queued = 8, .queued_bytes = 100, .share = 2});
    std::latch released(1);
    std::latch both(2);
    const auto hold = [&] {
        both.count_down();
        released.wait();
    };
    EXPECT_EQ(workers.submit(hold, 0, 1), Taken::kYes);
    EXPECT_EQ(workers.submit(hold, 0, 1), Taken::kYes);
    both.wait();
    std::atomic<int> own = 0;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(workers.submit([&] { ++own; }, 0, 1), Taken::kYes);
    EXPECT_EQ(workers.submit([] {}, 0, 1), Taken::kShareFull);
    std::latch others(3);
    for (std::uint64_t client = 2; client < 5; ++client) {
        EXPECT_EQ(workers.submit([&] { others.count_down(); }, 0, client), Taken::kYes);
    }
    others.wait();
    EXPECT_EQ(own, 0);
    released.count_down();
    EXPECT_TRUE(workers.wait_idle(kForEver));
    EXPECT_EQ(own, 4);
}

TEST(Workers, issue_17_10_who_has_least_is_next) {
    Workers workers({.threads = 2});
    std::latch released(1);
    std::latch both(2);
    std::latch first(1);
    EXPECT_EQ(workers.submit([&] { both.count_down(), first.wait(); }, 0, 1), Taken::kYes);
    EXPECT_EQ(workers.submit([&] { both.count_down(), released.wait(); }, 0, 1), Taken::kYes);
    both.wait();
    std::mutex mutex;
    std::vector<std::uint64_t> order;
    for (const std::uint64_t client : {1UL, 1UL, 2UL, 2UL}) {
        const auto note = [&, client] {
            const std::lock_guard lock(mutex);
            order.push_back(client);
        };
        EXPECT_EQ(workers.submit(note, 0, client), Taken::kYes);
    }
    first.count_down();
    while (workers.under_way() > 1) std::this_thread::yield();
    EXPECT_EQ(order, (std::vector<std::uint64_t>{2, 2, 1, 1}));
    released.count_down();
    EXPECT_TRUE(workers.wait_idle(kForEver));
}

TEST(Workers, drop_what_is_queued_when_they_end) {
    std::latch released(1);
    const auto token = std::make_shared<int>(1);
    {
        Workers workers({.threads = 1});
        occupy(workers, released);
        EXPECT_EQ(workers.submit([token] { ADD_FAILURE() << "ran"; }, 0), Taken::kYes);
        EXPECT_FALSE(workers.wait_idle(std::chrono::steady_clock::now()));
        std::jthread([&] { released.count_down(); }).detach();
        // The destructor drops the second one first; the first may still run.
    }
    EXPECT_EQ(token.use_count(), 1);
}

TEST(Workers, say_that_they_end) {
    auto token = std::make_shared<int>(1);
    const std::weak_ptr<int> dropped = token;
    {
        Workers workers({.threads = 1});
        std::latch queued(1);
        EXPECT_EQ(workers.submit(
                      [&workers, &queued, dropped] {
                          queued.wait();
                          while (!dropped.expired()) std::this_thread::yield();
                          EXPECT_EQ(workers.submit([] {}, 0), Taken::kStopping);
                      },
                      0),
                  Taken::kYes);
        EXPECT_EQ(workers.submit([held = std::move(token)] {}, 0), Taken::kYes);
        queued.count_down();
    }
}

}  // namespace

namespace {

using tools::Pace;

constexpr auto kNoDeadline = std::chrono::steady_clock::time_point::max();

TEST(Scheduler, what_waits_holds_up_only_what_waits) {
    Scheduler lanes({.threads = 1, .queued = 1}, {.threads = 1, .queued = 1, .queued_bytes = 10});
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
              "1 commands are running and 1 more are waiting");
    EXPECT_FALSE(lanes.submit(
        Pace::kWorking, [&] { worked.count_down(); }, 0));
    worked.wait();
    EXPECT_GE(lanes.under_way(), 2U) << "the other lane has not moved";
    EXPECT_FALSE(lanes.wait_idle(std::chrono::steady_clock::now()));
    released.count_down();
    EXPECT_TRUE(lanes.wait_idle(kNoDeadline));
}

TEST(Scheduler, what_comes_behind_a_change_begins_when_it_has_been_made) {
    Scheduler lanes;
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

TEST(Scheduler, say_which_bound_was_reached) {
    Scheduler lanes({.threads = 1, .queued = 2, .queued_bytes = 10}, {});
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
              "the requests that are waiting hold 10 bytes already");
    EXPECT_FALSE(lanes.submit(
        Pace::kWorking, [] {}, 1));
    EXPECT_EQ(lanes.submit(
                  Pace::kWorking, [] {}, 0),
              "1 requests are running and 2 more are waiting");
    released.count_down();
    EXPECT_TRUE(lanes.wait_idle(kNoDeadline));
}

}  // namespace
}  // namespace paddock::mcp
