#include "secrets/match.h"

#include <algorithm>
#include <array>
#include <string>

#include <paddock/limits.h>

#include "base/check.h"
#include "base/text.h"
#include "secrets/block.h"
#include "secrets/line_join.h"
#include "secrets/value.h"

namespace paddock::secrets {
namespace {

constexpr text::ByteSet kHex = text::kDigits | text::ByteSet("abcdefABCDEF");

// A pattern for a word in any case. One of three letters is not followed by a small one: "keys".
SecretPattern any_case(std::string_view word) {
    std::string pattern;
    for (const char c : word) {
        pattern += {'[', c, static_cast<char>(c - 'a' + 'A'), ']'};
    }
    return SecretPattern(pattern + (word.size() < kLeadBytes ? "[\t -`{-~]" : ""));
}

// "\n", "\001", "\x22", "\u003d", "%3D".
bool ends_with_escape(std::string_view before) noexcept {
    const auto ends = [&](std::string_view start, const text::ByteSet& digits, std::size_t count) {
        if (before.size() < count) return false;
        const std::size_t at = before.size() - count;
        return digits.run(before.substr(at)) == count && before.substr(0, at).ends_with(start);
    };
    return ends("\\", text::ByteSet("abefnrtv0"), 1) ||
           ends("\\", text::ByteSet::range('0', '7'), 3) || ends("\\x", kHex, 2) ||
           ends("\\u", kHex, 4) || ends("%", kHex, 2);
}

}  // namespace

bool begins_word(std::string_view before) noexcept {
    if (before.empty()) return true;
    const char last = before.back();
    if (!text::kWordBytes.has(last) && last != '-') return true;
    if (ends_with_escape(before)) return true;
    if (last != 'm') return false;
    before.remove_suffix(1);
    while (!before.empty() && (text::kDigits.has(before.back()) || before.back() == ';')) {
        before.remove_suffix(1);
    }
    return before.ends_with("\x1b[");
}

SecretMatcher::SecretMatcher() {
    for (const secrets::SecretShape& shape : secrets::secret_shapes()) {
        Shape added{shape.kind, SecretPattern(shape.pattern), {}, shape.start, {}};
        if (!shape.before.empty()) added.before.emplace(shape.before);
        added.tail.bytes = added.pattern.last_set();
        if (shape.kind == "aws-access-key") added.tail.pass = pass_aws_key;
        PADDOCK_CHECK(added.pattern.longest() <= limits::kSecretAheadMax);
        add_lead(added.pattern);
        shapes_.push_back(std::move(added));
    }
    const auto add = [this](const SecretPattern& pattern, Other other) {
        add_lead(pattern);
        others_.push_back(other);
    };
    add(SecretPattern("://[!-.0-~]"), match_url);
    add(SecretPattern("BEGIN "), match_pem_block);
    add(SecretPattern(kEncodedBegin), match_encoded_block);
    add(SecretPattern("Private-Lines: "), match_putty_key);
    add(any_case("auth"), match_authorization);
    add(any_case("bearer"), match_bearer);
    add(SecretPattern("sig="), match_signature);
    add(SecretPattern(" -[upaw][ -~]"), match_option);
    add(SecretPattern("-user[ =][ -~]"), match_long_user_option);
    add(SecretPattern(" -[fgikLnsSvX]u[ -~]"), match_joined_options);
    add(SecretPattern(" -[fgikLnsSv][fgikLnsSv]u[ -~]"), match_joined_options);
    add(SecretPattern("password[ \t]"), match_netrc);
    for (const char* port : {":543\\d:", ":6543:", ":6432:"})
        add(SecretPattern(port), match_pgpass);
    add(SecretPattern(":\\*:[\\w*]"), match_pgpass);
    for (const secrets::SecretWord& word : secrets::secret_words()) {
        add(any_case(word.word), match_assignment);
    }
}

void SecretMatcher::add_lead(const SecretPattern& pattern) {
    const SecretPattern::Start start = pattern.start();
    leads_.push_back(start.lead);
    offsets_.push_back(start.offset);
}

std::optional<FoundSecret> SecretMatcher::match(std::size_t lead,
                                                const Surroundings& around) const noexcept {
    const bool may_join = around.after.find("\\\n") != std::string_view::npos ||
                          around.after.find("\\\r\n") != std::string_view::npos;
    if (may_join) {
        const JoinedLines joined(around.after);
        auto found = match_lines(lead, {around.before, joined.text()});
        if (found && found->tail != nullptr && found->tail->pass == nullptr) {
            found->begin = joined.begin_of(found->begin);
            found->end = joined.end_of(found->end);
            return found;
        }
    }
    return match_lines(lead, around);
}

std::optional<FoundSecret> SecretMatcher::match_lines(std::size_t lead,
                                                      const Surroundings& around) const noexcept {
    return lead < shapes_.size() ? match_shape(shapes_[lead], around)
                                 : others_[lead - shapes_.size()](around);
}

std::optional<FoundSecret> SecretMatcher::match_shape(const Shape& shape,
                                                      const Surroundings& around) const noexcept {
    using Start = secrets::SecretShape::Start;
    if (shape.start != Start::kAnywhere && !begins_word(around.before)) return {};
    const bool is_inside_base64 = around.before.ends_with('+') || around.before.ends_with('/');
    if (shape.start == Start::kValue && is_inside_base64) return {};
    FoundSecret found{.kind = shape.kind, .tail = &shape.tail};
    if (shape.before) {
        const auto begin = shape.before->match_backward(around.before);
        if (!begin) return {};
        found.behind = around.before.size() - *begin;
    }
    const auto end = shape.pattern.match(around.after);
    if (!end || secrets::is_sample_token(around.after.substr(0, *end))) return {};
    found.end = *end;
    return found;
}

namespace {

constexpr std::size_t kSpacesMax = 16;
constexpr text::ByteSet kSpace(" \t");
constexpr text::ByteSet kQuotes("\"'`");
constexpr text::ByteSet kLineEnd("\r\n");
constexpr text::ByteSet kSeparators(";&|");
constexpr text::ByteSet kStops =
    kSpace | kQuotes | kLineEnd | kSeparators | text::ByteSet("\v\f\\<>");

constexpr Tail kShellValue{~kStops};
constexpr Tail kBareValue{~(kStops | text::ByteSet(","))};
constexpr Tail kElementValue{~(kLineEnd | text::ByteSet("<"))};
constexpr Tail kEscapedValue{~(kLineEnd | text::ByteSet("\"'\\"))};
constexpr Tail kInDoubleQuotes{~(kLineEnd | text::ByteSet("\""))};
constexpr Tail kInSingleQuotes{~(kLineEnd | text::ByteSet("'"))};
constexpr Tail kInBackquotes{~(kLineEnd | text::ByteSet("`"))};

// Cuts things off the front of a text and counts.
class Cursor {
public:
    explicit Cursor(std::string_view text) noexcept : text_(text) {}

