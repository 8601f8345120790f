#include "secrets/known_values.h"

#include <algorithm>
#include <array>

#include <paddock/limits.h>

#include "base/text.h"
#include "base/utf8.h"
#include "secrets/scanner.h"
#include "secrets/value.h"

namespace paddock::secrets {
namespace {

constexpr std::size_t kSpelledBytesMax = 12;  // a surrogate pair, "\\ud83d\\ude00"
constexpr std::size_t kJsonGrowth = 6;        // "\\u0041" for "A"

// One way to write the next bytes of a value; hexadecimal digits in small letters.
struct Spelling {
    std::array<char, kSpelledBytesMax> bytes{};
    std::size_t size = 0;
    std::size_t spelled = 1;  // bytes of the value

    void add(char c) noexcept { bytes[size++] = c; }
    void add_hex(unsigned number, int digits) noexcept {
        while (digits-- > 0) add("0123456789abcdef"[number >> 4 * digits & 15U]);
    }
    void add_octal(unsigned number) noexcept {
        for (const int shift : {6, 3, 0}) add(static_cast<char>('0' + (number >> shift & 7U)));
    }
    // Digits have two cases, what stands before them has one.
    bool agrees(std::size_t i, char c) const noexcept {
        return bytes[i] == c || (size > 2 && bytes[i] == lowered(c));
    }
};

// What a backslash makes of it, or 0.
char short_escape(char c) noexcept {
    switch (c) {
        case '\n': return 'n';
        case '\r': return 'r';
        case '\t': return 't';
        case '\b': return 'b';
        case '\f': return 'f';
        case '\a': return 'a';
        case '\v': return 'v';
        case '"':
        case '\'':
        case '/':
        case '\\': return c;
        default: return 0;
    }
}

Spelling unicode_escape(const Character& character) noexcept {
    const auto code = static_cast<unsigned>(character.value);
    const unsigned above = code - 0x10000;
    Spelling escape;
    escape.spelled = character.length;
    for (const unsigned unit : {0xd800 + (above >> 10), 0xdc00 + (above & 0x3ffU)}) {
        escape.add('\\');
        escape.add('u');
        escape.add_hex(code < 0x10000 ? code : unit, 4);
        if (code < 0x10000) break;
    }
    return escape;
}

// The digits that depend on `value` alone when `shift` bytes (0 to 2) of its group come before it.
std::string base64_inside(std::string_view value, std::size_t shift, std::string_view last_two) {
    constexpr std::string_view kDigits62 =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    std::string digits;
    unsigned bits = 0;
    std::size_t held = shift * 8;
    for (const char c : value) {
        bits = bits << 8 | static_cast<unsigned char>(c);
        held += 8;
        for (; held >= 6; held -= 6) {
            const unsigned digit = bits >> (held - 6) & 63U;
            digits += digit < 62 ? kDigits62[digit] : last_two[digit - 62];
        }
    }
    // The bytes before the value take part in the digits that their bits reach.
    return digits.substr((shift * 8 + 5) / 6);
}

// Those of a value that has several, without the blanks around them. Short ones would tear ordinary
// text apart; the first and the last of a private key are what others are known by.
std::vector<std::string_view> lines_of(std::string_view value) {
    constexpr std::string_view kBlanks = " \t\r";
    std::vector<std::string_view> lines;
    if (value.find('\n') == std::string_view::npos) return lines;
    while (!value.empty()) {
        std::string_view line = value.substr(0, value.find('\n'));
        value.remove_prefix(std::min(line.size() + 1, value.size()));
        line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
        line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
        const bool usable =
            line.size() >= limits::kKnownSecretBytesMin && !line.starts_with("----");
        if (usable && std::find(lines.begin(), lines.end(), line) == lines.end()) {
            lines.push_back(line);
        }
    }
    return lines;
}

Done check(const KnownSecret& secret) {
    constexpr text::ByteSet kNameBytes = text::kWordBytes | text::ByteSet("-.");
    const bool named = !secret.name.empty() && secret.name.size() <= limits::kComponentBytesMax &&
                       std::all_of(secret.name.begin(), secret.name.end(),
                                   [&](char c) { return kNameBytes.has(c); });
    if (!named) return refuse(Code::kInvalidArgument, "the name of a secret is not a plain word");
    if (secret.value.size() < limits::kKnownSecretBytesMin ||
        secret.value.size() > limits::kKnownSecretBytesMax) {
        return refuse(Code::kInvalidArgument, "the value of a secret is too short or too long");
    }
    return {};
}

}  // namespace

struct KnownSecrets::Spellings {
    std::array<Spelling, 3> ways{};
    std::size_t count = 0;

