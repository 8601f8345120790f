#include "mcp/progress_text.h"

#include <algorithm>

#include <paddock/limits.h>

namespace paddock::mcp {

void ProgressText::add(std::string_view text, Clock::time_point now) {
    printed_ += text.size();
    waiting_ += text;
    if (waiting_.size() > limits::kMcpProgressBytesMax) {
        // Not in the middle of a character.
        std::size_t from = waiting_.size() - limits::kMcpProgressBytesMax;
        while (from < waiting_.size() && (static_cast<unsigned char>(waiting_[from]) >> 6) == 2) {
            ++from;
        }
        waiting_.erase(0, from);
    }
    const std::chrono::duration<double> passed = now - last_;
    last_ = now;
    allowance_ = std::min(kBurst, allowance_ + passed.count() * kPerSecond);
    if (allowance_ < 1) return;
    allowance_ -= 1;
    exchange_.progress(static_cast<double>(printed_), {}, waiting_);
    waiting_.clear();
}

}  // namespace paddock::mcp