    std::size_t position() const noexcept { return at_; }
    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool on(const text::ByteSet& set) const noexcept {
        return at_ < text_.size() && set.has(text_[at_]);
    }

    std::size_t skip(const text::ByteSet& set, std::size_t most) noexcept {
        const std::size_t from = at_;
        while (at_ - from < most && on(set)) ++at_;
        return at_ - from;
    }
    bool skip(char c) noexcept {
        const bool there = at_ < text_.size() && text_[at_] == c;
        at_ += there ? 1 : 0;
        return there;
    }
    void go_back(std::size_t position) noexcept { at_ = position; }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

// A quote with the backslashes before it; the quote, or 0 and nothing is skipped.
char skip_quote(Cursor& cursor, bool& escaped) noexcept {
    const std::size_t from = cursor.position();
    escaped = cursor.skip(text::ByteSet("\\"), 3) > 0;
    const char quote = cursor.peek();
    if (cursor.skip(kQuotes, 1) == 1) return quote;
    cursor.go_back(from);
    return 0;
}

std::optional<Binding::Sign> skip_sign(Cursor& cursor, bool quoted_name) noexcept {
    if (cursor.skip('=')) {
        cursor.skip(text::ByteSet("=>"), 2);
        return Binding::Sign::kEqual;
    }
    if (cursor.skip(':')) {
        if (cursor.peek() == ':') return {};
        cursor.skip('=');
        return Binding::Sign::kColon;
    }
    if (quoted_name && cursor.skip(',')) return Binding::Sign::kComma;
    if (!quoted_name && cursor.skip('>')) return Binding::Sign::kElement;
    return {};
}

// Shells and URLs end a value at a separator, other files do not: what looks random across it is
// one value, unless another one follows, "a=1&b=2", or it is a condition, "a==b||c".
std::size_t end_across_separators(std::string_view text, std::size_t end,
                                  const text::ByteSet& bytes) noexcept {
    std::size_t further = end;
    while (further < std::min(text.size(), kValueExaminedMax) &&
           (bytes | kSeparators).has(text[further])) {
        const std::string_view here = text.substr(further);
        if (here.starts_with('=') || here.starts_with("||")) return end;
        ++further;
    }
    while (further > end && text[further - 1] == ';') --further;
    return further > end && secrets::looks_random(text.substr(0, further)) ? further : end;
}

}  // namespace

bool begins_with(std::string_view text, std::string_view lower_case) noexcept {
    if (text.size() < lower_case.size()) return false;
    return std::equal(lower_case.begin(), lower_case.end(), text.begin(),
                      [](char a, char b) { return a == lowered(b); });
}

std::optional<Binding> binding_at(std::string_view text) noexcept {
    Cursor cursor(text);
    bool escaped = false;
    const bool quoted_name = skip_quote(cursor, escaped) != 0;
    if (quoted_name) cursor.skip(']');
    const std::size_t spaces = cursor.skip(kSpace, kSpacesMax);
    const auto sign = skip_sign(cursor, quoted_name);
    if (!sign) return {};
    Binding binding{.sign = *sign};
    binding.tight = spaces + cursor.skip(kSpace, kSpacesMax) == 0;
    const std::size_t start = cursor.position();
    cursor.skip(text::ByteSet("bBrRuUfFLN@"), 2);
    binding.quote = skip_quote(cursor, binding.escaped);
    if (binding.quote == 0) cursor.go_back(start);
    binding.value = cursor.position();
    if (binding.sign == Binding::Sign::kComma && binding.quote == 0) return {};
    if (binding.sign == Binding::Sign::kElement && !binding.tight) return {};
    return binding;
}

Value value_at(std::string_view text, const Binding& binding, bool shell) noexcept {
    const Tail* tail = shell ? &kShellValue : &kBareValue;
    if (binding.sign == Binding::Sign::kElement) tail = &kElementValue;
    if (binding.quote == '"') tail = &kInDoubleQuotes;
    if (binding.quote == '\'') tail = &kInSingleQuotes;
    if (binding.quote == '`') tail = &kInBackquotes;
    if (binding.escaped) tail = &kEscapedValue;
    std::size_t end = 0;
    while (end < std::min(text.size(), kValueExaminedMax) && tail->bytes.has(text[end])) {
        // An escaped quote is part of the value.
        const bool escape = binding.quote != 0 && !binding.escaped && text[end] == '\\';
        end = std::min(end + (escape ? 2 : 1), text.size());
    }
    if (binding.sign == Binding::Sign::kElement) {
        const bool closed = text.substr(end).starts_with("</");
        return {text.substr(0, end), tail, closed || end == kValueExaminedMax};
    }
    if (binding.quote == 0) end = end_across_separators(text, end, tail->bytes);
    Cursor rest(text.substr(end));
    const bool spaced = rest.skip(kSpace, kSpacesMax) > 0;
    const bool alone = rest.position() + end == text.size() || rest.on(kLineEnd) ||
                       rest.on(text::ByteSet("\\")) || (spaced && rest.on(text::ByteSet("#"))) ||
                       (binding.tight && (spaced || rest.on(kQuotes | text::ByteSet("&"))));
    return {text.substr(0, end), tail, alone};
}

namespace {

using secrets::SecretWord;

constexpr std::size_t kNameRestMax = 48;
constexpr text::ByteSet kNameBytes = text::kWordBytes | text::ByteSet("-");
constexpr text::ByteSet kPlainName = text::kLower | text::kUpper | text::ByteSet("_-.");

// Ends with `lower_case` in any case.
bool ends_with(std::string_view text, std::string_view lower_case) noexcept {
    return text.size() >= lower_case.size() &&
           begins_with(text.substr(text.size() - lower_case.size()), lower_case);
}

bool ends_with_any(std::string_view text, std::span<const std::string_view> words) noexcept {
    if (!text.empty() && text::ByteSet("_-. ").has(text.back())) text.remove_suffix(1);
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return ends_with(text, word); });
}

bool stands_well(const SecretWord& word, const Surroundings& around) noexcept {
    const std::string_view before = around.before;
    switch (word.rest) {
        case SecretWord::Rest::kSeparate:
            return before.ends_with('_') || before.ends_with('-') ||
                   (!before.empty() && text::kLower.has(before.back()) &&
                    text::kUpper.has(around.after.front()));
        case SecretWord::Rest::kQualified:
            return ends_with_any(before, secrets::secret_qualifiers());
        case SecretWord::Rest::kAnything: break;
    }
    return !ends_with_any(before, secrets::harmless_qualifiers());
}

const SecretWord* word_at(const Surroundings& around) noexcept {
    for (const SecretWord& word : secrets::secret_words()) {
        if (begins_with(around.after, word.word))
            return stands_well(word, around) ? &word : nullptr;
    }
    return nullptr;
}

// True if a word of the name's rest, "_url" or "Length2", says that it names something else.
bool is_about(std::string_view rest) noexcept {
    std::array<char, kNameRestMax> word{};
    std::size_t size = 0;
    for (std::size_t i = 0; i <= rest.size(); ++i) {
        const char c = i < rest.size() ? rest[i] : '_';
        const bool hump = is_upper(c) && i > 0 && is_lower(rest[i - 1]);
        if (!is_letter(c) || hump) {
            if (secrets::is_about_a_secret({word.data(), size})) return true;
            size = 0;
        }
        if (is_letter(c)) word[size++] = lowered(c);
    }
    return false;
}

// Length of what the name has behind the word; nothing if the word goes on: "tokenize", "secrets".
std::optional<std::size_t> name_rest(std::string_view word, std::string_view rest) noexcept {
    if (rest.empty() || !kNameBytes.has(rest.front())) return 0;
    if (text::kLower.has(rest.front()) ||
        (text::kUpper.has(rest.front()) && text::kUpper.has(word.back())))
        return {};
    std::size_t size = 0;
    while (size < rest.size() && kNameBytes.has(rest[size])) {
        if (++size > kNameRestMax) return {};
    }
    if (is_about(rest.substr(0, size))) return {};
    return size;
}

bool is_upper_case(std::string_view name) noexcept {
    return std::none_of(name.begin(), name.end(), [](char c) { return text::kLower.has(c); });
}

// What stands before the name.
std::string_view before_name(std::string_view before) noexcept {
    while (!before.empty() && kNameBytes.has(before.back())) before.remove_suffix(1);
    return before;
}

// Whether such a name can have such a value at all.
bool fits(const Binding& binding, const Value& value, std::string_view before,
          std::string_view name) noexcept {
    if (before.ends_with("::")) return false;
    switch (binding.sign) {
        case Binding::Sign::kElement: return before.ends_with('<') && value.alone;
        // Else it is just a list of strings.
        case Binding::Sign::kComma: return is_upper_case(name);
        // Else it is a field of something like "a:token:b".
        case Binding::Sign::kColon:
            return binding.quote != 0 || !binding.tight || !before.ends_with(':');
        case Binding::Sign::kEqual: break;
    }
    return true;
}

// `member`: a dot stands before the name, as it does in code.
secrets::ValueForm form_of(const Binding& binding, std::string_view name, bool member) noexcept {
    if (binding.quote != 0 || binding.sign == Binding::Sign::kElement) {
        return secrets::ValueForm::kQuoted;
    }
    const bool shell =
        is_upper_case(name) && binding.tight && binding.sign == Binding::Sign::kEqual && !member;
    return shell ? secrets::ValueForm::kShell : secrets::ValueForm::kBare;
}

// "Server=db;User Id=sa;Password=X;": in code blanks would stand around the sign.
bool is_in_connection_string(const Binding& binding, std::string_view before) noexcept {
    if (before.ends_with(' ')) before.remove_suffix(1);
    return before.ends_with(';') && binding.tight && binding.sign == Binding::Sign::kEqual;
}

// In code, what stands behind "token =" is mostly another name: "token1", "rsa2048Token", "f(x)".
bool is_bare_value(const Value& value, std::string_view name, const SecretWord& word) noexcept {
    if (ends_with(value.examined, word.word) || value.examined.ends_with(name)) return false;
    return (value.alone && !begins_with(value.examined, word.word)) ||
           secrets::is_random(value.examined) || secrets::looks_random(value.examined);
}

// ("PASSWORD_ARGON2I", "argon2i") gives a name to a name, and so does "vmToken": "my_vmToken"; $PWD
// is where a shell stands.
bool names_something_else(std::string_view before, std::string_view name, const SecretWord& word,
                          std::string_view value) noexcept {
    const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    if (value.size() <= name.size() &&
        std::equal(value.rbegin(), value.rend(), name.rbegin(), same))
        return true;
    if (ends_with(value, word.word) && kPlainName.run(value) == value.size()) return true;
    return word.word == "pwd" && (before.ends_with('$') || before.ends_with("${"));
}

bool is_secret(std::string_view value, secrets::ValueForm form, const SecretWord& word) noexcept {
    if (secrets::is_secret_value(value, form)) return true;
    return form == secrets::ValueForm::kShell && word.kind == "password" &&
           secrets::is_passphrase(value);
}

bool stands_behind_keyword(std::string_view before) noexcept {
    constexpr std::string_view kKeywords[] = {"ENV ", "setenv ", "set -x ", "set -gx ", "set -Ux "};
    return std::any_of(std::begin(kKeywords), std::end(kKeywords),
                       [&](std::string_view each) { return before.ends_with(each); });
}

// "--token X", "ngrok config add-authtoken X", "ENV API_TOKEN X": a blank is all that stands
// between.
std::optional<Binding> binding_of_option(std::string_view line, std::string_view before,
                                         std::string_view name,
                                         std::string_view behind_name) noexcept {
    const bool is_option = before.starts_with("--") ||
                           (before.ends_with("auth") && name == "token") ||
                           (stands_behind_keyword(line) && is_upper_case(name));
    if (!is_option || !behind_name.starts_with(' ')) return {};
    const bool is_quoted = behind_name.substr(1).find_first_of("\"'") == 0;
    return Binding{
        .tight = true, .quote = is_quoted ? behind_name[1] : '\0', .value = is_quoted ? 2U : 1U};
}

// In a first pass, what was cut out of the value did not make a secret of it. The mark may begin in
// the examined part and end behind it.
bool was_judged(std::string_view text, const Value& value) noexcept {
    const std::string_view seen = text.substr(0, value.examined.size() + kMarkStart.size() - 1);
    return seen.find(kMarkStart) != std::string_view::npos;
}

}  // namespace

