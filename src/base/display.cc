#include "base/display.h"

#include <cstddef>
#include <cstdint>

namespace paddock {
namespace {

struct Decoded {
    std::size_t length = 0;  // 0: not UTF-8
    char32_t value = 0;
};

Decoded decode(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80) return {1, lead};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
    char32_t value = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0) != 0x80) return {};
        value = (value << 6) | (next & 0x3F);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (overlong || surrogate || value > 0x10FFFF) return {};
    return {length, value};
}

bool shows_as_itself(char32_t c) {
    if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return false;
    const bool invisible = c == 0xAD || c == 0x061C || c == 0x180E ||
                           (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
                           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
                           (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
    return !invisible;
}

}  // namespace

std::string displayable(std::string_view bytes) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string shown;
    shown.reserve(bytes.size());
    while (!bytes.empty()) {
        const Decoded character = decode(bytes);
        const std::size_t length = character.length == 0 ? 1 : character.length;
        if (character.length != 0 && shows_as_itself(character.value)) {
            shown += bytes.substr(0, length);
        } else {
            for (const char c : bytes.substr(0, length)) {
                const auto byte = static_cast<unsigned char>(c);
                shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
            }
        }
        bytes.remove_prefix(length);
    }
    return shown;
}

}  // namespace paddock
