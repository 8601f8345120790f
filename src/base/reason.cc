#include "base/reason.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "base/utf8.h"

namespace paddock {
namespace {

// Quotes, dashes and other signs are none.
bool is_of_word(const Character& c) {
    if (c.value < 0x80) {
        return is_letter(static_cast<char>(c.value)) || is_digit(static_cast<char>(c.value));
    }
    const bool is_punctuation =
        (c.value > 0xA0 && c.value < 0xC0) || (c.value >= 0x2010 && c.value <= 0x205E);
    return c.valid && !is_unseen(c.value) && !is_punctuation;
}

bool is_between(const Character& c) {
    return c.value < 0x80 ? kBlanks.find(static_cast<char>(c.value)) != kBlanks.npos
                          : is_unseen(c.value);
}

// Takes the next word off `text`, without the signs around it. Empty: there is none.
std::string_view take_word(std::string_view& text) {
    std::size_t begin = text.npos;
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Character next = first_character(text.substr(at));
        if (begin != text.npos && is_between(next)) break;
        if (is_of_word(next)) {
            begin = std::min(begin, at);
            end = at + next.length;
        }
        at += next.length;
    }
    const std::string_view word = begin == text.npos ? "" : text.substr(begin, end - begin);
    text.remove_prefix(begin == text.npos ? text.size() : end);
    return word;
}

}  // namespace

std::optional<bool> switch_of(std::string_view word) {
    std::string lower;
    for (const char c : word.substr(0, 6)) lower += lowered(c);
    for (const char* yes : {"1", "true", "yes", "on"}) {
        if (lower == yes) return true;
    }
    for (const char* no : {"", "0", "false", "no", "off"}) {
        if (lower == no) return false;
    }
    return std::nullopt;
}

bool is_reason(std::string_view text) {
    std::string_view first;
    for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
        if (!has_letter(word) || switch_of(word)) continue;
        if (!first.empty() && word != first) return true;
        first = word;
    }
    return false;
}

}  // namespace paddock
