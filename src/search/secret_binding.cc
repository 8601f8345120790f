#include "search/secret_binding.h"

#include <algorithm>

#include "base/ascii.h"
#include "policy/secret_randomness.h"

namespace paddock::search {
namespace {

constexpr std::size_t kSpacesMax = 16;
constexpr ByteSet kSpace(" \t");
constexpr ByteSet kQuotes("\"'`");
constexpr ByteSet kLineEnd("\r\n");
constexpr ByteSet kSeparators(";&|");
constexpr ByteSet kStops = kSpace | kQuotes | kLineEnd | kSeparators | ByteSet("\v\f\\<>");

constexpr Tail kShellValue{~kStops};
constexpr Tail kBareValue{~(kStops | ByteSet(","))};
constexpr Tail kElementValue{~(kLineEnd | ByteSet("<"))};
constexpr Tail kEscapedValue{~(kLineEnd | ByteSet("\"'\\"))};
constexpr Tail kInDoubleQuotes{~(kLineEnd | ByteSet("\""))};
constexpr Tail kInSingleQuotes{~(kLineEnd | ByteSet("'"))};
constexpr Tail kInBackquotes{~(kLineEnd | ByteSet("`"))};

// Cuts things off the front of a text and counts.
class Cursor {
public:
    explicit Cursor(std::string_view text) noexcept : text_(text) {}

    std::size_t position() const noexcept { return at_; }
    char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool on(const ByteSet& set) const noexcept { return at_ < text_.size() && set.has(text_[at_]); }

    std::size_t skip(const ByteSet& set, std::size_t most) noexcept {
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
    escaped = cursor.skip(ByteSet("\\"), 3) > 0;
    const char quote = cursor.peek();
    if (cursor.skip(kQuotes, 1) == 1) return quote;
    cursor.go_back(from);
    return 0;
}

std::optional<Binding::Sign> skip_sign(Cursor& cursor, bool quoted_name) noexcept {
    if (cursor.skip('=')) {
        cursor.skip(ByteSet("=>"), 2);
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
                                  const ByteSet& bytes) noexcept {
    std::size_t further = end;
    while (further < std::min(text.size(), kValueExaminedMax) &&
           (bytes | kSeparators).has(text[further])) {
        const std::string_view here = text.substr(further);
        if (here.starts_with('=') || here.starts_with("||")) return end;
        ++further;
    }
    while (further > end && text[further - 1] == ';') --further;
    return further > end && policy::looks_random(text.substr(0, further)) ? further : end;
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
    cursor.skip(ByteSet("bBrRuUfFLN@"), 2);
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
                       rest.on(ByteSet("\\")) || (spaced && rest.on(ByteSet("#"))) ||
                       (binding.tight && (spaced || rest.on(kQuotes | ByteSet("&"))));
    return {text.substr(0, end), tail, alone};
}

}  // namespace paddock::search
