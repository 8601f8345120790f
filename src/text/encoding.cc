#include "text/encoding.h"

#include <algorithm>

#include "base/check.h"
#include "base/utf8.h"

namespace paddock::text {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LeMark = "\xFF\xFE";
constexpr std::string_view kUtf16BeMark = "\xFE\xFF";
constexpr std::string_view kUtf32LeMark{"\xFF\xFE\0\0", 4};

// Fewer units without a mark can be UTF-16 by chance.
constexpr std::size_t kUnmarkedUnitsMin = 4;

bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Tab to carriage return, backspace and escape occur in text (terminal logs, man pages).
bool is_stray_control(char32_t c) {
    return (c < 0x20 && (c < 0x08 || c > 0x0D) && c != 0x1B) || c == 0x7F;
}

char32_t utf16_unit(std::string_view bytes, std::size_t at, Encoding encoding) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return encoding == Encoding::kUtf16Le ? first | (char32_t{second} << 8)
                                          : second | (char32_t{first} << 8);
}

void append_unit(std::string& bytes, char32_t unit, Encoding encoding) {
    const auto low = static_cast<char>(unit & 0xFF);
    const auto high = static_cast<char>(unit >> 8);
    bytes += encoding == Encoding::kUtf16Le ? low : high;
    bytes += encoding == Encoding::kUtf16Le ? high : low;
}

// Well-formed UTF-16 without control characters, of which at least `ascii_percent` is ASCII.
bool is_utf16_text(std::string_view bytes, Encoding encoding, bool is_whole,
                   std::size_t ascii_percent) {
    if (bytes.size() % 2 != 0 && is_whole) return false;
    const std::size_t units = bytes.size() / 2;
    std::size_t ascii = 0;
    bool wants_low = false;
    for (std::size_t i = 0; i < units; ++i) {
        const char32_t unit = utf16_unit(bytes, 2 * i, encoding);
        if (is_stray_control(unit) || unit >= 0xFFFE) return false;
        if (is_low_surrogate(unit) != wants_low) return false;
        wants_low = is_high_surrogate(unit);
        if (unit < 0x80) ++ascii;
    }
    return !(wants_low && is_whole) && ascii * 100 >= units * ascii_percent;
}

bool is_utf8_text(std::string_view bytes, bool is_whole) {
    const std::string_view rest = bytes.substr(valid_utf8_prefix(bytes));
    return rest.empty() || (!is_whole && first_character(rest).cut);
}

// Of what is not ASCII more is well-formed than not: damaged UTF-8, and hardly another encoding.
bool is_mostly_utf8(std::string_view bytes) {
    std::size_t valid = 0;
    std::size_t malformed = 0;
    while (!bytes.empty()) {
        const Character character = first_character(bytes);
        if (character.valid && character.value >= 0x80) ++valid;
        if (!character.valid) ++malformed;
        bytes.remove_prefix(character.length);
    }
    return valid > malformed;
}

}  // namespace

std::string_view format_name(TextFormat format) noexcept {
    switch (format.encoding) {
        case Encoding::kUtf8: return format.has_mark ? "UTF-8 with BOM" : "UTF-8";
        case Encoding::kUtf16Le: return format.has_mark ? "UTF-16 LE with BOM" : "UTF-16 LE";
        case Encoding::kUtf16Be: return format.has_mark ? "UTF-16 BE with BOM" : "UTF-16 BE";
        case Encoding::kLatin1: return "Latin-1";
        case Encoding::kBinary: break;
    }
    return "binary";
}

TextFormat sniff_format(std::string_view head, bool is_whole) noexcept {
    for (const Encoding encoding : {Encoding::kUtf16Le, Encoding::kUtf16Be}) {
        const std::string_view mark = byte_order_mark({encoding, true});
        if (head.starts_with(mark) && !head.starts_with(kUtf32LeMark) &&
            is_utf16_text(head.substr(mark.size()), encoding, is_whole, 0)) {
            return {encoding, true};
        }
    }
    if (head.find('\0') != std::string_view::npos) {
        for (const Encoding encoding : {Encoding::kUtf16Le, Encoding::kUtf16Be}) {
            if (head.size() >= 2 * kUnmarkedUnitsMin &&
                is_utf16_text(head, encoding, is_whole, 75)) {
                return {encoding, false};
            }
        }
        return {Encoding::kBinary, false};
    }
    if (is_utf8_text(head, is_whole)) return {Encoding::kUtf8, head.starts_with(kUtf8Mark)};
    const bool is_text = std::none_of(head.begin(), head.end(), [](char c) {
        return is_stray_control(static_cast<unsigned char>(c));
    });
    if (!is_text) return {Encoding::kBinary, false};
    if (is_mostly_utf8(head)) return {Encoding::kUtf8, head.starts_with(kUtf8Mark)};
    return {Encoding::kLatin1, false};
}

