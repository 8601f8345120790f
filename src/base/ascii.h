// Letters and digits of ASCII, whatever the locale.
#pragma once

#include <string_view>

namespace paddock {

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

}  // namespace paddock