std::optional<FoundSecret> match_assignment(const Surroundings& around) noexcept {
    const SecretWord* word = word_at(around);
    if (word == nullptr) return {};
    const std::size_t size = word->word.size();
    const auto rest = name_rest(around.after.substr(0, size), around.after.substr(size));
    if (!rest) return {};
    const std::string_view behind_name = around.after.substr(size + *rest);
    const std::string_view name = around.after.substr(0, size + *rest);
    const std::string_view before = before_name(around.before);
    auto binding = binding_at(behind_name);
    if (!binding) {
        binding = binding_of_option(before, around.before.substr(before.size()), name, behind_name);
    }
    if (!binding) return {};
    const secrets::ValueForm form = form_of(*binding, name, before.ends_with('.'));
    const std::string_view behind_sign = behind_name.substr(binding->value);
    Value value = value_at(behind_sign, *binding, form == secrets::ValueForm::kShell);
    value.alone = value.alone || is_in_connection_string(*binding, before);
    if (was_judged(behind_sign, value)) return {};
    if (!fits(*binding, value, before, name)) return {};
    if (names_something_else(before, name, *word, value.examined)) return {};
    if (form == secrets::ValueForm::kBare && !is_bare_value(value, name, *word)) return {};
    if (!is_secret(value.examined, form, *word)) return {};
    const std::size_t begin = name.size() + binding->value;
    return FoundSecret{0, begin, begin + value.examined.size(), word->kind, value.tail};
}

