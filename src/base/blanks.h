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

// No ASCII, and nothing that a reader sees: no-break and wide blanks, joiners, a byte order mark.
constexpr bool is_unseen(char32_t c) noexcept {
    return (c >= 0x80 && c <= 0xA0) || c == 0xAD || c == 0x1680 || c == 0x180E ||
           (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) ||
           (c >= 0x205F && c <= 0x206F) || c == 0x2800 || c == 0x3000 || c == 0x3164 || c == 0xFEFF;
}

}  // namespace paddock
