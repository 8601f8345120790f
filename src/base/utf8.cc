#include "base/utf8.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace paddock {
namespace {

std::uint64_t word_at(const char* place) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, place, sizeof word);
    return word;
}

constexpr std::uint64_t kHighBits = 0x8080808080808080U;

// Bytes before the first one with its high bit set; `marked` holds the high bits of eight.
std::size_t clean_bytes(std::uint64_t marked) noexcept {
    const int zeros = std::endian::native == std::endian::little ? std::countr_zero(marked)
                                                                 : std::countl_zero(marked);
    return static_cast<std::size_t>(zeros) / 8;
}

// The first byte at or after `from` that is not ASCII, or the end. Four words at once: the compiler
// turns them into vector loads.
std::size_t skip_ascii(std::string_view text, std::size_t from) noexcept {
    const auto word = [&](std::size_t at) { return word_at(text.data() + at) & kHighBits; };
    for (; text.size() - from >= 32; from += 32) {
        if ((word(from) | word(from + 8) | word(from + 16) | word(from + 24)) != 0) break;
    }
    for (; text.size() - from >= 8; from += 8) {
        if (const std::uint64_t marked = word(from)) return from + clean_bytes(marked);
    }
    while (from < text.size() && static_cast<unsigned char>(text[from]) < 0x80) ++from;
    return from;
}

bool is_tail(unsigned char byte) noexcept { return (byte & 0xC0) == 0x80; }

// Length of the well-formed sequence at `p`, 0 if there is none in the `left` bytes. Says the same
// as first_character, three times as fast; the test compares them on all sequences.
std::size_t well_formed(const unsigned char* p, std::size_t left) noexcept {
    const unsigned char lead = p[0];
    if (lead < 0x80) return 1;
    if (left < 2 || lead < 0xC2 || !is_tail(p[1])) return 0;
    if (lead < 0xE0) return 2;
    if (left < 3 || !is_tail(p[2])) return 0;
    if (lead < 0xF0) {
        if (lead == 0xE0) return p[1] >= 0xA0 ? 3 : 0;
        if (lead == 0xED) return p[1] < 0xA0 ? 3 : 0;
        return 3;
    }
    if (left < 4 || !is_tail(p[3]) || lead > 0xF4) return 0;
    if (lead == 0xF0) return p[1] >= 0x90 ? 4 : 0;
    if (lead == 0xF4) return p[1] < 0x90 ? 4 : 0;
    return 4;
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
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t at = 0;
    for (;;) {
        at = skip_ascii(text, at);
        // Characters beyond ASCII come in runs; looking for ASCII blocks between them costs more.
        while (at < text.size() && bytes[at] >= 0x80) {
            const std::size_t length = well_formed(bytes + at, text.size() - at);
            if (length == 0) return at;
            at += length;
        }
        if (at == text.size()) return at;
    }
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
