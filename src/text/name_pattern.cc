#include "text/name_pattern.h"

#include <algorithm>

namespace paddock::text {
namespace {

bool same(std::string_view a, std::string_view b, bool ignore_case) noexcept {
    if (!ignore_case) return a == b;
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return to_lower(x) == to_lower(y); });
}

}  // namespace

Outcome<NamePattern> NamePattern::parse(std::string_view& rest, PatternOptions options) {
    NamePattern pattern;
    pattern.options_ = options;
    const std::string_view name = rest.substr(0, rest.find('/'));
    if (name.find_first_of("*?[\\") == name.npos) {
        pattern.kind_ = Kind::kLiteral;
        pattern.text_ = name;
        rest.remove_prefix(name.size());
        return pattern;
    }
    while (!rest.empty() && rest[0] != '/' && !rest.starts_with("\\/")) {
        const char c = rest[0];
        if (c == '*') {
            pattern.add_star();
        } else if (c == '?') {
            pattern.tokens_.push_back({Step::kAnyOne});
        } else if (c == '[') {
            rest.remove_prefix(1);
            PADDOCK_ASSIGN(set, CharClass::parse(rest, options.unit));
            pattern.tokens_.push_back(
                {Step::kClass, static_cast<char32_t>(pattern.classes_.size())});
            pattern.classes_.push_back(std::move(set));
            continue;
        } else {
            if (c == '\\') rest.remove_prefix(1);
            if (rest.empty()) return refuse(Code::kInvalidArgument, "ends in a single backslash");
            pattern.tokens_.push_back({Step::kExact, take_unit(rest, options.unit)});
            continue;
        }
        rest.remove_prefix(1);
    }
    pattern.simplify();
    return pattern;
}

void NamePattern::add_star() {
    if (tokens_.empty() || tokens_.back().step != Step::kStar) tokens_.push_back({Step::kStar});
}

void NamePattern::simplify() {
    const auto is_exact = [](const Token& token) { return token.step == Step::kExact; };
    const auto exact =
        static_cast<std::size_t>(std::count_if(tokens_.begin(), tokens_.end(), is_exact));
    if (exact == tokens_.size()) {
        kind_ = Kind::kLiteral;
    } else if (exact + 1 == tokens_.size() && tokens_.front().step == Step::kStar) {
        kind_ = Kind::kSuffix;
    } else if (exact + 1 == tokens_.size() && tokens_.back().step == Step::kStar) {
        kind_ = Kind::kPrefix;
    }
    std::string run;
    for (const Token& token : tokens_) {
        if (is_exact(token)) {
            append_unit(run, token.value, options_.unit);
        } else {
            run.clear();
        }
        if (run.size() > text_.size()) text_ = run;
    }
    if (kind_ != Kind::kGeneral) tokens_.clear();
}

bool NamePattern::matches(std::string_view name) const noexcept {
    if (name.size() < text_.size()) return false;
    if (kind_ == Kind::kGeneral) {
        const bool may_hold = options_.ignore_case || name.find(text_) != std::string_view::npos;
        return may_hold && matches_tokens(name);
    }
    switch (kind_) {
        case Kind::kSuffix: name.remove_prefix(name.size() - text_.size()); break;
        case Kind::kPrefix: name = name.substr(0, text_.size()); break;
        default: break;
    }
    return same(name, text_, options_.ignore_case);
}

bool NamePattern::steps_over(const Token& token, char32_t unit) const noexcept {
    switch (token.step) {
        case Step::kExact:
            return token.value == unit ||
                   (options_.ignore_case && to_lower(token.value) == to_lower(unit));
        case Step::kAnyOne: return true;
        case Step::kClass: return classes_[token.value].contains(unit, options_.ignore_case);
        case Step::kStar: break;
    }
    return false;
}

// Only the last star ever has to take more: whatever an earlier one could take instead, the last
// one can take too.
bool NamePattern::matches_tokens(std::string_view name) const noexcept {
    const Token* const end = tokens_.data() + tokens_.size();
    const Token* at = tokens_.data();
    const Token* after_star = nullptr;
    std::string_view retry;
    for (;;) {
        if (at == end && name.empty()) return true;
        if (at != end && at->step == Step::kStar) {
            if (++at == end) return true;
            after_star = at;
            retry = name;
        } else if (at != end && !name.empty() && steps_over(*at, take_unit(name, options_.unit))) {
            ++at;
        } else if (after_star != nullptr && !name.empty()) {
            take_unit(retry, options_.unit);
            name = retry;
            at = after_star;
        } else {
            return false;
        }
    }
}

}  // namespace paddock::text
