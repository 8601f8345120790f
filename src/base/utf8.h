// UTF-8, strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace paddock {

inline constexpr char32_t kReplacement = 0xFFFD;

struct Character {
    char32_t value = kReplacement;
    std::size_t length = 1;  // bytes
    bool valid = false;
    bool cut = false;  // not valid only because the text ends inside it
};

// The first character of `text`, which must not be empty. What is not UTF-8 is one U+FFFD for each
// longest start of a well-formed sequence, or else for each byte, as Unicode recommends.
Character first_character(std::string_view text) noexcept;

// Length of the longest well-formed beginning. Runs of ASCII pass at memory speed.
std::size_t valid_utf8_prefix(std::string_view text) noexcept;

inline bool is_utf8(std::string_view text) noexcept {
    return valid_utf8_prefix(text) == text.size();
}

// `value` must be a Unicode scalar value; anything else is written as U+FFFD.
void append_utf8(std::string& text, char32_t value);

// Appends `text` with U+FFFD for what is not UTF-8; returns how many there were.
std::size_t append_repaired(std::string& repaired, std::string_view text);

// The longest beginning of at most `bytes_max` bytes that does not end inside a character.
std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) noexcept;

}  // namespace paddock
