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

Lines::Lines(std::string_view text) : text_(text) {
    PADDOCK_CHECK(text.size() <= std::numeric_limits<std::uint32_t>::max());
    starts_.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
    for (std::size_t start = 0; start < text.size();) {
        starts_.push_back(static_cast<std::uint32_t>(start));
        start = std::min(text.find('\n', start), text.size() - 1) + 1;
    }
}

}  // namespace paddock::text
