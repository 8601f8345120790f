#include "secrets/value.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace paddock::secrets {
namespace {

// Shorter ones are guessed faster than they are leaked, and most are not secrets at all.
constexpr std::size_t kValueBytesMin = 6;
// Letters only, of one case or as in a name, are taken for a password from these lengths on.
constexpr std::size_t kShellWordBytesMin = 8;
constexpr std::size_t kQuotedWordBytesMin = 20;
constexpr std::size_t kRandomBytesMin = 16;
constexpr std::size_t kRandomDigitsMin = 4;
constexpr std::size_t kFillerRun = 6;

bool holds(std::string_view set, char c) noexcept { return set.find(c) != set.npos; }

bool equals(std::string_view text, std::string_view lower_case) noexcept {
    return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                      [](char a, char b) { return lowered(a) == b; });
}

// Templates, and what people write in the place of a value.
constexpr std::string_view kPlaceholderWords[] = {
    "${",       "$(",        "{{",          "[redacted:",  "%(",        "://",
    "[0-9",     "4_request", "[a-z",        "changeme",    "change_me", "change-me",
    "changeit", "example",   "placeholder", "dummy",       "your",      "sample",
    "insert",   "replace",   "environ",     "process.env", "getenv",    "not_a_",
    "redacted", "undefined", "notasecret",  "invalid",     "...",       "***",
};

constexpr std::string_view kPlaceholders[] = {
    "password",     "passphrase", "passwd",     "pass",     "secret",           "token",
    "string",       "mypass",     "mypassword", "mysecret", "mysecretpassword", "rootpassword",
    "testpassword", "postgres",   "minioadmin", "default",  "required",         "optional",
    "username",     "private",    "apikey",
};

bool has_placeholder_word(std::string_view text) noexcept {
    constexpr std::string_view kFirsts = "${[%.*:4cdegimnprsuy";
    for (; !text.empty(); text.remove_prefix(1)) {
        if (!holds(kFirsts, lowered(text.front()))) continue;
        for (const std::string_view word : kPlaceholderWords) {
            if (equals(text.substr(0, word.size()), word)) return true;
        }
    }
    return false;
}

bool has_filler(std::string_view text) noexcept {
    std::size_t run = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        run = i > 0 && text[i] == text[i - 1] ? run + 1 : 1;
        if (run == kFillerRun) return true;
    }
    return false;
}

struct Counts {
    std::size_t lower = 0;
    std::size_t upper = 0;
    std::size_t digits = 0;
    std::size_t joints = 0;   // joins_words()
    std::size_t foreign = 0;  // not ASCII: letters of other languages, mostly
    std::size_t marks = 0;    // what else is printable

    explicit Counts(std::string_view text) noexcept {
        for (const char c : text) {
            if (is_lower(c))
                ++lower;
            else if (is_upper(c))
                ++upper;
            else if (is_digit(c))
                ++digits;
            else if (joins_words(c))
                ++joints;
            else if (static_cast<unsigned char>(c) >= 0x80)
                ++foreign;
            else
                ++marks;
        }
    }
    std::size_t letters() const noexcept { return lower + upper; }
};

// Words with at most two digits behind each, joined: "oauth2_token", "aes-key-1", "v1.items".
bool is_compound(std::string_view text) noexcept {
    std::size_t digits = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool digit = is_digit(text[i]);
        if (digit && ++digits > 2) return false;
        if (!digit && digits > 0 && is_letter(text[i])) return false;
        if (!digit) digits = 0;
    }
    return true;
}

bool has_space_or_control(std::string_view text) noexcept {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 127; });
}

// "identitytoolkit#ResetPassword", "?Keyword": names, to which no one would add a mark for
// strength.
bool is_marked_name(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return is_letter(c) || holds("_-./:#?", c); });
}

bool is_strong(std::string_view value, const Counts& counts) noexcept {
    // Versions, dates, object identifiers.
    if (counts.letters() == 0 && counts.joints > 0) return false;
    if (counts.joints > 0 && counts.marks == 0 && is_compound(value)) return false;
    if (counts.digits > 0) return true;
    return counts.marks > 0 && counts.letters() >= kValueBytesMin && !is_marked_name(value);
}

// "curve25519_set_secret": some of the parts between the underscores are words.
bool is_snake_case(std::string_view name) noexcept {
    std::size_t words = 0;
    while (true) {
        const std::string_view part = name.substr(0, name.find('_'));
        if (part.size() >= 3 && std::all_of(part.begin(), part.end(), is_letter)) ++words;
        if (part.size() == name.size()) return words > 1;
        name.remove_prefix(part.size() + 1);
    }
}

