// Blanks, as they get to the ends of what is pasted or set by a script.
#pragma once

#include <algorithm>
#include <string_view>

namespace paddock {

inline constexpr std::string_view kBlanks = " \t\r\n\v\f";

constexpr std::string_view trimmed(std::string_view text) noexcept {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

}  // namespace paddock
