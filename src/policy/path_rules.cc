#include "policy/path_rules.h"

#include <algorithm>
#include <array>
#include <bit>

#include <paddock/limits.h>

#include "base/text.h"
#include "base/utf8.h"
#include "policy/path_defaults.h"

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
    if (holds_two_rules(pattern)) return "contains two rules; write each on its own";
    if (pattern.find_first_of("\r\n") != pattern.npos) {
        return "contains a line break; write each rule on its own";
    }
    if (pattern.ends_with(';')) return "ends with ';'; remove it, or write ? for it";
    if (pattern.ends_with(',')) return "ends with ','; remove it, or write ? for it";
    if (pattern.find(" #") != pattern.npos || pattern.find("\t#") != pattern.npos) {
        return "contains a comment; remove it, or write ? for the blank before '#'";
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

// Searches ask for every file of a tree, and hardly any name has to do with a rule. So each name of
// a path is first looked up by its first byte and its last, then by two more; only the rules that
// all of them leave over for some name are matched, each once, however deep the path is.
namespace {

constexpr std::size_t kWordBits = 64;
constexpr unsigned kByteValues = 256;

std::size_t ends_of(unsigned first, unsigned last) noexcept {
    return std::size_t{first} * kByteValues + last;
}

constexpr std::size_t kDefaultsMax = 768;
constexpr std::size_t kWordsMax = (limits::kPathRulesMax + kDefaultsMax) / kWordBits + 1;

// The last name of a pattern if its first and last byte say what names it can match, else "*".
std::string_view telling_name(std::string_view pattern) noexcept {
    if (pattern.find_first_of("[{\\") != std::string_view::npos) return "*";
    const std::string_view name = pattern.substr(pattern.rfind('/') + 1);
    return name.empty() || name == "." || name == ".." ? "*" : name;
}

// Is the last name of the pattern more than wildcards?
bool names_something(std::string_view pattern) noexcept {
    return pattern.substr(pattern.rfind('/') + 1).find_first_not_of("*?") != pattern.npos;
}

bool is_wildcard(char of_pattern) noexcept { return of_pattern == '*' || of_pattern == '?'; }

// Calls `visit` with the bytes that this one of a pattern matches, whatever the case.
template <class Visit>
void each_match(char of_pattern, Visit visit) {
    const auto wanted = static_cast<unsigned char>(of_pattern);
    const bool letter = (wanted | 32U) >= 'a' && (wanted | 32U) <= 'z';
    if (is_wildcard(of_pattern)) {
        for (unsigned byte = 0; byte < kByteValues; ++byte) visit(byte);
    } else {
        visit(wanted);
        if (letter) visit(wanted ^ 32U);
    }
}

}  // namespace

Outcome<PathRules> PathRules::compile(std::span<const PathRule> from_operator,
                                      std::span<const PathRule> defaults,
                                      std::span<const PathRule> further) {
    if (from_operator.size() > limits::kPathRulesMax ||
        defaults.size() + further.size() > kDefaultsMax) {
        return refuse(Code::kLimitReached);
    }
    PathRules rules;
    rules.from_operator_ = from_operator.size();
    rules.before_defaults_ = from_operator.size() + further.size();
    rules.words_ = (rules.before_defaults_ + defaults.size()) / kWordBits + 1;
    for (Masks* masks :
         {&rules.by_first_, &rules.by_second_, &rules.by_last_but_one_, &rules.by_last_}) {
        masks->resize(kByteValues * rules.words_);
    }
    rules.by_ends_.resize(std::size_t{kByteValues} * kByteValues);
    for (const PathRule& rule : from_operator) PADDOCK_TRY(rules.add(rule, From::kOperator));
    for (const PathRule& rule : further) PADDOCK_TRY(rules.add(rule, From::kFurther));
    for (const PathRule& rule : defaults) PADDOCK_TRY(rules.add(rule, From::kDefaults));
    return rules;
}

Result<PathRules> PathRules::of(std::span<const PathRule> from_operator, bool with_defaults,
                                std::span<const PathRule> further_defaults) {
    auto rules = with_defaults ? compile(from_operator, default_path_rules(), further_defaults)
                               : compile(from_operator, {});
    if (rules) return std::move(*rules);
    for (const PathRule& rule : from_operator) {
        const auto one = compile({&rule, 1}, {});
        if (!one) return as_error(one.error(), "rule", rule.pattern);
    }
    return as_error(rules.error(), "path rules", {});
}

Done PathRules::add(const PathRule& rule, From from) {
    Rule added{rule.pattern, rule.access, {}};
    std::string_view pattern = added.pattern;
    if (from == From::kOperator) {
        const std::string_view fault = pattern_fault(pattern);
        if (!fault.empty()) return refuse(Code::kInvalidArgument, fault);
        if (pattern == "." || pattern == "./") pattern = "**";
    }
    text::GlobOptions options;
    options.ignore_case = rule.access != Access::kAllow;
    // A further one does not keep the defaults from being asked.
    if (from != From::kFurther && (pattern == "**" || pattern == "/**")) {
        if (!everything_) everything_ = rules_.size();
        rules_.push_back(std::move(added));
        return {};
    }
    while (pattern.ends_with('/')) pattern.remove_suffix(1);
    if (pattern.size() > 3 && pattern.ends_with("/**")) {
        added.below_only = true;
        pattern.remove_suffix(3);
    } else {
        options.any_depth = true;
        added.name_only = from != From::kOperator && rule.access == Access::kAllow;
    }
    if (pattern.starts_with('/')) {
        pattern.remove_prefix(1);
        options.any_depth = false;
    }
    PADDOCK_ASSIGN(glob, text::Glob::compile(pattern, options));
    added.glob = std::move(glob);
    if (rule.access != Access::kAllow) {
        PADDOCK_ASSIGN(ways, ways_of(pattern, added.below_only));
        added.ways = std::move(ways);
    }
    index(rules_.size(), pattern);
    rules_.push_back(std::move(added));
    return {};
}

Outcome<std::vector<PathRules::Way>> PathRules::ways_of(std::string_view pattern, bool below_only) {
    std::vector<Way> ways;
    PADDOCK_ASSIGN(alternatives, text::expand_braces(pattern));
    for (std::string& each : alternatives) {
        if (below_only) each += "/**";
        for (std::size_t end = each.find('/'); end != each.npos; end = each.find('/', end + 1)) {
            const std::string directory = each.substr(0, end);
            if (!names_something(directory)) continue;
            // A piece of a pattern need not be one.
            auto glob = text::Glob::compile(directory, {.ignore_case = true});
            if (!glob) continue;
            std::string rest = each.substr(end + 1);
            if (rest.find_first_of("*?[\\") != rest.npos) rest.clear();
            ways.push_back({std::move(*glob), std::move(rest)});
        }
    }
    return ways;
}

void PathRules::index(std::size_t rule, std::string_view pattern) {
    const std::uint64_t bit = std::uint64_t{1} << rule % kWordBits;
    const std::string_view name = telling_name(pattern);
    const bool two = name.size() > 1;
    const char second = two && !is_wildcard(name.front()) ? name[1] : '*';
    const char last_but_one = two && !is_wildcard(name.back()) ? name[name.size() - 2] : '*';
    const auto mark = [&](Masks& masks, char of_pattern) {
        each_match(of_pattern,
                   [&](unsigned byte) { masks[byte * words_ + rule / kWordBits] |= bit; });
    };
    mark(by_first_, name.front());
    mark(by_second_, second);
    mark(by_last_but_one_, last_but_one);
    mark(by_last_, name.back());
    each_match(name.front(), [&](unsigned first) {
        each_match(name.back(), [&](unsigned last) { by_ends_[ends_of(first, last)] = true; });
    });
}

bool PathRules::may_be_ruled(std::string_view name) const noexcept {
    return by_ends_[ends_of(static_cast<unsigned char>(name.front()),
                            static_cast<unsigned char>(name.back()))];
}

std::uint64_t PathRules::candidates(std::string_view name, std::size_t word) const noexcept {
    const auto at = [&](char c) { return static_cast<unsigned char>(c) * words_ + word; };
    const std::uint64_t ends = by_first_[at(name.front())] & by_last_[at(name.back())];
    if (ends == 0 || name.size() == 1) return ends;
    return ends & by_second_[at(name[1])] & by_last_but_one_[at(name[name.size() - 2])];
}

bool PathRules::applies(const Rule& rule, std::string_view path, Matched matched) {
    const bool itself = matched == Matched::kItself;
    if (rule.name_only) return itself && rule.glob->matches(path, true);
    const std::size_t above = path.find('/') == path.npos ? 0 : path.rfind('/');
    return rule.glob->covers(rule.below_only && itself ? path.substr(0, above) : path);
}

// rules_.size() stands for none.
std::size_t PathRules::stricter(std::size_t further, std::size_t other) const noexcept {
    if (further == rules_.size() || rules_[further].access == Access::kAllow) return other;
    const bool is_less = other != rules_.size() && rules_[further].access < rules_[other].access;
    return is_less ? other : further;
}

std::size_t PathRules::deciding(std::string_view path, Matched matched) const noexcept {
    std::array<std::uint64_t, kWordsMax> possible{};
    for (std::size_t begin = 0, end = 0; begin < path.size(); begin = end + 1) {
        end = std::min(path.find('/', begin), path.size());
        const std::string_view name = path.substr(begin, end - begin);
        if (!may_be_ruled(name)) continue;
        for (std::size_t word = 0; word < words_; ++word) possible[word] |= candidates(name, word);
    }
    const std::size_t end = everything_.value_or(rules_.size());
    std::size_t further = rules_.size();
    for (std::size_t word = 0; word * kWordBits < end; ++word) {
        for (std::uint64_t left = possible[word]; left != 0; left &= left - 1) {
            const auto i = word * kWordBits + static_cast<std::size_t>(std::countr_zero(left));
            if (i >= end) break;
            const bool asked = !is_further(i) || further == rules_.size();
            if (!asked || !applies(rules_[i], path, matched)) continue;
            if (!is_further(i)) return stricter(further, i);
            further = i;
        }
    }
    return stricter(further, end);
}

Decision PathRules::decide(std::string_view path) const noexcept {
    const Decision written = decide_as_written(path);
    if (written.access == Access::kDeny) return written;
    if (const auto plain = plain_spelling(path)) {
        const Decision meant = decide_as_written(*plain);
        if (meant.access > written.access) return meant;
    }
    if (!has_defaults() || written.by_operator) return written;
    const auto original = backed_up_path(path);
    if (!original) return written;
    const Decision meant = decide_as_written(*original);
    return meant.access == Access::kDeny && !meant.by_operator ? meant : written;
}

Decision PathRules::decide_as_written(std::string_view path) const noexcept {
    const std::size_t index = path.empty() ? rules_.size() : deciding(path, Matched::kItself);
    if (index == rules_.size()) return {};
    const Rule& rule = rules_[index];
    return {rule.access, index, rule.pattern, index < from_operator_, is_further(index)};
}

std::vector<PathRules::Below> PathRules::restricted_below(std::string_view directory) const {
    const std::string plain = plain_spelling(directory).value_or(std::string(directory));
    std::vector<Below> found;
    std::size_t first = rules_.size();
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        for (const Way& way : rules_[i].ways) {
            if (!way.directory.matches(plain, true)) continue;
            first = std::min(first, i);
            found.push_back({way.rest, rules_[i].pattern});
        }
    }
    if (found.empty()) return found;
    // A rule before them decides about all that is below, unless it is asked beside them.
    const std::size_t all = deciding(plain, Matched::kAllBelow);
    if (all < first && !is_further(all)) found.clear();
    return found;
}

