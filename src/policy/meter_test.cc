#include "policy/meter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace paddock;
using namespace paddock::policy;
using namespace std::chrono_literals;

namespace {

const Meter::Time kStart{1000s};

MeterLimits per_second(std::uint32_t calls) {
    MeterLimits limits;
    limits.calls_per_second = calls;
    return limits;
}

// Calls that are let in one after the other at `now`, at most 1000.
int admitted(Meter& meter, Meter::Time now) {
    int count = 0;
    while (count < 1000 && meter.begin_call(now)) ++count;
    return count;
}

TEST(Meter, limits_nothing_unless_asked) {
    Meter meter({.calls_per_second = {}, .calls_in_flight = {}});
    EXPECT_EQ(admitted(meter, kStart), 1000);
    EXPECT_TRUE(meter.add_read(~std::uint64_t{0}).has_value());
}

TEST(Meter, lets_a_second_of_calls_in_and_then_one_by_one) {
    Meter meter(per_second(10));
    EXPECT_EQ(admitted(meter, kStart), 10);
    EXPECT_EQ(admitted(meter, kStart + 99ms), 0);
    EXPECT_EQ(admitted(meter, kStart + 100ms), 1);
    EXPECT_EQ(admitted(meter, kStart + 350ms), 2);
    EXPECT_EQ(admitted(meter, kStart + 1h), 10);
}

TEST(Meter, says_when_to_try_again) {
    Meter meter(per_second(4));
    EXPECT_EQ(admitted(meter, kStart), 4);
    const auto refused = meter.begin_call(kStart + 10ms);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().failure.code, Code::kRateLimited);
    ASSERT_EQ(refused.error().retry_after, 240ms);
    EXPECT_FALSE(meter.begin_call(kStart + 249ms).has_value());
    EXPECT_TRUE(meter.begin_call(kStart + 10ms + *refused.error().retry_after).has_value());
    EXPECT_EQ(meter.usage().refused, 3U);
    EXPECT_EQ(meter.usage().calls, 5U);
}

TEST(Meter, keeps_the_rate_over_time) {
    for (const std::uint32_t rate : {1U, 3U, 7U, 1000U, 1'000'000U}) {
        Meter meter(per_second(rate));
        std::uint64_t calls = 0;
        for (int step = 0; step < 5000; ++step)
            calls += meter.begin_call(kStart + step * 2ms) ? 1U : 0U;
        // Ten seconds and the burst at the start, or as often as was asked.
        EXPECT_LE(calls, rate * 11ULL);
        EXPECT_GE(calls, std::min<std::uint64_t>(rate * 10ULL, 5000));
    }
}

TEST(Meter, survives_a_clock_that_goes_back_and_a_rate_of_nothing) {
    Meter meter(per_second(2));
    EXPECT_EQ(admitted(meter, kStart), 2);
    EXPECT_EQ(admitted(meter, kStart - 1h), 0);
    EXPECT_EQ(admitted(meter, kStart + 500ms), 1);
    Meter never(per_second(0));
    EXPECT_FALSE(never.begin_call(kStart + 1h).has_value());
}

TEST(Meter, counts_calls_in_flight_by_their_tickets) {
    MeterLimits limits;
    limits.calls_in_flight = 2;
    Meter meter(limits);
    auto first = meter.begin_call(kStart);
    {
        const auto second = meter.begin_call(kStart);
        const auto third = meter.begin_call(kStart);
        ASSERT_FALSE(third.has_value());
        EXPECT_EQ(third.error().failure.code, Code::kRateLimited);
        EXPECT_EQ(third.error().retry_after, std::nullopt);
        EXPECT_EQ(meter.usage().in_flight, 2U);
    }
    EXPECT_EQ(meter.usage().in_flight, 1U);
    Meter::Ticket moved = std::move(*first);
    auto other = meter.begin_call(kStart);
    moved = std::move(*other);
    EXPECT_EQ(meter.usage().in_flight, 2U);
}

TEST(Meter, does_not_spend_a_turn_on_a_call_that_is_one_too_many) {
    MeterLimits limits = per_second(2);
    limits.calls_in_flight = 1;
    Meter meter(limits);
    {
        const auto first = meter.begin_call(kStart);
        for (int i = 0; i < 10; ++i) EXPECT_FALSE(meter.begin_call(kStart).has_value());
    }
    EXPECT_TRUE(meter.begin_call(kStart).has_value());
}

TEST(Meter, refuses_bytes_beyond_the_quota_and_counts_none_of_them) {
    MeterLimits limits;
    limits.bytes_read = 100;
    limits.bytes_written = 0;
    Meter meter(limits);
    EXPECT_TRUE(meter.add_read(60).has_value());
    EXPECT_EQ(meter.add_read(41).error().code, Code::kQuotaExceeded);
    EXPECT_EQ(meter.add_read(~std::uint64_t{0}).error().code, Code::kQuotaExceeded);
    EXPECT_TRUE(meter.add_read(40).has_value());
    EXPECT_FALSE(meter.add_read(1).has_value());
    EXPECT_TRUE(meter.add_written(0).has_value());
    EXPECT_FALSE(meter.add_written(1).has_value());
    EXPECT_EQ(meter.usage().bytes_read, 100U);
    EXPECT_EQ(meter.usage().bytes_written, 0U);
}

TEST(Meter, is_exact_with_many_threads) {
    MeterLimits limits = per_second(500);
    limits.calls_in_flight = 3;
    limits.bytes_written = 1000;
    Meter meter(limits);
    std::atomic<std::uint64_t> entered{0};
    std::atomic<std::uint64_t> written{0};
    std::atomic<bool> crowded{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            while (meter.usage().calls < 500) {
                const auto ticket = meter.begin_call(kStart);
                if (!ticket) continue;
                ++entered;
                if (meter.usage().in_flight > 3) crowded = true;
                if (meter.add_written(7)) written += 7;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(entered, 500U);
    EXPECT_EQ(written, 994U);
    EXPECT_FALSE(crowded);
    EXPECT_EQ(meter.usage().in_flight, 0U);
    EXPECT_EQ(meter.usage().calls, 500U);
}

}  // namespace