    Spelling& add() noexcept { return ways[count++]; }
    std::span<const Spelling> all() const noexcept { return {ways.data(), count}; }
};

// A byte that begins what is encoded is never written as it is, so there is one way to read a text.
KnownSecrets::Spellings KnownSecrets::spellings(std::string_view value, Writing writing) noexcept {
    Spellings made;
    const char c = value.front();
    const bool slashed = writing == Writing::kJson || writing == Writing::kOctal;
    const bool begins_code = (writing == Writing::kPercent && c == '%') || (slashed && c == '\\');
    if (!begins_code) made.add().add(c);
    if (writing == Writing::kPercent) {
        Spelling& encoded = made.add();
        encoded.add('%');
        encoded.add_hex(static_cast<unsigned char>(c), 2);
        if (c == ' ') made.add().add('+');
    }
    if (const char escape = short_escape(c); slashed && escape != 0) {
        Spelling& escaped = made.add();
        escaped.add('\\');
        escaped.add(escape);
    }
    if (writing == Writing::kOctal) {
        Spelling& escaped = made.add();
        escaped.add('\\');
        escaped.add_octal(static_cast<unsigned char>(c));
    }
    if (writing == Writing::kJson) {
        const Character character = first_character(value);
        if (character.valid) made.add() = unicode_escape(character);
    }
    return made;
}

KnownSecrets::Walk KnownSecrets::walk(const Form& form, std::string_view text) noexcept {
    std::string_view value = form.text;
    Walk walk;
    while (!value.empty()) {
        const std::string_view rest = text.substr(walk.length);
        if (rest.empty()) return {walk.length, false, true};
        if (rest.front() == value.front() && rest.front() != '%' && rest.front() != '\\') {
            ++walk.length;
            value.remove_prefix(1);
            continue;
        }
        const Spellings ways = spellings(value, form.writing);
        const Spelling* taken = nullptr;
        for (const Spelling& way : ways.all()) {
            std::size_t same = 0;
            while (same < std::min(way.size, rest.size()) && way.agrees(same, rest[same])) ++same;
            if (same == way.size) taken = &way;
            if (same == rest.size() && same < way.size) return {text.size(), false, true};
        }
        if (taken == nullptr) return walk;
        walk.length += taken->size;
        value.remove_prefix(taken->spelled);
    }
    walk.whole = true;
    return walk;
}

// The first bytes of every way to write `value` behind what has `begun`.
void KnownSecrets::add_leads(std::string_view value, Writing writing, const Lead& begun,
                             std::size_t filled, std::vector<Lead>& leads) {
    if (filled == kLeadBytes) return leads.push_back(begun);
    const Spellings ways = spellings(value, writing);
    for (const Spelling& way : ways.all()) {
        Lead lead = begun;
        const std::size_t fits = std::min(way.size, kLeadBytes - filled);
        for (std::size_t i = 0; i < fits; ++i) {
            const char c = way.bytes[i];
            lead[filled + i].add(c);
            if (way.size > 2 && is_lower(c)) lead[filled + i].add(static_cast<char>(c - 'a' + 'A'));
        }
        add_leads(value.substr(way.spelled), writing, lead, filled + fits, leads);
    }
}

void KnownSecrets::add_forms(std::string_view value, const std::string& name) {
    for (const Writing writing : {Writing::kExact, Writing::kPercent, Writing::kJson}) {
        forms_.push_back({std::string(value), name, writing});
    }
    constexpr text::ByteSet kShown = text::ByteSet::range(' ', '~');
    if (kShown.run(value) < value.size()) {
        forms_.push_back({std::string(value), name, Writing::kOctal});
    }
}

Outcome<KnownSecrets> KnownSecrets::compile(std::span<const KnownSecret> secrets) {
    if (secrets.size() > limits::kKnownSecretsMax) {
        return refuse(Code::kInvalidArgument, "too many secrets");
    }
    KnownSecrets known;
    for (const KnownSecret& secret : secrets) {
        PADDOCK_TRY(check(secret));
        known.add_forms(secret.value, secret.name);
        for (const std::string_view line : lines_of(secret.value)) {
            known.add_forms(line, secret.name);
        }
        for (const std::string_view last_two : {"+/", "-_"}) {
            for (const std::size_t shift : {0U, 1U, 2U}) {
                known.forms_.push_back(
                    {base64_inside(secret.value, shift, last_two), secret.name, Writing::kExact});
            }
        }
    }
    std::stable_sort(known.forms_.begin(), known.forms_.end(),
                     [](const Form& a, const Form& b) { return a.text.size() > b.text.size(); });
    std::vector<Lead> leads;
    for (const Form& form : known.forms_) {
        const std::size_t growth = form.writing == Writing::kExact ? 1 : kJsonGrowth;
        known.longest_ = std::max(known.longest_, form.text.size() * growth);
        add_leads(form.text, form.writing, {}, 0, leads);
        known.owners_.resize(leads.size(), static_cast<std::size_t>(&form - known.forms_.data()));
    }
    known.filter_.emplace(leads);
    return known;
}

std::optional<FoundSecret> KnownSecrets::match(std::size_t lead,
                                               const Surroundings& around) const noexcept {
    static constexpr Tail kNoMore{};
    const Form& form = forms_[owners_[lead]];
    const Walk found = walk(form, around.after);
    if (!found.whole) return {};
    return FoundSecret{0, 0, found.length, form.name, &kNoMore};
}

std::size_t KnownSecrets::begun_at_end_of(std::string_view text) const noexcept {
    for (std::size_t most = std::min(longest_, text.size()); most > kLeadBytes; --most) {
        const std::string_view end = text.substr(text.size() - most);
        if (std::any_of(forms_.begin(), forms_.end(),
                        [&](const Form& form) { return walk(form, end).cut; })) {
            return most;
        }
    }
    return 0;
}

namespace {

constexpr std::size_t kValueMin = 8;
constexpr std::size_t kRandomWordMin = 16;
// A stream holds back as much as the longest one takes when it is escaped.
constexpr std::size_t kPieceMax = 128;

bool is_telling(std::string_view value) {
    if (value.size() < kValueMin || secrets::is_placeholder(value)) return false;
    if (secrets::looks_random(value)) return true;
    const auto has = [&](const text::ByteSet& set) {
        return std::any_of(value.begin(), value.end(), [&](char c) { return set.has(c); });
    };
    return has(text::kDigits) && has(text::kLower | text::kUpper) &&
           secrets::is_secret_value(value, secrets::ValueForm::kQuoted);
}

void add_pieces(std::string_view value, std::vector<std::string>& values) {
    while (!value.empty()) {
        // The last piece is never too short to be known.
        const std::size_t size = value.size() <= kPieceMax              ? value.size()
                                 : value.size() < kPieceMax + kValueMin ? kPieceMax - kValueMin
                                                                        : kPieceMax;
        values.emplace_back(value.substr(0, size));
        value.remove_prefix(size);
    }
}

void add_secret(std::string_view secret, std::vector<std::string>& values) {
    constexpr std::string_view kBlanks = " \t\r";
    for (std::size_t begin = 0; begin < secret.size();) {
        const std::size_t end = std::min(secret.find('\n', begin), secret.size());
        std::string_view line = secret.substr(begin, end - begin);
        begin = end + 1;
        line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
        line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
        // Of a user and a password the password.
        if (const std::size_t colon = line.find(':'); colon != line.npos) {
            if (is_telling(line.substr(colon + 1))) add_pieces(line.substr(colon + 1), values);
        } else if (is_telling(line) && !line.starts_with("----")) {
            add_pieces(line, values);
        }
    }
}

}  // namespace

std::vector<std::string> denied_values(std::string_view text) {
    constexpr text::ByteSet kWord = text::kWordBytes | text::ByteSet("+/=.~-");
    std::vector<std::string> values;
    if (!is_utf8(text) || text.find('\0') != text.npos) return values;
    for (const std::string_view secret : SecretScanner::secrets_in(text)) {
        add_secret(secret, values);
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string_view word = text.substr(at, kWord.run(text.substr(at)));
        at += word.size();
        // "NAME=value"
        if (const std::size_t equals = word.find('='); equals < word.size() / 2) {
            word.remove_prefix(equals + 1);
        }
        if (word.size() < kRandomWordMin || word.size() > kPieceMax) continue;
        if (secrets::looks_random(word) && is_telling(word)) values.emplace_back(word);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

}  // namespace paddock::secrets
