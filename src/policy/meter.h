// The limits of one workspace: calls per second, calls at once, bytes read and written in all.
//
// Pure: the time comes from the caller. Any number of threads may use one; a call costs a mutex.
// What was counted stays counted: bytes of a call that failed later are not given back.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

#include <paddock/policy.h>

#include "base/outcome.h"

namespace paddock::policy {

using MeterLimits = CallLimits;

// Why a call may not start, and when to try again. Nothing to wait for: when another call ends.
struct Refusal {
    Failure failure;
    std::optional<std::chrono::milliseconds> retry_after;
};

class Meter {
public:
    using Time = std::chrono::steady_clock::time_point;

    // A call in flight, from begin_call to its destruction. The meter must outlive it.
    class [[nodiscard]] Ticket {
    public:
        Ticket(Ticket&& other) noexcept;
        Ticket& operator=(Ticket&& other) noexcept;
        Ticket(const Ticket&) = delete;
        Ticket& operator=(const Ticket&) = delete;
        ~Ticket();

    private:
        friend class Meter;
        explicit Ticket(Meter& meter) noexcept : meter_(&meter) {}
        Meter* meter_;
    };

    explicit Meter(const MeterLimits& limits) noexcept;
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;
    ~Meter() = default;

    // rate_limited. `now` may go back a little between threads.
    tl::expected<Ticket, Refusal> begin_call(Time now);

    // Before reading or writing so many bytes. quota_exceeded: nothing is counted then.
    Done add_read(std::uint64_t bytes);
    Done add_written(std::uint64_t bytes);

    struct Usage {
        std::uint64_t calls = 0;  // that were let in
        std::uint64_t refused = 0;
        std::uint32_t in_flight = 0;
        std::uint64_t bytes_read = 0;
        std::uint64_t bytes_written = 0;
    };
    Usage usage() const;
    const MeterLimits& limits() const noexcept { return limits_; }

private:
    void end_call() noexcept;
    std::optional<std::chrono::milliseconds> wait_for_turn(Time now);

    const MeterLimits limits_;
    mutable std::mutex mutex_;
    Usage usage_;
    // The token bucket, as the time at which it would be full: a call moves it by one interval.
    std::optional<Time> full_at_;
};

}  // namespace paddock::policy