namespace {

constexpr std::size_t kPasswordMin = 6;
constexpr std::size_t kAwsSecretBytes = 40;
constexpr std::size_t kAwsBetweenMax = 24;
constexpr text::ByteSet kAwsSecret = text::kAlnum | text::ByteSet("+/");
constexpr text::ByteSet kFieldEnd(" \t\r\n");
constexpr text::ByteSet kArgumentEnd(" \t\r\n\"'`;|&<>()\\");
constexpr Tail kFieldBytes{~kFieldEnd};
constexpr Tail kArgumentBytes{~kArgumentEnd};

// In a first pass nothing is seen of what stands before the last secret.
std::string_view since_mark(std::string_view text) noexcept {
    const std::size_t mark = text.rfind(kMarkStart);
    if (mark == text.npos) return text;
    return text.substr(std::min(text.find(']', mark), text.size() - 1) + 1);
}

std::string_view unfinished_line(std::string_view text) noexcept {
    const std::size_t end = text.find_last_of("\r\n");
    return end == text.npos ? text : text.substr(end + 1);
}

bool contains(std::string_view text, std::string_view word) noexcept {
    return text.find(word) != text.npos;
}

bool is_chosen(std::string_view value) noexcept {
    return secrets::is_secret_value(value, secrets::ValueForm::kShell) ||
           secrets::is_secret_value(value, secrets::ValueForm::kQuoted) ||
           secrets::is_passphrase(value);
}

bool is_all_digits(std::string_view value) noexcept {
    return text::kDigits.run(value) == value.size();
}

// The value at `at` of the text, as far as it is judged.
std::string_view value_seen(std::string_view text, std::size_t at, const Tail& tail) noexcept {
    const std::string_view seen = text.substr(std::min(at, text.size()), kValueExaminedMax);
    return seen.substr(0, tail.bytes.run(seen));
}

bool was_cut(std::string_view text, std::size_t at, std::string_view value) noexcept {
    return contains(text.substr(std::min(at, text.size()), value.size() + kMarkStart.size()),
                    kMarkStart);
}

// The words of a text from its end on, without the numbers of lines in a listing.
class Words {
public:
    explicit Words(std::string_view text) noexcept : rest_(text) {}

