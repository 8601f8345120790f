#include "base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace paddock {
namespace {

// The first byte at or after `from` that is not ASCII, or the end. Eight at once while that helps.
std::size_t skip_ascii(std::string_view text, std::size_t from) noexcept {
    constexpr std::uint64_t kHighBits = 0x8080808080808080U;
    for (std::uint64_t word = 0; text.size() - from >= sizeof word; from += sizeof word) {
        std::memcpy(&word, text.data() + from, sizeof word);
        if ((word & kHighBits) != 0) break;
    }
    while (from < text.size() && static_cast<unsigned char>(text[from]) < 0x80) ++from;
    return from;
}

}  // namespace

Character first_character(std::string_view text) noexcept {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {lead, 1, true, false};
    if (lead < 0xC2 || lead > 0xF4) return {};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    // The second byte alone rules out overlong forms, surrogates and what lies above U+10FFFF.
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    char32_t value = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if (i == text.size()) return {kReplacement, i, false, true};
        const auto next = static_cast<unsigned char>(text[i]);
        if (next < low || next > high) return {kReplacement, i, false, false};
        value = (value << 6) | (next & 0x3FU);
        low = 0x80;
        high = 0xBF;
    }
    return {value, length, true, false};
}

std::size_t valid_utf8_prefix(std::string_view text) noexcept {
    std::size_t at = skip_ascii(text, 0);
    while (at < text.size()) {
        const Character character = first_character(text.substr(at));
        if (!character.valid) return at;
        at = character.length == 1 ? skip_ascii(text, at) : at + character.length;
    }
    return at;
}

void append_utf8(std::string& text, char32_t value) {
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) value = kReplacement;
    const auto byte = [&](char32_t bits) { text += static_cast<char>(bits); };
    if (value < 0x80) {
        byte(value);
    } else if (value < 0x800) {
        byte(0xC0 | (value >> 6));
        byte(0x80 | (value & 0x3F));
    } else if (value < 0x10000) {
        byte(0xE0 | (value >> 12));
        byte(0x80 | ((value >> 6) & 0x3F));
        byte(0x80 | (value & 0x3F));
    } else {
        byte(0xF0 | (value >> 18));
        byte(0x80 | ((value >> 12) & 0x3F));
        byte(0x80 | ((value >> 6) & 0x3F));
        byte(0x80 | (value & 0x3F));
    }
}

std::size_t append_repaired(std::string& repaired, std::string_view text) {
    std::size_t replaced = 0;
    for (;;) {
        const std::size_t good = valid_utf8_prefix(text);
        repaired += text.substr(0, good);
        text.remove_prefix(good);
        if (text.empty()) return replaced;
        text.remove_prefix(first_character(text).length);
        append_utf8(repaired, kReplacement);
        ++replaced;
    }
}

std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) noexcept {
    if (text.size() <= bytes_max) return text;
    // A character that spans the border starts at most three bytes before it.
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, bytes_max); ++back) {
        const Character last = first_character(text.substr(bytes_max - back));
        if (last.length > back) return text.substr(0, bytes_max - back);
        if (last.valid) break;
    }
    return text.substr(0, bytes_max);
}

}  // namespace paddock
