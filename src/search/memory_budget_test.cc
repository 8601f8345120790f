#include "search/memory_budget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stop_token>
#include <thread>
#include <vector>

namespace paddock::search {
namespace {

TEST(MemoryBudget, issue_17_10_is_never_exceeded) {
    MemoryBudget budget(100);
    std::atomic<int> held = 0;
    std::atomic<int> most = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 16; ++i) {
            threads.emplace_back([&] {
                Interruption none({}, {});
                for (int round = 0; round < 200; ++round) {
                    const auto part = budget.take(40, none);
                    ASSERT_TRUE(part);
                    const int now = ++held;
                    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                    }
                    --held;
                }
            });
        }
    }
    EXPECT_LE(most, 2);
    Interruption none({}, {});
    EXPECT_TRUE(budget.take(100, none)) << "all was given back";
}

TEST(MemoryBudget, issue_17_10_who_waits_can_be_cancelled) {
    MemoryBudget budget(100);
    Interruption none({}, {});
    const auto all = budget.take(100, none);
    std::stop_source stop;
    stop.request_stop();
    Interruption cancelled({}, stop.get_token());
    EXPECT_FALSE(budget.take(1, cancelled));
}

}  // namespace
}  // namespace paddock::search