bool PathRules::covers_something_below(std::string_view directory) const noexcept {
    const auto plain = plain_spelling(directory);
    return covers_below_as_written(directory) || (plain && covers_below_as_written(*plain));
}

bool PathRules::covers_below_as_written(std::string_view directory) const noexcept {
    // This one decides about all that no rule before it touches.
    const std::size_t last = deciding(directory, Matched::kAllBelow);
    if (last < rules_.size() && rules_[last].access != Access::kAllow) return true;
    return std::any_of(
        rules_.begin(), rules_.begin() + static_cast<std::ptrdiff_t>(last), [&](const Rule& rule) {
            return rule.access != Access::kAllow && rule.glob->may_match_below(directory);
        });
}

// A rule covers a path by one of its names, which the last name of the pattern matches.
bool PathRules::may_restrict_as_written(std::string_view name) const noexcept {
    if (everything_ && rules_[*everything_].access != Access::kAllow) return true;
    if (name.empty() || !may_be_ruled(name)) return false;
    for (std::size_t word = 0; word < words_; ++word) {
        for (std::uint64_t left = candidates(name, word); left != 0; left &= left - 1) {
            const Rule& rule =
                rules_[word * kWordBits + static_cast<std::size_t>(std::countr_zero(left))];
            if (rule.access != Access::kAllow && rule.glob->may_end_in(name)) return true;
        }
    }
    return false;
}

bool PathRules::may_restrict_by(std::string_view name) const {
    if (may_restrict_as_written(name)) return true;
    const auto plain = plain_spelling(name);
    if (plain && may_restrict_as_written(*plain)) return true;
    const auto original = has_defaults() ? backed_up_path(name) : std::nullopt;
    return original && may_restrict_as_written(*original);
}

}  // namespace paddock::policy
