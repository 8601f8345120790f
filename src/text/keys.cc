#include "text/keys.h"

#include <algorithm>
#include <array>

namespace paddock::text {
namespace {

struct Key {
    std::string_view name;
    std::string_view bytes;
};

// As xterm has them.
constexpr std::array kKeys{
    Key{"enter", "\r"},          Key{"tab", "\t"},         Key{"shift-tab", "\033[Z"},
    Key{"escape", "\033"},       Key{"backspace", "\177"}, Key{"delete", "\033[3~"},
    Key{"insert", "\033[2~"},    Key{"space", " "},        Key{"page-up", "\033[5~"},
    Key{"page-down", "\033[6~"}, Key{"f1", "\033OP"},      Key{"f2", "\033OQ"},
    Key{"f3", "\033OR"},         Key{"f4", "\033OS"},      Key{"f5", "\033[15~"},
    Key{"f6", "\033[17~"},       Key{"f7", "\033[18~"},    Key{"f8", "\033[19~"},
    Key{"f9", "\033[20~"},       Key{"f10", "\033[21~"},   Key{"f11", "\033[23~"},
    Key{"f12", "\033[24~"},
};

// ESC [ and the letter, or ESC O and the letter.
constexpr std::array kArrows{Key{"up", "A"},   Key{"down", "B"}, Key{"right", "C"},
                             Key{"left", "D"}, Key{"home", "H"}, Key{"end", "F"}};

std::optional<std::string_view> found(const auto& keys, std::string_view name) {
    const auto at =
        std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
    if (at == keys.end()) return std::nullopt;
    return at->bytes;
}

}  // namespace

std::optional<std::string> key_bytes(std::string_view name, bool application) {
    constexpr std::string_view kControl = "ctrl-";
    if (name.starts_with(kControl) && name.size() == kControl.size() + 1) {
        const char letter = name.back();
        if (letter >= 'a' && letter <= 'z') return std::string(1, static_cast<char>(letter & 0x1F));
    }
    if (const auto letter = found(kArrows, name)) {
        return (application ? "\033O" : "\033[") + std::string(*letter);
    }
    if (const auto bytes = found(kKeys, name)) return std::string(*bytes);
    return std::nullopt;
}

std::string_view key_names() {
    return "enter, tab, shift-tab, escape, backspace, delete, insert, space, up, down, left, "
           "right, "
           "home, end, page-up, page-down, f1 to f12, ctrl-a to ctrl-z";
}

}  // namespace paddock::text