    std::string_view take_last() noexcept {
        while (true) {
            const std::size_t end = rest_.find_last_not_of(" \t\r\n") + 1;
            const bool before_tab = rest_.substr(end).starts_with('\t');
            const std::size_t begin = rest_.substr(0, end).find_last_of(" \t\r\n") + 1;
            const std::string_view word = rest_.substr(begin, end - begin);
            rest_ = rest_.substr(0, begin);
            if (word.empty() || !before_tab || !is_all_digits(word)) return word;
        }
    }

private:
    std::string_view rest_;
};

// The argument at `at`, or what of it stands behind `separator`.
std::optional<FoundSecret> match_argument(const Surroundings& around, std::size_t at,
                                          char separator, bool known) noexcept {
    if (at < around.after.size() && text::ByteSet("\"'").has(around.after[at])) ++at;
    std::string_view value = value_seen(around.after, at, kArgumentBytes);
    if (was_cut(around.after, at, value)) return {};
    if (separator != '\0') {
        const std::size_t end = value.find(separator);
        if (end == value.npos || value.substr(end).starts_with("://")) return {};
        at += end + 1;
        value.remove_prefix(end + 1);
    }
    // In a sentence: "-u user:PASSWORD, ...".
    const std::string_view judged = value.substr(0, value.find_last_not_of(",.:") + 1);
    // "-u 1000580000:1000580000" is a user and a group.
    if (is_all_digits(judged) || !is_chosen(judged)) return {};
    if (!known && !secrets::is_random(value)) return {};
    return FoundSecret{0, at, at + value.size(), "password", &kArgumentBytes};
}

std::optional<FoundSecret> match_user_and_password(const Surroundings& around, std::size_t at,
                                                   bool known) noexcept {
    while (at < around.after.size() && around.after[at] == ' ') ++at;
    return match_argument(around, at, ':', known);
}

// "docker login -u me", "az login"
bool logs_in(std::string_view command) noexcept {
    constexpr std::string_view kPrograms[] = {"docker", "podman", "nerdctl", "buildah", "skopeo",
                                              "helm",   "oras",   "az ",     "oc "};
    const std::size_t login = command.find(" login");
    return login != command.npos &&
           std::any_of(std::begin(kPrograms), std::end(kPrograms), [&](std::string_view each) {
               return contains(command.substr(0, login + 1), each);
           });
}

}  // namespace

