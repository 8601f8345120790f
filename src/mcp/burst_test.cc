#include "mcp/burst.h"

#include <atomic>
#include <latch>
#include <thread>

#include "mcp/recorder.h"

namespace paddock::mcp {
namespace {

Burst::Call some_call() {
    return std::make_shared<Exchange>(
        Exchange::Parts{.message = {},
                        .conversation = std::make_shared<Conversation>(Transport::kStdio),
                        .peer = std::make_shared<testing::Recorder>()});
}

TEST(Burst, calls_are_taken_in_their_order_and_once) {
    Burst burst;
    const auto first = some_call();
    const auto second = some_call();
    burst.add(first);
    burst.add(second);
    EXPECT_EQ(burst.take_to_help(), first);
    EXPECT_EQ(burst.take(), second);
    EXPECT_EQ(burst.take(), nullptr);
    EXPECT_EQ(burst.take_to_help(), nullptr);
}

// The helper holds its call for as long as it can see that nobody has gone on without it.
TEST(Burst, whoever_needs_all_answers_waits_for_those_of_the_helper) {
    Burst burst;
    burst.add(some_call());
    std::latch taken(1);
    std::atomic<bool> went_on = false;
    bool was_overtaken = false;
    std::jthread helper([&] {
        auto call = burst.take_to_help();
        taken.count_down();
        for (int i = 0; i < 10'000 && !was_overtaken; ++i) {
            std::this_thread::yield();
            was_overtaken = went_on;
        }
        burst.answered(std::move(call));
    });
    taken.wait();
    burst.wait_for_helper();
    went_on = true;
    helper.join();
    EXPECT_FALSE(was_overtaken);
}

}  // namespace
}  // namespace paddock::mcp