std::string_view byte_order_mark(TextFormat format) noexcept {
    if (!format.has_mark) return {};
    switch (format.encoding) {
        case Encoding::kUtf8: return kUtf8Mark;
        case Encoding::kUtf16Le: return kUtf16LeMark;
        case Encoding::kUtf16Be: return kUtf16BeMark;
        case Encoding::kLatin1:
        case Encoding::kBinary: break;
    }
    return {};
}

Decoder::Decoder(TextFormat format) noexcept
    : encoding_(format.encoding), mark_left_(byte_order_mark(format).size()) {
    PADDOCK_CHECK(encoding_ != Encoding::kBinary);
}

void Decoder::decode(std::string_view chunk, std::string& utf8) {
    const std::size_t mark = std::min(mark_left_, chunk.size());
    mark_left_ -= mark;
    chunk.remove_prefix(mark);
    if (encoding_ == Encoding::kLatin1) {
        for (const char c : chunk) append_utf8(utf8, static_cast<unsigned char>(c));
        return;
    }
    std::string joined;
    if (!pending_.empty()) {
        joined = pending_.append(chunk);
        chunk = joined;
    }
    pending_ = encoding_ == Encoding::kUtf8 ? decode_utf8(chunk, utf8) : decode_utf16(chunk, utf8);
}

bool Decoder::is_utf8_already(std::string_view chunk) const noexcept {
    return encoding_ == Encoding::kUtf8 && mark_left_ == 0 && pending_.empty() && is_utf8(chunk);
}

void Decoder::finish(std::string& utf8) {
    if (!pending_.empty()) replace(utf8);
    pending_.clear();
}

void Decoder::replace(std::string& utf8) {
    append_utf8(utf8, kReplacement);
    ++replaced_;
}

// Returns the bytes at the end that wait for more.
std::string_view Decoder::decode_utf8(std::string_view bytes, std::string& utf8) {
    for (;;) {
        const std::size_t good = valid_utf8_prefix(bytes);
        utf8 += bytes.substr(0, good);
        bytes.remove_prefix(good);
        if (bytes.empty()) return bytes;
        const Character bad = first_character(bytes);
        if (bad.cut) return bytes;
        replace(utf8);
        bytes.remove_prefix(bad.length);
    }
}

std::string_view Decoder::decode_utf16(std::string_view bytes, std::string& utf8) {
    while (bytes.size() >= 2) {
        const char32_t unit = utf16_unit(bytes, 0, encoding_);
        if (is_high_surrogate(unit)) {
            if (bytes.size() < 4) return bytes;
            const char32_t next = utf16_unit(bytes, 2, encoding_);
            if (is_low_surrogate(next)) {
                append_utf8(utf8, 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00));
                bytes.remove_prefix(4);
                continue;
            }
        }
        if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
            replace(utf8);
        } else {
            append_utf8(utf8, unit);
        }
        bytes.remove_prefix(2);
    }
    return bytes;
}

Outcome<std::string> encode(std::string_view utf8, Encoding encoding) {
    if (!is_utf8(utf8)) return refuse(Code::kInvalidArgument, "is not UTF-8");
    if (encoding == Encoding::kUtf8) return std::string(utf8);
    std::string bytes;
    while (!utf8.empty()) {
        const Character character = first_character(utf8);
        const char32_t value = character.value;
        utf8.remove_prefix(character.length);
        if (encoding == Encoding::kLatin1 || encoding == Encoding::kBinary) {
            if (value > 0xFF) {
                return refuse(Code::kUnsupportedEncoding,
                              "the file is Latin-1, which lacks a character of the new text");
            }
            bytes += static_cast<char>(value);
        } else if (value < 0x10000) {
            append_unit(bytes, value, encoding);
        } else {
            append_unit(bytes, 0xD800 + ((value - 0x10000) >> 10), encoding);
            append_unit(bytes, 0xDC00 + ((value - 0x10000) & 0x3FF), encoding);
        }
    }
    return bytes;
}

}  // namespace paddock::text