std::optional<FoundSecret> match_option(const Surroundings& around) noexcept {
    const std::string_view line = unfinished_line(since_mark(around.before));
    const std::string_view command = line.substr(line.find_last_of(";|&") + 1);
    const char option = around.after[2];
    const bool spaced = around.after[3] == ' ';
    if (option == 'u') return match_user_and_password(around, 3, contains(line, "curl"));
    bool known = false;
    if (option == 'p') {
        known = contains(command, "sshpass") || contains(command, "mongo") || logs_in(command) ||
                (!spaced && (contains(line, "mysql") || contains(line, "mariadb") ||
                             contains(command, "7z ")));
    } else if (option == 'a') {
        known = contains(line, "redis-cli");
    } else if (option == 'w') {
        known = contains(command, "ldap");
    }
    std::size_t at = 3;
    while (at < around.after.size() && around.after[at] == ' ') ++at;
    return known ? match_argument(around, at, '\0', true) : std::nullopt;
}

std::optional<FoundSecret> match_long_user_option(const Surroundings& around) noexcept {
    const std::string_view line = unfinished_line(since_mark(around.before));
    constexpr std::string_view kName = "-user";
    const std::string_view behind =
        around.after.substr(std::min(kName.size(), around.after.size()));
    const bool is_option = around.after.starts_with(kName) && behind.size() > 1 &&
                           text::ByteSet(" =").has(behind.front());
    if (!is_option || !contains(line, "curl")) return {};
    return match_user_and_password(around, kName.size() + 1, true);
}

std::optional<FoundSecret> match_joined_options(const Surroundings& around) noexcept {
    const std::string_view line = unfinished_line(since_mark(around.before));
    constexpr std::size_t kBegin = 2;  // behind " -"
    const std::string_view options = around.after.substr(std::min(kBegin, around.after.size()), 3);
    const std::size_t last = options.find('u');
    const bool is_known = last != options.npos && last > 0 && contains(line, "curl");
    return is_known ? match_user_and_password(around, kBegin + last + 1, true) : std::nullopt;
}

std::optional<FoundSecret> match_netrc(const Surroundings& around) noexcept {
    constexpr std::string_view kName = "password";
    if (!around.after.starts_with(kName) || !begins_word(around.before)) return {};
    // Back over names and values to the name of the user.
    Words words(since_mark(around.before));
    std::string_view value;
    for (std::string_view name; name != "login";) {
        value = words.take_last();
        name = words.take_last();
        const bool is_entry = name == "login" || name == "account" || name == "port";
        if (!is_entry || value.empty()) return {};
    }
    if (value == "anonymous" || value == "ftp") return {};
    (void)words.take_last();
    const bool has_machine = words.take_last() == "machine";
    const std::size_t at =
        kName.size() + text::ByteSet(" \t").run(around.after.substr(kName.size()));
    if (at == kName.size()) return {};
    value = value_seen(around.after, at, kFieldBytes);
    if (value.size() < kPasswordMin || secrets::is_placeholder(value)) return {};
    // In running text a word follows: "login and password prompts".
    if (!has_machine && !is_chosen(value)) return {};
    if (was_cut(around.after, at, value)) return {};
    return FoundSecret{0, at, at + value.size(), "password", &kFieldBytes};
}

