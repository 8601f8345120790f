#include "search/secret_match.h"

#include <paddock/limits.h>

#include <algorithm>
#include <string>

#include "base/check.h"
#include "policy/secret_value.h"
#include "search/line_join.h"
#include "search/secret_assignment.h"
#include "search/secret_block.h"
#include "search/secret_context.h"
#include "search/secret_url.h"

namespace paddock::search {
namespace {

constexpr ByteSet kHex = kDigits | ByteSet("abcdefABCDEF");

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
    const auto ends = [&](std::string_view start, const ByteSet& digits, std::size_t count) {
        if (before.size() < count) return false;
        const std::size_t at = before.size() - count;
        return digits.run(before.substr(at)) == count && before.substr(0, at).ends_with(start);
    };
    return ends("\\", ByteSet("abefnrtv0"), 1) || ends("\\", ByteSet::range('0', '7'), 3) ||
           ends("\\x", kHex, 2) || ends("\\u", kHex, 4) || ends("%", kHex, 2);
}

}  // namespace

bool begins_word(std::string_view before) noexcept {
    if (before.empty()) return true;
    const char last = before.back();
    if (!kWordBytes.has(last) && last != '-') return true;
    if (ends_with_escape(before)) return true;
    if (last != 'm') return false;
    before.remove_suffix(1);
    while (!before.empty() && (kDigits.has(before.back()) || before.back() == ';')) {
        before.remove_suffix(1);
    }
    return before.ends_with("\x1b[");
}

SecretMatcher::SecretMatcher() {
    for (const policy::SecretShape& shape : policy::secret_shapes()) {
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
    for (const policy::SecretWord& word : policy::secret_words()) {
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
    using Start = policy::SecretShape::Start;
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
    if (!end || policy::is_sample_token(around.after.substr(0, *end))) return {};
    found.end = *end;
    return found;
}

}  // namespace paddock::search
