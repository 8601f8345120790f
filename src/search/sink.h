// Where a search puts the lines that it finds. A sink may say stop; it is called by one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>

namespace paddock::search {

// Why a search ends before its end: out of time, cancelled, or enough was found. Asked often, by
// many threads.

class Interruption {
public:
    using Clock = std::chrono::steady_clock;
    enum class Cause : std::uint8_t { kNone, kEnough, kTime, kCancelled };

    Interruption(std::optional<std::chrono::milliseconds> time_max, std::stop_token cancel)
        : cancel_(std::move(cancel)) {
        if (time_max) deadline_ = Clock::now() + *time_max;
    }
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;
    virtual ~Interruption() = default;

    // The first cause stays.
    void request(Cause cause) noexcept {
        Cause none = Cause::kNone;
        cause_.compare_exchange_strong(none, cause, std::memory_order_relaxed);
    }

    // A test overrides it, to count how often a search asks.
    virtual bool requested() noexcept {
        if (cause() != Cause::kNone) return true;
        if (cancel_.stop_requested()) request(Cause::kCancelled);
        if (deadline_ && Clock::now() > *deadline_) request(Cause::kTime);
        return cause() != Cause::kNone;
    }

    Cause cause() const noexcept { return cause_.load(std::memory_order_relaxed); }

private:
    std::optional<Clock::time_point> deadline_;
    const std::stop_token cancel_;
    std::atomic<Cause> cause_ = Cause::kNone;
};

enum class Next : bool { kStop, kGoOn };

struct Line {
    enum class Kind : std::uint8_t { kMatch, kContext };

    Kind kind = Kind::kMatch;
    std::uint64_t number = 0;  // 1 for the first line; 0 if numbers were not asked for
    std::uint64_t offset = 0;  // of its first byte
    std::string_view text;     // without the line feed; valid during the call
    std::size_t match = 0;     // in the text: no match was found before
};

class Sink {
public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;

    // Lines come in order, each once. A gap in the numbers is a gap in the file.
    virtual Next line(const Line& line) = 0;
};

}  // namespace paddock::search
