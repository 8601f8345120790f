#include "text/patch_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "text/quote.h"

namespace paddock::text {
namespace {

// The length of the quoted string that `text` starts with, quotes included; 0 if there is none.
std::size_t quoted_length(std::string_view text) {
    if (!text.starts_with('"')) return 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i + 1;
    }
    return 0;
}

struct Pair {
    std::string before;
    std::string after;
};

// "A B" where at least one is quoted, or both are as long as each other.
std::optional<Pair> split_pair(std::string_view field) {
    std::size_t first = quoted_length(field);
    if (first == 0 && field.ends_with('"')) {
        first = std::min(field.find(" \""), field.size());
    } else if (first == 0) {
        first = field.size() / 2;
    }
    if (first >= field.size() || field[first] != ' ') return std::nullopt;
    auto before = read_name(field.substr(0, first));
    auto after = read_name(field.substr(first + 1));
    if (!before || !after) return std::nullopt;
    return Pair{std::move(*before), std::move(*after)};
}

// 'd' a digit, 'w' a letter, ' ' one blank or more, anything else itself. The length of what is
// like that at the start of the text; 0: nothing is.
std::size_t shaped(std::string_view text, std::string_view shape) {
    std::size_t at = 0;
    for (const char c : shape) {
        if (at == text.size()) return 0;
        const char given = text[at++];
        const char letter = static_cast<char>(given | 0x20);
        const bool fits = c == 'd'   ? given >= '0' && given <= '9'
                          : c == 'w' ? letter >= 'a' && letter <= 'z'
                                     : given == c;
        if (!fits) return 0;
        while (c == ' ' && at < text.size() && text[at] == ' ') ++at;
    }
    return at;
}

// Seconds, a fraction, a year, a zone and blanks, in any order: all that may follow hours and
// minutes.
bool ends_a_time(std::string_view text) {
    const std::size_t letters = std::min(text.find_first_not_of("0123456789:.,+- "), text.size());
    const std::string_view zone = text.substr(letters);
    return zone.size() <= 5 &&
           std::all_of(zone.begin(), zone.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_time(std::string_view text) {
    for (const std::string_view shape :
         {"dddd-dd-dd dd:dd", "dddd-dd-ddTdd:dd", "www www d dd:dd:dd", "www www dd dd:dd:dd"}) {
        const std::size_t length = shaped(text, shape);
        if (length > 0 && ends_a_time(text.substr(length))) return true;
    }
    return false;
}

}  // namespace

TimedName split_time(std::string_view field) {
    const std::size_t tab = field.find('\t');
    if (tab != field.npos) return {field.substr(0, tab), field.substr(tab + 1)};
    const std::size_t quoted = quoted_length(field);
    for (std::size_t at = field.find(' ', quoted); at != field.npos; at = field.find(' ', at)) {
        const std::size_t end = at;
        at = std::min(field.find_first_not_of(' ', at), field.size());
        if (end > 0 && is_time(field.substr(at))) return {field.substr(0, end), field.substr(at)};
    }
    return {field, {}};
}

std::optional<std::string> unquote_git_name(std::string_view quoted) {
    if (quoted.size() < 2 || quoted_length(quoted) != quoted.size()) return std::nullopt;
    auto name = unescape(quoted.substr(1, quoted.size() - 2));
    if (name && name->find('\0') != std::string::npos) return std::nullopt;
    return name;
}

std::optional<std::string> read_name(std::string_view field) {
    if (field.starts_with('"')) {
        return unquote_git_name(field.substr(0, std::max<std::size_t>(quoted_length(field), 1)));
    }
    field = field.substr(0, field.find('\t'));
    if (field.empty() || field.find('\0') != std::string_view::npos) return std::nullopt;
    return std::string(field);
}

bool have_prefixes(std::string_view before, std::string_view after) {
    if (before.size() < 3 || after.size() < 3 || before[1] != '/' || after[1] != '/') return false;
    static constexpr std::array<std::string_view, 5> kPairs{"ab", "iw", "ci", "cw", "ow"};
    return std::any_of(kPairs.begin(), kPairs.end(), [&](std::string_view pair) {
        return (before[0] == pair[0] && after[0] == pair[1]) ||
               (before[0] == pair[1] && after[0] == pair[0]);
    });
}

std::optional<std::string> read_git_line(std::string_view field) {
    const auto pair = split_pair(field);
    if (!pair) return std::nullopt;
    if (pair->before == pair->after) return pair->before;
    if (!have_prefixes(pair->before, pair->after)) return std::nullopt;
    if (pair->before.substr(2) != pair->after.substr(2)) return std::nullopt;
    return pair->before.substr(2);
}

}  // namespace paddock::text
