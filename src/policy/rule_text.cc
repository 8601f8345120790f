#include "policy/rule_text.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/blanks.h"

namespace paddock::policy {
namespace {

// Does another rule follow in the same text, "a; deny b" or "a deny b"?
bool holds_two_rules(std::string_view pattern) {
    constexpr std::string_view kBetween = " \t\r\n\v\f;,";
    for (std::size_t at = pattern.find_first_of(kBetween); at != pattern.npos;
         at = pattern.find_first_of(kBetween, at + 1)) {
        const std::string_view next = trimmed(pattern.substr(at + 1));
        const std::size_t end = next.find_first_of(kBlanks);
        if (end != next.npos && access_named(next.substr(0, end))) return true;
    }
    return false;
}

// "$HOME/x", "${DIR}/x"; but "$id.tsx" is a name.
bool begins_with_variable(std::string_view pattern) {
    if (!pattern.starts_with('$')) return false;
    const std::string_view name =
        pattern.substr(1, std::min(pattern.find('/'), pattern.size()) - 1);
    return name.starts_with('{') ||
           (!name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
               return is_upper(c) || is_digit(c) || c == '_';
           }));
}

// "~somebody/x"; but "~$report.docx" is a name.
bool begins_with_other_home(std::string_view pattern) {
    const std::size_t slash = pattern.find('/');
    if (!pattern.starts_with('~') || slash == pattern.npos || slash < 2) return false;
    const std::string_view name = pattern.substr(1, slash - 1);
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; });
}

// A backslash makes the next character plain. Before a letter it does nothing.
bool is_path_of_windows(std::string_view pattern) {
    for (std::size_t at = 0; at + 1 < pattern.size(); ++at) {
        if (pattern[at] != '\\') continue;
        ++at;
        if (is_letter(pattern[at]) || is_digit(pattern[at])) return true;
    }
    return false;
}

}  // namespace

std::optional<PathAccess> access_named(std::string_view word) {
    for (const auto& [name, access] : kAccessWords) {
        if (name == word) return access;
    }
    return std::nullopt;
}

std::string_view pattern_fault(std::string_view pattern) {
    constexpr std::string_view kQuotes = "\"'`";
    if (pattern.empty()) return "is empty";
    if (trimmed(pattern) != pattern) return "begins or ends with a blank; remove it, or write ?";
    if (pattern.starts_with('!')) return "begins with '!'; write allow instead of deny";
    if (kQuotes.find(pattern.front()) != kQuotes.npos ||
        kQuotes.find(pattern.back()) != kQuotes.npos) {
        return "is in quotes; remove them, or write ? for a quote in a name";
    }
    if (holds_two_rules(pattern)) return "holds two rules; write each on its own";
    if (pattern.find_first_of("\r\n") != pattern.npos) {
        return "holds the end of a line; write each rule on its own";
    }
    if (pattern.ends_with(';')) return "ends with ';'; remove it, or write ? for it";
    if (pattern.ends_with(',')) return "ends with ','; remove it, or write ? for it";
    if (pattern.find(" #") != pattern.npos || pattern.find("\t#") != pattern.npos) {
        return "holds a comment; remove it, or write ? for the blank before '#'";
    }
    if (begins_with_variable(pattern)) {
        return "begins with a variable, which is not expanded; write the path";
    }
    if (pattern == "~" || pattern.starts_with("~/")) {
        return "begins with '~', which is not expanded; write the path, or ./~ for such a name";
    }
    if (begins_with_other_home(pattern)) {
        return "begins with the home of another user; write the path";
    }
    if (is_path_of_windows(pattern)) {
        return "has '\\' before a letter; write '/' between names";
    }
    return {};
}

}  // namespace paddock::policy