// "SensitiveString2048": words with a capital each, and a number.
bool is_type_name(std::string_view text) noexcept {
    constexpr std::size_t kNumberMax = 4;
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[text.size() - 1 - digits])) ++digits;
    if (digits > kNumberMax || text.empty() || !is_upper(text.front())) return false;
    text.remove_suffix(digits);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool last = i + 1 == text.size();
        if (!is_letter(text[i]) || (is_upper(text[i]) && (last || !is_lower(text[i + 1]))))
            return false;
    }
    return true;
}

// "PKCS7PrivateKeyTypes", "Oauth2ClientCredentials": half of it is long words with a capital each.
bool is_camel_case(std::string_view text) noexcept {
    constexpr std::size_t kWordLettersMin = 4;
    constexpr std::size_t kLettersMin = 12;
    std::size_t in_words = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = begin + 1;
        while (end < text.size() && is_lower(text[end])) ++end;
        const std::string_view word = text.substr(begin, end - begin);
        const bool is_spoken = word.find_first_of("aeiou") != word.npos;
        if (is_upper(word.front()) && word.size() >= kWordLettersMin && is_spoken) {
            in_words += word.size();
        } else if (!is_letter(text[begin]) && !is_digit(text[begin])) {
            return false;
        }
        begin = end;
    }
    return in_words >= kLettersMin && in_words * 2 >= text.size();
}

// "0x1f03a2"
bool is_hexadecimal(std::string_view value) noexcept {
    return value.starts_with("0x") &&
           value.find_first_not_of("0123456789abcdefABCDEFuUlL", 2) == value.npos;
}

// Calls, members, subscripts, generics: an expression, however odd its names.
bool is_expression(std::string_view value) noexcept {
    const std::size_t question = value.find('?');
    if (question != value.npos && value.find_first_of(".:", question) != value.npos) return true;
    return value.find_first_of("()[]{}<>\\") != value.npos || is_hexadecimal(value) ||
           is_snake_case(value) || is_dotted_name(value) || is_type_name(value) ||
           is_camel_case(value) || value.find("->") != value.npos || value.find("::") != value.npos;
}

// Or formats and operators: not a value.
bool is_code(std::string_view value) noexcept {
    return value.find_first_of("*$%?") != value.npos || is_expression(value);
}

bool is_secret_bare(std::string_view value, const Counts& counts) noexcept {
    if (counts.letters() == 0 || counts.digits == 0 || is_code(value)) return false;
    if (is_random(value)) return is_strong(value, counts);
    // A short one that could be an identifier is one, unless it mixes more than words do.
    const bool one_word = counts.joints == 0 && counts.marks == 0;
    if (!one_word) return counts.marks > 0;
    return is_compound(value) ? counts.upper == 0 : counts.digits > 1;
}

// "LIMIT_TOKEN=100000", "TOKEN=0x1f03a2", "TOKEN=read(file1)"; a shell takes no bare parenthesis.
bool is_number_or_call(std::string_view value, const Counts& counts) noexcept {
    const bool number = counts.digits == value.size() && value.size() < kShellWordBytesMin;
    const bool hexadecimal = value.starts_with("0x") && value.size() <= kRandomBytesMin + 2;
    return number || hexadecimal || holds(value, '(') || holds(value, ')');
}

// "url('x1.png')", "PASSWORD('x1')"
bool is_call(std::string_view value) noexcept {
    const std::string_view name = value.substr(0, value.find('('));
    return value.ends_with(')') && !name.empty() &&
           std::all_of(name.begin(), name.end(), is_letter);
}

// "%d,%d", "'%s'"
bool is_format(std::string_view value) noexcept {
    for (std::size_t i = 0; i + 1 < value.size(); ++i) {
        if (value[i] != '%' || !holds("ds", value[i + 1])) continue;
        if (i + 2 == value.size() || !(is_letter(value[i + 2]) || is_digit(value[i + 2])))
            return true;
    }
    return false;
}

