#include "search/utf16.h"

#include <cstdint>

namespace paddock::search {
namespace {

constexpr std::string_view kLittleMark = "\xff\xfe";
constexpr std::string_view kBigMark = "\xfe\xff";

void append_utf8(std::string& out, std::uint32_t rune) {
    const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (rune < 0x80) {
        put(rune);
    } else if (rune < 0x800) {
        put(0xc0 | rune >> 6);
        put(0x80 | (rune & 0x3f));
    } else if (rune < 0x10000) {
        put(0xe0 | rune >> 12);
        put(0x80 | (rune >> 6 & 0x3f));
        put(0x80 | (rune & 0x3f));
    } else {
        put(0xf0 | rune >> 18);
        put(0x80 | (rune >> 12 & 0x3f));
        put(0x80 | (rune >> 6 & 0x3f));
        put(0x80 | (rune & 0x3f));
    }
}

}  // namespace

bool is_utf16(std::string_view text) noexcept {
    return text.starts_with(kLittleMark) || text.starts_with(kBigMark);
}

std::string from_utf16(std::string_view text) {
    constexpr std::uint32_t kReplacement = 0xfffd;
    const bool little = text.starts_with(kLittleMark);
    const auto unit = [&](std::size_t i) -> std::uint32_t {
        const auto first = static_cast<unsigned char>(text[i]);
        const auto second = static_cast<unsigned char>(text[i + 1]);
        return little ? first | static_cast<std::uint32_t>(second) << 8
                      : second | static_cast<std::uint32_t>(first) << 8;
    };
    std::string out;
    out.reserve(text.size() / 2 + text.size() / 8);
    for (std::size_t i = 2; i < text.size(); i += 2) {
        if (i + 1 == text.size()) {
            append_utf8(out, kReplacement);
            break;
        }
        const std::uint32_t high = unit(i);
        const bool begins_pair = (high & 0xfc00) == 0xd800 && i + 3 < text.size();
        if (begins_pair && (unit(i + 2) & 0xfc00) == 0xdc00) {
            append_utf8(out, 0x10000 + ((high & 0x3ff) << 10 | (unit(i + 2) & 0x3ff)));
            i += 2;
        } else {
            append_utf8(out, (high & 0xf800) == 0xd800 ? kReplacement : high);
        }
    }
    return out;
}

}  // namespace paddock::search
