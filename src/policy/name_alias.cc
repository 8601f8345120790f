#include "policy/name_alias.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace paddock::policy {
namespace {

struct Ignored {
    char32_t first;
    char32_t last;
};

// Default_Ignorable_Code_Point of Unicode.
constexpr std::array<Ignored, 17> kIgnored{{{0x00AD, 0x00AD},
                                            {0x034F, 0x034F},
                                            {0x061C, 0x061C},
                                            {0x115F, 0x1160},
                                            {0x17B4, 0x17B5},
                                            {0x180B, 0x180F},
                                            {0x200B, 0x200F},
                                            {0x202A, 0x202E},
                                            {0x2060, 0x206F},
                                            {0x3164, 0x3164},
                                            {0xFE00, 0xFE0F},
                                            {0xFEFF, 0xFEFF},
                                            {0xFFA0, 0xFFA0},
                                            {0xFFF0, 0xFFF8},
                                            {0x1BCA0, 0x1BCA3},
                                            {0x1D173, 0x1D17A},
                                            {0xE0000, 0xE0FFF}}};

struct Folded {
    char32_t from;
    std::string_view to;
};

// All that decomposes or folds to ASCII alone.
constexpr std::array<Folded, 13> kFolded{{{0x00DF, "ss"},
                                          {0x017F, "s"},
                                          {0x037E, ";"},
                                          {0x1E9E, "ss"},
                                          {0x1FEF, "`"},
                                          {0x212A, "k"},
                                          {0xFB00, "ff"},
                                          {0xFB01, "fi"},
                                          {0xFB02, "fl"},
                                          {0xFB03, "ffi"},
                                          {0xFB04, "ffl"},
                                          {0xFB05, "st"},
                                          {0xFB06, "st"}}};

bool is_ignored(char32_t c) {
    return std::any_of(kIgnored.begin(), kIgnored.end(),
                       [c](const Ignored& range) { return c >= range.first && c <= range.last; });
}

bool is_dropped_at_end(char c) { return c == '.' || c == ' '; }

bool is_ascii(std::string_view text) {
    unsigned bytes = 0;
    for (const char c : text) bytes |= static_cast<unsigned char>(c);
    return bytes < 0x80;
}

bool may_be_an_alias(std::string_view path) {
    return !is_ascii(path) || (!path.empty() && is_dropped_at_end(path.back())) ||
           path.find("./") != path.npos || path.find(" /") != path.npos;
}

std::string plain_name(std::string_view name) {
    std::string plain;
    for (std::string_view rest = name; !rest.empty();) {
        const Character character = first_character(rest);
        const auto* folded = std::find_if(kFolded.begin(), kFolded.end(), [&](const Folded& each) {
            return character.valid && each.from == character.value;
        });
        if (folded != kFolded.end()) {
            plain += folded->to;
        } else if (!character.valid || !is_ignored(character.value)) {
            plain += rest.substr(0, character.length);
        }
        rest.remove_prefix(character.length);
    }
    while (!plain.empty() && is_dropped_at_end(plain.back())) plain.pop_back();
    return plain.empty() ? std::string(name) : plain;
}

}  // namespace

std::optional<std::string> plain_spelling(std::string_view path) {
    if (!may_be_an_alias(path)) return std::nullopt;
    std::string plain;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        if (begin > 0) plain += '/';
        plain += plain_name(path.substr(begin, end - begin));
        begin = end + 1;
    }
    if (plain == path) return std::nullopt;
    return plain;
}

}  // namespace paddock::policy
