#include "base/reason.h"

#include <string>

#include "base/ascii.h"
#include "base/blanks.h"

namespace paddock {

std::optional<bool> switch_of(std::string_view word) {
    std::string lower;
    for (const char c : word.substr(0, 6)) lower += lowered(c);
    for (const char* yes : {"1", "true", "yes", "on"}) {
        if (lower == yes) return true;
    }
    for (const char* no : {"", "0", "false", "no", "off"}) {
        if (lower == no) return false;
    }
    return std::nullopt;
}

bool is_reason(std::string_view text) {
    int telling = 0;
    for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
        const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
        if (has_letter(word) && !switch_of(word)) ++telling;
        text.remove_prefix(word.size());
    }
    return telling >= 2;
}

}  // namespace paddock