std::optional<FoundSecret> match_pgpass(const Surroundings& around) noexcept {
    constexpr text::ByteSet kName = text::kWordBytes | text::ByteSet(".-*");
    constexpr text::ByteSet kHost = kName | text::ByteSet("/");
    std::string_view host = unfinished_line(since_mark(around.before));
    std::size_t length = 0;
    while (length < host.size() && kHost.has(host[host.size() - 1 - length])) ++length;
    const std::string_view before = host.substr(0, host.size() - length);
    if (!around.after.starts_with(':') || length == 0 ||
        !(before.empty() || before.ends_with('\t') || before.ends_with('+'))) {
        return {};
    }
    std::size_t at = 1;
    for (int field = 0; field < 3; ++field) {
        const std::size_t run = kName.run(around.after.substr(at));
        at += run;
        if (run == 0 || at >= around.after.size() || around.after[at] != ':') return {};
        ++at;
    }
    const std::string_view value = value_seen(around.after, at, kFieldBytes);
    if (value.size() < kPasswordMin || secrets::is_placeholder(value)) return {};
    // A line of /etc/passwd has more fields. A colon in a password stands behind a backslash.
    for (std::size_t colon = value.find(':'); colon != value.npos;
         colon = value.find(':', colon + 1)) {
        if (colon == 0 || value[colon - 1] != '\\') return {};
    }
    const std::string_view behind = around.after.substr(at + value.size());
    if (value.size() < kValueExaminedMax && behind.find_first_of("\r\n") != 0 && !behind.empty()) {
        return {};
    }
    if (was_cut(around.after, at, value)) return {};
    return FoundSecret{0, at, at + value.size(), "password", &kFieldBytes};
}

TailStep pass_aws_key(std::string_view text) noexcept {
    constexpr text::ByteSet kKey = text::kUpper | text::kDigits;
    constexpr text::ByteSet kBetween(" \t\r\n,;|:\"'");
    const std::size_t key = kKey.run(text);
    if (key == text.size()) return {key, false};
    const std::size_t between = kBetween.run(text.substr(key, kAwsBetweenMax));
    std::string_view secret = text.substr(key + between);
    std::size_t margin = 0;
    // The number of the line in a listing.
    if (const std::size_t digits = text::kDigits.run(secret);
        secret.substr(digits).starts_with('\t')) {
        margin = digits + 1;
        secret.remove_prefix(margin);
    }
    const std::size_t size = kAwsSecret.run(secret);
    const std::string_view value = secret.substr(0, size);
    const auto has = [&](const text::ByteSet& set) {
        return std::any_of(value.begin(), value.end(), [&](char c) { return set.has(c); });
    };
    const bool is_secret = between > 0 && size == kAwsSecretBytes && has(text::kLower) &&
                           has(text::kUpper) && has(text::kDigits) &&
                           !secrets::is_placeholder(value);
    return {is_secret ? key + between + margin + size : key, true};
}

namespace {

constexpr std::size_t kLoneTokenMin = 20;
constexpr std::size_t kBearerMin = 20;
constexpr std::size_t kEncodedPairMin = 12;

constexpr text::ByteSet kUserInfo = text::ByteSet::range('!', '~');
constexpr Tail kToken{text::kWordBytes | text::ByteSet(".~+/=:-")};
constexpr Tail kNoMore{};

bool has(std::string_view text, const text::ByteSet& set) noexcept {
    return std::any_of(text.begin(), text.end(), [&](char c) { return set.has(c); });
}

bool has_digit_and_letter(std::string_view text) noexcept {
    return has(text, text::kDigits) && has(text, text::kLower | text::kUpper);
}

// Not a word: "dXNlcjpwYXNz" has no digit, but capitals where words have none.
bool is_encoded(std::string_view text) noexcept {
    return has_digit_and_letter(text) ||
           (has(text, text::kLower) && has(text.substr(1), text::kUpper));
}

// The hosts of documentation: nobody's password leads there.
bool is_sample_host(std::string_view host) noexcept {
    host = host.substr(0, host.find(':'));
    for (const std::string_view end : {".com", ".org", ".net"}) {
        if (host.ends_with(end)) host.remove_suffix(end.size());
    }
    return host == "example" || host.ends_with(".example");
}

// "root:root@localhost": a name without dots is a host of a test or of a composed set of services.
bool is_sample_pair(std::string_view user, std::string_view password,
                    std::string_view host) noexcept {
    host = host.substr(0, host.find(':'));
    const bool is_near = host.find('.') == host.npos || host == "127.0.0.1" || host == "0.0.0.0";
    return is_near && user == password;
}

bool is_url_password(std::string_view password) noexcept {
    // "user:pass@host" is how everybody explains it.
    const bool short_word =
        password.size() <= 4 && std::all_of(password.begin(), password.end(), [](char c) {
            return text::kLower.has(c) || text::kUpper.has(c);
        });
    // "xxxxx"; and brackets, which only a description of URLs has there.
    const bool filler = password.find_first_not_of(password.substr(0, 1)) == password.npos;
    return !filler && !short_word && !has(password, text::ByteSet("[]")) &&
           !secrets::is_placeholder(password);
}

bool is_url_user(std::string_view user) noexcept {
    return user.size() >= kLoneTokenMin && has_digit_and_letter(user) &&
           !secrets::is_placeholder(user);
}

bool is_base64(std::string_view text) noexcept {
    return has_digit_and_letter(text) && has(text, text::kLower) &&
           !has(text, text::ByteSet("_.:~-"));
}

using Test = bool (*)(std::string_view);

// The token at `at` of the text.
std::optional<FoundSecret> token_at(std::string_view text, std::size_t at, std::size_t least,
                                    Test test = has_digit_and_letter) noexcept {
    const std::string_view seen = text.substr(at, kValueExaminedMax);
    const std::string_view token = seen.substr(0, kToken.bytes.run(seen));
    if (token.size() < least || !test(token) || secrets::is_placeholder(token)) return {};
    // In a first pass, what was cut out behind it was part of it and did not make a token of it.
    if (text.substr(at + token.size()).starts_with(kMarkStart)) return {};
    return FoundSecret{0, at, at + token.size(), "authorization", &kToken};
}

}  // namespace

