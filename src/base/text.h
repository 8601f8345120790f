// Small questions about text: letters, blanks, and which path lies below which.
#pragma once

#include <algorithm>
#include <string_view>

namespace paddock {

// Letters and digits of ASCII, whatever the locale.

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) noexcept { return is_lower(c) || is_upper(c); }

// A letter of any language: bytes that are not ASCII count as some.
constexpr bool has_letter(std::string_view text) noexcept {
    for (const char c : text) {
        if (is_letter(c) || static_cast<unsigned char>(c) >= 0x80) return true;
    }
    return false;
}

constexpr char lowered(char c) noexcept { return is_upper(c) ? static_cast<char>(c | 32) : c; }

// Blanks, as they get to the ends of what is pasted or set by a script.
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

// Which paths lie below which, by their text.
// Is `path` the directory itself, or something below it? Both normalised, and both absolute or both
// relative to the same place; an empty directory holds everything.
constexpr bool is_within(std::string_view path, std::string_view directory) noexcept {
    if (directory.empty() || path == directory) return true;
    return path.starts_with(directory) && path[directory.size()] == '/';
}

}  // namespace paddock
