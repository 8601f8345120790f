#include "text/keys.h"

#include <algorithm>
#include <array>

namespace paddock::text {
namespace {

struct NamedKey {
    std::string_view name;
    std::string_view bytes;
};

// As xterm has them.
constexpr std::array kKeys{
    NamedKey{"enter", "\r"},         NamedKey{"tab", "\t"},
    NamedKey{"shift-tab", "\033[Z"}, NamedKey{"escape", "\033"},
    NamedKey{"backspace", "\177"},   NamedKey{"delete", "\033[3~"},
    NamedKey{"insert", "\033[2~"},   NamedKey{"space", " "},
    NamedKey{"page-up", "\033[5~"},  NamedKey{"page-down", "\033[6~"},
    NamedKey{"f1", "\033OP"},        NamedKey{"f2", "\033OQ"},
    NamedKey{"f3", "\033OR"},        NamedKey{"f4", "\033OS"},
    NamedKey{"f5", "\033[15~"},      NamedKey{"f6", "\033[17~"},
    NamedKey{"f7", "\033[18~"},      NamedKey{"f8", "\033[19~"},
    NamedKey{"f9", "\033[20~"},      NamedKey{"f10", "\033[21~"},
    NamedKey{"f11", "\033[23~"},     NamedKey{"f12", "\033[24~"},
};

// ESC [ and the letter, or ESC O and the letter.
constexpr std::array kArrows{NamedKey{"up", "A"},   NamedKey{"down", "B"}, NamedKey{"right", "C"},
                             NamedKey{"left", "D"}, NamedKey{"home", "H"}, NamedKey{"end", "F"}};

std::optional<std::string_view> found(const auto& keys, std::string_view name) {
    const auto at = std::find_if(keys.begin(), keys.end(),
                                 [&](const NamedKey& key) { return key.name == name; });
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