std::optional<FoundSecret> match_url(const Surroundings& around) noexcept {
    constexpr text::ByteSet kEnds("/?#\"'`<>\\|,;()");
    if (around.before.empty() || !text::kAlnum.has(around.before.back())) return {};
    constexpr std::size_t kStart = 3;
    const std::string_view rest = around.after.substr(kStart);
    std::size_t end = 0;
    while (end < rest.size() && kUserInfo.has(rest[end]) && !kEnds.has(rest[end])) ++end;
    const std::size_t at_sign = rest.substr(0, end).rfind('@');
    if (at_sign == std::string_view::npos) return {};
    const std::string_view info = rest.substr(0, at_sign);
    const std::size_t colon = info.find(':');
    const std::string_view host = rest.substr(at_sign + 1, end - at_sign - 1);
    if (colon != info.npos && is_sample_pair(info.substr(0, colon), info.substr(colon + 1), host)) {
        return {};
    }
    const bool secret = colon == std::string_view::npos
                            ? is_url_user(info)
                            : is_url_password(info.substr(colon + 1)) && !info.starts_with("[");
    if (!secret || is_sample_host(host)) return {};
    return FoundSecret{0, kStart, kStart + at_sign, "url-credentials", &kNoMore};
}

std::optional<FoundSecret> match_authorization(const Surroundings& around) noexcept {
    constexpr std::string_view kHeader = "authorization";
    constexpr std::string_view kSchemes[] = {"bearer ", "basic ", "token ", "apikey ", "key "};
    const bool header = begins_with(around.after, kHeader);
    const std::size_t name = header ? kHeader.size() : std::string_view("auth").size();
    const auto binding = binding_at(around.after.substr(name));
    if (!binding) return {};
    const std::size_t value = name + binding->value;
    if (!header) {
        const bool whole_name = around.before.empty() || !text::kAlnum.has(around.before.back());
        return whole_name && (binding->tight || binding->quote != 0)
                   ? token_at(around.after, value, kLoneTokenMin, is_base64)
                   : std::nullopt;
    }
    for (const std::string_view scheme : kSchemes) {
        if (!begins_with(around.after.substr(value), scheme)) continue;
        return token_at(around.after, value + scheme.size(), kEncodedPairMin, is_encoded);
    }
    return token_at(around.after, value, kLoneTokenMin, [](std::string_view token) {
        return has_digit_and_letter(token) && !secrets::is_dotted_name(token);
    });
}

std::optional<FoundSecret> match_signature(const Surroundings& around) noexcept {
    constexpr std::string_view kName = "sig=";
    constexpr std::size_t kDigitsOfSignature = 43;
    constexpr text::ByteSet kPlain = text::kAlnum | text::ByteSet("+/");
    if (!begins_word(around.before)) return {};
    const std::string_view text = around.after;
    std::size_t at = kName.size();
    // Takes one digit, or a mark, plain or encoded.
    const auto take = [&](const text::ByteSet& plain,
                          std::initializer_list<std::string_view> encoded) {
        const std::string_view rest = text.substr(at);
        if (!rest.empty() && plain.has(rest.front())) return ++at, true;
        for (const std::string_view code : encoded) {
            if (begins_with(rest, code)) return at += code.size(), true;
        }
        return false;
    };
    for (std::size_t i = 0; i < kDigitsOfSignature; ++i) {
        if (!take(kPlain, {"%2b", "%2f"})) return {};
    }
    const bool padded = take(text::ByteSet("="), {"%3d"});
    const std::string_view value = text.substr(kName.size(), at - kName.size());
    if (!padded || secrets::is_placeholder(value)) return {};
    return FoundSecret{0, kName.size(), at, "azure-signature", &kNoMore};
}

std::optional<FoundSecret> match_bearer(const Surroundings& around) noexcept {
    constexpr std::string_view kScheme = "bearer ";
    if (!begins_with(around.after, kScheme) || !begins_word(around.before)) return {};
    return token_at(around.after, kScheme.size(), kBearerMin);
}

}  // namespace paddock::secrets
