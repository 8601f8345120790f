#include "search/secret_assignment.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "policy/secret_randomness.h"
#include "policy/secret_value.h"
#include "search/secret_binding.h"

namespace paddock::search {
namespace {

using policy::SecretWord;

constexpr std::size_t kNameRestMax = 48;
constexpr ByteSet kNameBytes = kWordBytes | ByteSet("-");
constexpr ByteSet kPlainName = kLower | kUpper | ByteSet("_-.");

// Ends with `lower_case` in any case.
bool ends_with(std::string_view text, std::string_view lower_case) noexcept {
    return text.size() >= lower_case.size() &&
           begins_with(text.substr(text.size() - lower_case.size()), lower_case);
}

bool ends_with_any(std::string_view text, std::span<const std::string_view> words) noexcept {
    if (!text.empty() && ByteSet("_-. ").has(text.back())) text.remove_suffix(1);
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return ends_with(text, word); });
}

bool stands_well(const SecretWord& word, const Surroundings& around) noexcept {
    const std::string_view before = around.before;
    switch (word.rest) {
        case SecretWord::Rest::kSeparate:
            return before.ends_with('_') || before.ends_with('-') ||
                   (!before.empty() && kLower.has(before.back()) &&
                    kUpper.has(around.after.front()));
        case SecretWord::Rest::kQualified:
            return ends_with_any(before, policy::secret_qualifiers());
        case SecretWord::Rest::kAnything: break;
    }
    return !ends_with_any(before, policy::harmless_qualifiers());
}

const SecretWord* word_at(const Surroundings& around) noexcept {
    for (const SecretWord& word : policy::secret_words()) {
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
            if (policy::is_about_a_secret({word.data(), size})) return true;
            size = 0;
        }
        if (is_letter(c)) word[size++] = lowered(c);
    }
    return false;
}

// Length of what the name has behind the word; nothing if the word goes on: "tokenize", "secrets".
std::optional<std::size_t> name_rest(std::string_view word, std::string_view rest) noexcept {
    if (rest.empty() || !kNameBytes.has(rest.front())) return 0;
    if (kLower.has(rest.front()) || (kUpper.has(rest.front()) && kUpper.has(word.back())))
        return {};
    std::size_t size = 0;
    while (size < rest.size() && kNameBytes.has(rest[size])) {
        if (++size > kNameRestMax) return {};
    }
    if (is_about(rest.substr(0, size))) return {};
    return size;
}

bool is_upper_case(std::string_view name) noexcept {
    return std::none_of(name.begin(), name.end(), [](char c) { return kLower.has(c); });
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
policy::ValueForm form_of(const Binding& binding, std::string_view name, bool member) noexcept {
    if (binding.quote != 0 || binding.sign == Binding::Sign::kElement) {
        return policy::ValueForm::kQuoted;
    }
    const bool shell =
        is_upper_case(name) && binding.tight && binding.sign == Binding::Sign::kEqual && !member;
    return shell ? policy::ValueForm::kShell : policy::ValueForm::kBare;
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
           policy::is_random(value.examined) || policy::looks_random(value.examined);
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

bool is_secret(std::string_view value, policy::ValueForm form, const SecretWord& word) noexcept {
    if (policy::is_secret_value(value, form)) return true;
    return form == policy::ValueForm::kShell && word.kind == "password" &&
           policy::is_passphrase(value);
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
    const policy::ValueForm form = form_of(*binding, name, before.ends_with('.'));
    const std::string_view behind_sign = behind_name.substr(binding->value);
    Value value = value_at(behind_sign, *binding, form == policy::ValueForm::kShell);
    value.alone = value.alone || is_in_connection_string(*binding, before);
    if (was_judged(behind_sign, value)) return {};
    if (!fits(*binding, value, before, name)) return {};
    if (names_something_else(before, name, *word, value.examined)) return {};
    if (form == policy::ValueForm::kBare && !is_bare_value(value, name, *word)) return {};
    if (!is_secret(value.examined, form, *word)) return {};
    const std::size_t begin = name.size() + binding->value;
    return FoundSecret{0, begin, begin + value.examined.size(), word->kind, value.tail};
}

}  // namespace paddock::search
