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

void append_displayable(std::string& shown, std::string_view bytes) {
    static constexpr char kHex[] = "0123456789abcdef";
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
}

// A tab or the end of a line at the beginning of `bytes`, or nothing.
std::string_view layout_at(std::string_view bytes) {
    if (bytes.starts_with("\r\n")) return bytes.substr(0, 2);
    return bytes.substr(0, bytes[0] == '\n' || bytes[0] == '\t' ? 1 : 0);
}

}  // namespace

std::string displayable(std::string_view bytes) {
    std::string shown;
    shown.reserve(bytes.size());
    append_displayable(shown, bytes);
    return shown;
}

std::string displayable_lines(std::string_view bytes) {
    std::string shown;
    shown.reserve(bytes.size());
    std::size_t begin = 0;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::string_view layout = layout_at(bytes.substr(at));
        at += layout.empty() ? 1 : layout.size();
        if (layout.empty()) continue;
        append_displayable(shown, bytes.substr(begin, at - layout.size() - begin));
        shown += layout;
        begin = at;
    }
    append_displayable(shown, bytes.substr(begin));
    return shown;
}

}  // namespace paddock
