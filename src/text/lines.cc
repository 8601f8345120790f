#include "text/lines.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace paddock::text {

std::string_view ending_of(std::string_view line) noexcept {
    if (!line.ends_with('\n')) return {};
    return line.substr(line.size() - (line.ends_with("\r\n") ? 2 : 1));
}

std::string_view body_of(std::string_view line) noexcept {
    return line.substr(0, line.size() - ending_of(line).size());
}

std::size_t count_newlines(std::string_view text) noexcept {
    // A sum of so few bytes fits into a byte, which lets the compiler count whole vectors of them.
    constexpr std::size_t kBlock = 224;
    std::size_t count = 0;
    while (!text.empty()) {
        const std::string_view block = text.substr(0, kBlock);
        std::uint8_t sum = 0;
        for (const char c : block) sum = static_cast<std::uint8_t>(sum + (c == '\n' ? 1 : 0));
        count += sum;
        text.remove_prefix(block.size());
    }
    return count;
}

Lines::Lines(std::string_view text) : text_(text) {
    PADDOCK_CHECK(text.size() <= std::numeric_limits<std::uint32_t>::max());
    starts_.reserve(count_newlines(text) + 1);
    for (std::size_t start = 0; start < text.size();) {
        starts_.push_back(static_cast<std::uint32_t>(start));
        start = std::min(text.find('\n', start), text.size() - 1) + 1;
    }
}

}  // namespace paddock::text
