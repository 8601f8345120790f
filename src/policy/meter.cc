#include "policy/meter.h"

#include <algorithm>
#include <utility>

namespace paddock::policy {
namespace {

using std::chrono::ceil;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Counts `bytes` unless the sum passes the limit; no sum overflows.
Done add(std::uint64_t& sum, std::uint64_t bytes, std::optional<std::uint64_t> limit,
         std::string_view reason) {
    const std::uint64_t most = limit.value_or(~std::uint64_t{0});
    if (sum > most || bytes > most - sum) return refuse(Code::kQuotaExceeded, reason);
    sum += bytes;
    return {};
}

}  // namespace

Meter::Ticket::Ticket(Ticket&& other) noexcept : meter_(std::exchange(other.meter_, nullptr)) {}

Meter::Ticket& Meter::Ticket::operator=(Ticket&& other) noexcept {
    std::swap(meter_, other.meter_);
    return *this;
}

Meter::Ticket::~Ticket() {
    if (meter_ != nullptr) meter_->end_call();
}

Meter::Meter(const MeterLimits& limits) noexcept : limits_(limits) {}

// How long the next call has to wait; if not at all, its place is taken.
std::optional<milliseconds> Meter::wait_for_turn(Time now) {
    if (!limits_.calls_per_second) return std::nullopt;
    const std::uint32_t rate = *limits_.calls_per_second;
    // Nothing per second is never: an hour is as good as any answer.
    if (rate == 0) return std::chrono::hours(1);
    const nanoseconds second = std::chrono::seconds(1);
    const nanoseconds interval = second / rate;
    const Time full = std::max(full_at_.value_or(now), now) + interval;
    if (full - now > std::max(second, interval)) {
        return std::max(ceil<milliseconds>(full - now - second), milliseconds(1));
    }
    full_at_ = full;
    return std::nullopt;
}

tl::expected<Meter::Ticket, Refusal> Meter::begin_call(Time now) {
    const std::lock_guard lock(mutex_);
    const auto refused = [this](std::string_view reason, std::optional<milliseconds> after) {
        ++usage_.refused;
        return tl::unexpected(Refusal{refuse(Code::kRateLimited, reason), after});
    };
    if (limits_.calls_in_flight && usage_.in_flight >= *limits_.calls_in_flight) {
        return refused("too many calls at once", std::nullopt);
    }
    if (const auto wait = wait_for_turn(now)) return refused("too many calls per second", wait);
    ++usage_.calls;
    ++usage_.in_flight;
    return Ticket(*this);
}

void Meter::end_call() noexcept {
    const std::lock_guard lock(mutex_);
    --usage_.in_flight;
}

Done Meter::add_read(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    return add(usage_.bytes_read, bytes, limits_.bytes_read,
               "the read limit of this workspace is reached");
}

Done Meter::add_written(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    return add(usage_.bytes_written, bytes, limits_.bytes_written,
               "the write limit of this workspace is reached");
}

Meter::Usage Meter::usage() const {
    const std::lock_guard lock(mutex_);
    return usage_;
}

}  // namespace paddock::policy
