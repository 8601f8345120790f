#include "base/display.h"

#include <cstddef>

#include "base/utf8.h"

namespace paddock {
namespace {

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
        const Character character = first_character(bytes);
        const std::size_t length = character.length;
        if (character.valid && shows_as_itself(character.value)) {
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