// "$HOME", "$base32String", "%HOME%"
bool is_variable(std::string_view value) noexcept {
    constexpr std::size_t kNameMin = 3;
    const char sign = value.front();
    if (sign != '$' && sign != '%') return false;
    const std::string_view name =
        value.substr(1, sign == '%' ? value.find('%', 1) - 1 : value.npos);
    if (name.size() < kNameMin || (sign == '%' && name.size() + 1 == value.size())) return false;
    const bool plain = std::all_of(name.begin(), name.end(),
                                   [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
    return plain && (std::none_of(name.begin(), name.end(), is_lower) || !looks_random(name));
}

// "<token>", "[Password]", "{x}", "arn:aws:...", "//host", "&lt;token>" and the middle of an
// expression.
bool is_template(std::string_view value) noexcept {
    if (holds("<)'\"\\", value.front())) return true;
    for (const std::string_view start : {"arn:", "//", "&#x3", "&lt;"}) {
        if (value.starts_with(start)) return true;
    }
    if (value.front() == '[' && value.back() == ']') return true;
    if (value.find('{') != value.npos && value.find('}') != value.npos) return true;
    if (holds("+,", value.front()) && value.find_first_of("()[]") != value.npos) return true;
    return is_variable(value) || is_format(value);
}

// "#Winter2024x", "@dmin2024!Q", "$ecret9!": neither a colour nor a variable.
bool is_marked_password(std::string_view value) noexcept {
    const char first = value.front();
    value.remove_prefix(1);
    const Counts counts(value);
    if (counts.letters() == 0 || counts.joints > 0 || is_compound(value)) return false;
    if (first == '#') return value.find_first_not_of("0123456789abcdefABCDEF") != value.npos;
    return first == '@' || (first == '$' && counts.marks > 0);
}

bool is_hard_to_guess(std::string_view value, ValueForm form) noexcept {
    const Counts counts(value);
    const bool random = looks_random(value);
    if (form == ValueForm::kBare) {
        return (random && !is_expression(value)) || is_secret_bare(value, counts);
    }
    if (form == ValueForm::kShell && is_number_or_call(value, counts)) return false;
    if (form == ValueForm::kQuoted && is_call(value)) return false;
    if (random || is_strong(value, counts)) return true;
    if (counts.letters() < value.size()) return false;
    if (form == ValueForm::kShell) return value.size() >= kShellWordBytesMin && counts.lower > 0;
    return value.size() >= kQuotedWordBytesMin && counts.upper == 0;
}

}  // namespace

// "crypto.keys.Ed25519Key"
bool is_dotted_name(std::string_view text) noexcept {
    const std::string_view first = text.substr(0, text.find('.'));
    if (first.size() == text.size()) return false;
    return std::all_of(first.begin(), first.end(),
                       [](char c) { return is_letter(c) || c == '_'; }) &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; });
}

bool is_placeholder(std::string_view value) noexcept {
    constexpr std::size_t kNumberMax = 3;
    if (value.empty() || is_template(value) || has_filler(value)) return true;
    if (has_placeholder_word(value)) return true;
    if (looks_random(value)) return false;
    // Paths, references, and the middle of an expression that glues strings together.
    if (holds("$%/~&@#,+", value.front()) && !is_marked_password(value)) return true;
    if (value.find('<') != value.npos || value.find("%s") != value.npos) return true;
    // "password1", "secret123"
    for (std::size_t i = 0; i < kNumberMax && !value.empty() && is_digit(value.back()); ++i) {
        value.remove_suffix(1);
    }
    return std::any_of(std::begin(kPlaceholders), std::end(kPlaceholders),
                       [&](std::string_view whole) { return equals(value, whole); });
}

bool is_random(std::string_view value) noexcept {
    return value.size() >= kRandomBytesMin && Counts(value).digits >= kRandomDigitsMin;
}

bool is_sample_token(std::string_view token) noexcept {
    if (has_filler(token) || has_placeholder_word(token)) return true;
    // Kebab and snake case: a name that happens to begin like a token.
    return std::none_of(token.begin(), token.end(),
                        [](char c) { return is_digit(c) || is_upper(c); });
}

bool is_passphrase(std::string_view value) noexcept {
    constexpr std::size_t kWordLettersMin = 4;
    constexpr std::size_t kWordsMin = 3;  // a number counts as one
    if (is_placeholder(value)) return false;
    std::size_t words = 0;
    while (true) {
        const std::string_view part = value.substr(0, value.find('-'));
        const bool number = !part.empty() && std::all_of(part.begin(), part.end(), is_digit);
        const bool word =
            part.size() >= kWordLettersMin && std::all_of(part.begin(), part.end(), is_letter);
        if (!number && !word) return false;
        ++words;
        if (part.size() == value.size()) return words >= kWordsMin;
        value.remove_prefix(part.size() + 1);
    }
}

bool is_secret_value(std::string_view value, ValueForm form) noexcept {
    // The dearest question comes last: hostile text asks them all at every word.
    return value.size() >= kValueBytesMin && is_hard_to_guess(value, form) &&
           !has_space_or_control(value) && !is_placeholder(value);
}

}  // namespace paddock::secrets
