// What a command prints, as progress messages: the first ones at once, then only so many a second.
// What does not fit is cut to its end; the result has all of it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "mcp/exchange.h"

namespace paddock::mcp {

class ProgressText {
public:
    using Clock = std::chrono::steady_clock;

    explicit ProgressText(Exchange& exchange) : exchange_(exchange) {}

    void add(std::string_view text, Clock::time_point now);

private:
    Exchange& exchange_;
    std::uint64_t printed_ = 0;
    std::string waiting_;
    double allowance_ = kBurst;
    Clock::time_point last_{};

    static constexpr double kBurst = 20;
    static constexpr double kPerSecond = 20;
};

}  // namespace paddock::mcp
