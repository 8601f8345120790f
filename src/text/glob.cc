#include "text/glob.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>

#include <paddock/limits.h>

#include "base/utf8.h"

namespace paddock::text {
namespace {

// Beyond Unicode: the bytes of a stretch that is no character, three at most, follow.
constexpr char32_t kNoCharacter = 0x80000000;

constexpr std::string_view kUnclosed = "has a '[' without its ']' (write \\[ for the character)";

struct NamedClass {
    std::string_view name;
    std::string_view ranges;  // first and last of each, in pairs
};

constexpr std::array<NamedClass, 12> kNamedClasses{{
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"blank", "  \t\t"},
    {"cntrl", {"\0\x1f\x7f\x7f", 4}},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"xdigit", "09AFaf"},
}};

// Cuts "[:name:]" off `rest`, if it starts with one.
std::optional<std::string_view> take_class_name(std::string_view& rest) {
    if (!rest.starts_with("[:")) return std::nullopt;
    const std::size_t end = rest.find(']', 3);
    if (end == std::string_view::npos || rest[end - 1] != ':') return std::nullopt;
    const std::string_view name = rest.substr(2, end - 3);
    rest.remove_prefix(end + 1);
    return name;
}

Outcome<char32_t> take_member(std::string_view& rest, Unit unit) {
    if (rest.starts_with('\\')) rest.remove_prefix(1);
    if (rest.empty()) return refuse(Code::kInvalidArgument, kUnclosed);
    return take_unit(rest, unit);
}

}  // namespace

char32_t take_beyond_ascii(std::string_view& rest) noexcept {
    const Character character = first_character(rest);
    char32_t stretch = 0;
    for (const char c : rest.substr(0, character.length)) {
        stretch = stretch << 8 | static_cast<unsigned char>(c);
    }
    rest.remove_prefix(character.length);
    return character.valid ? character.value : kNoCharacter | stretch;
}

void append_unit(std::string& text, char32_t value, Unit unit) {
    if (unit == Unit::kByte) {
        text += static_cast<char>(value);
    } else if (value < kNoCharacter) {
        append_utf8(text, value);
    } else {
        for (const int shift : {16, 8, 0}) {
            const auto byte = static_cast<unsigned char>(value >> shift);
            if (byte != 0) text += static_cast<char>(byte);
        }
    }
}

Outcome<CharClass> CharClass::parse(std::string_view& rest, Unit unit) {
    CharClass result;
    result.negated_ = rest.starts_with('!') || rest.starts_with('^');
    if (result.negated_) rest.remove_prefix(1);
    bool range_may_follow = false;
    for (bool first = true;; first = false) {
        if (rest.starts_with(']') && !first) {
            rest.remove_prefix(1);
            return result;
        }
        if (const auto name = take_class_name(rest)) {
            PADDOCK_TRY(result.add_named(*name));
            range_may_follow = false;
        } else if (range_may_follow && rest.size() > 1 && rest[0] == '-' && rest[1] != ']') {
            rest.remove_prefix(1);
            PADDOCK_ASSIGN(high, take_member(rest, unit));
            char32_t& end = result.ranges_.back().second;
            if (high < end && unit == Unit::kCharacter) {
                return refuse(Code::kInvalidArgument, "has a range that runs backwards");
            }
            end = std::max(end, high);
            range_may_follow = false;
        } else {
            PADDOCK_ASSIGN(member, take_member(rest, unit));
            result.ranges_.emplace_back(member, member);
            range_may_follow = true;
        }
    }
}

Done CharClass::add_named(std::string_view name) {
    const auto* named = std::find_if(kNamedClasses.begin(), kNamedClasses.end(),
                                     [&](const NamedClass& each) { return each.name == name; });
    if (named == kNamedClasses.end()) {
        return refuse(Code::kInvalidArgument, "names an unknown class in [[:name:]]");
    }
    for (std::size_t i = 0; i < named->ranges.size(); i += 2) {
        ranges_.emplace_back(named->ranges[i], named->ranges[i + 1]);
    }
    return {};
}

bool CharClass::lists(char32_t c) const noexcept {
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [c](const auto& range) { return c >= range.first && c <= range.second; });
}

bool CharClass::contains(char32_t c, bool ignore_case) const noexcept {
    const bool listed = lists(c) || (ignore_case && (lists(to_lower(c)) || lists(to_upper(c))));
    return listed != negated_;
}

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

namespace {

// Cuts "**" (or more stars) off `rest` if that is all up to the next slash or the end.
bool take_any_names(std::string_view& rest) {
    const std::size_t stars = std::min(rest.find_first_not_of('*'), rest.size());
    if (stars < 2 || (stars < rest.size() && rest[stars] != '/')) return false;
    rest.remove_prefix(stars);
    return true;
}

// A position in a path: where a name starts; one past the end after the last name.
std::size_t first_name(std::string_view path) { return path.empty() ? 1 : 0; }

std::string_view last_name(std::string_view path) {
    const void* const slash = ::memrchr(path.data(), '/', path.size());
    if (slash == nullptr) return path;
    return path.substr(static_cast<std::size_t>(static_cast<const char*>(slash) - path.data()) + 1);
}

std::string_view name_at(std::string_view path, std::size_t at) {
    return path.substr(at, path.find('/', at) - at);
}

std::size_t next_name(std::string_view path, std::size_t at) {
    return std::min(path.find('/', at), path.size()) + 1;
}

}  // namespace

bool PathPart::is_literal(std::string_view text) const noexcept {
    return !any_names && name.kind() == NamePattern::Kind::kLiteral && name.text() == text;
}

Outcome<std::vector<PathPart>> parse_parts(std::string_view pattern, PatternOptions options) {
    std::vector<PathPart> parts;
    for (;;) {
        PathPart& part = parts.emplace_back();
        part.any_names = take_any_names(pattern);
        if (!part.any_names) {
            PADDOCK_ASSIGN(name, NamePattern::parse(pattern, options));
            part.name = std::move(name);
        }
        if (pattern.empty()) return parts;
        pattern.remove_prefix(pattern[0] == '\\' ? 2 : 1);
    }
}

PathPattern::PathPattern(std::vector<PathPart> parts) : parts_(std::move(parts)) {
    const auto repeated = std::unique(
        parts_.begin(), parts_.end(),
        [](const PathPart& a, const PathPart& b) { return a.any_names && b.any_names; });
    parts_.erase(repeated, parts_.end());
    by_last_names_ = parts_.size() > 1 && parts_[0].any_names &&
                     std::none_of(parts_.begin() + 1, parts_.end(),
                                  [](const PathPart& part) { return part.any_names; });
}

bool PathPattern::matches_last_names(std::string_view path) const noexcept {
    for (std::size_t part = parts_.size() - 1; part > 0; --part) {
        if (path.empty()) return false;
        const std::string_view name = last_name(path);
        if (!parts_[part].name.matches(name)) return false;
        path.remove_suffix(std::min(name.size() + 1, path.size()));
    }
    return true;
}

bool PathPattern::matches(std::string_view path) const noexcept {
    return by_last_names_ ? matches_last_names(path) : matches(path, Extent::kWhole);
}

bool PathPattern::covers(std::string_view path) const noexcept {
    return !parts_.empty() && matches(path, Extent::kBeginning);
}

// Two positions that only move forward. After a mismatch the last "**" takes one name more; earlier
// ones never have to, as with stars in a name.
bool PathPattern::matches(std::string_view path, Extent extent) const noexcept {
    const bool is_whole = extent == Extent::kWhole;
    const std::size_t end = path.size() + 1;
    std::size_t at = first_name(path);
    std::size_t part = 0;
    std::size_t retry_part = 0;  // 0: no "**" yet
    std::size_t retry_at = 0;
    for (;;) {
        if (part == parts_.size()) {
            if (at == end || !is_whole) return true;
        } else if (parts_[part].any_names) {
            ++part;
            if (at == end || part == parts_.size()) return at != end;
            if (is_whole && part + 1 == parts_.size()) {
                const std::size_t last = path.rfind('/') + 1;
                return parts_[part].name.matches(path.substr(std::max(at, last)));
            }
            retry_part = part;
            retry_at = at;
            continue;
        } else if (at == end) {
            return false;
        } else if (parts_[part].name.matches(name_at(path, at))) {
            at = next_name(path, at);
            ++part;
            continue;
        }
        if (retry_part == 0) return false;
        retry_at = next_name(path, retry_at);
        at = retry_at;
        part = retry_part;
    }
}

bool PathPattern::may_match_below(std::string_view directory) const noexcept {
    std::size_t at = first_name(directory);
    for (const PathPart& part : parts_) {
        if (part.any_names || at > directory.size()) return true;
        if (!part.name.matches(name_at(directory, at))) return false;
        at = next_name(directory, at);
    }
    return false;
}

bool PathPattern::may_end_in(std::string_view name) const noexcept {
    if (parts_.empty()) return false;
    return parts_.back().any_names || parts_.back().name.matches(name);
}

namespace {

using Texts = std::vector<std::string>;

// One open brace: the alternatives that are complete, and the one being read, which is several
// texts itself once an inner brace was multiplied into it.
struct Frame {
    Texts complete;
    Texts current{std::string()};
};

constexpr Failure kTooManyAlternatives{Code::kLimitReached, 0,
                                       "has braces that expand to too many patterns"};

std::size_t bytes_of(const Texts& texts) {
    std::size_t bytes = 0;
    for (const std::string& text : texts) bytes += text.size() + 1;
    return bytes;
}

// Appends each of `endings` to each of `starts`.
Outcome<Texts> multiply(const Texts& starts, const Texts& endings) {
    const std::size_t bytes = bytes_of(starts) * endings.size() + bytes_of(endings) * starts.size();
    if (starts.size() * endings.size() > limits::kGlobAlternativesMax ||
        bytes > limits::kGlobExpandedBytesMax) {
        return kTooManyAlternatives;
    }
    Texts products;
    for (const std::string& start : starts) {
        for (const std::string& ending : endings) products.push_back(start + ending);
    }
    return products;
}

// What has to be taken as a whole at the start of `rest`: an escaped character, a class, one byte.
Outcome<std::string_view> take_piece(std::string_view& rest) {
    const std::string_view whole = rest;
    if (rest[0] == '[') {
        rest.remove_prefix(1);
        PADDOCK_TRY(CharClass::parse(rest, Unit::kCharacter));
    } else {
        rest.remove_prefix(rest[0] == '\\' && rest.size() > 1 ? 2 : 1);
    }
    return whole.substr(0, whole.size() - rest.size());
}

// The end of an alternative, by "," or "}".
Done complete_current(Frame& frame) {
    std::move(frame.current.begin(), frame.current.end(), std::back_inserter(frame.complete));
    frame.current.assign(1, std::string());
    if (frame.complete.size() > limits::kGlobAlternativesMax) return kTooManyAlternatives;
    return {};
}

// Normalises as paths are: "." and empty names go, ".." takes back the name before it.
Outcome<std::vector<PathPart>> inside_root(std::vector<PathPart> parts) {
    std::vector<PathPart> inside;
    for (PathPart& part : parts) {
        if (part.is_literal("") || part.is_literal(".")) continue;
        if (!part.is_literal("..")) {
            inside.push_back(std::move(part));
            continue;
        }
        // "**" may stand for no name at all, so that ".." after it may be the root's.
        if (inside.empty() || inside.back().any_names) return refuse(Code::kPathEscape);
        inside.pop_back();
    }
    return inside;
}

}  // namespace

Outcome<Texts> expand_braces(std::string_view pattern) {
    if (pattern.find_first_of("{}") == pattern.npos) return Texts{std::string(pattern)};
    std::vector<Frame> frames(1);
    for (std::string_view rest = pattern; !rest.empty();) {
        const bool inside = frames.size() > 1;
        PADDOCK_ASSIGN(piece, take_piece(rest));
        if (piece == "{") {
            frames.emplace_back();
        } else if (piece == "}") {
            if (!inside) {
                return refuse(Code::kInvalidArgument,
                              "has a '}' without its '{' (write \\} for the character)");
            }
            PADDOCK_TRY(complete_current(frames.back()));
            const Texts endings = std::move(frames.back().complete);
            frames.pop_back();
            PADDOCK_ASSIGN(products, multiply(frames.back().current, endings));
            frames.back().current = std::move(products);
        } else if (piece == "," && inside) {
            PADDOCK_TRY(complete_current(frames.back()));
        } else {
            for (std::string& text : frames.back().current) text += piece;
        }
    }
    if (frames.size() > 1) {
        return refuse(Code::kInvalidArgument,
                      "has a '{' without its '}' (write \\{ for the character)");
    }
    if (bytes_of(frames[0].current) > limits::kGlobExpandedBytesMax) return kTooManyAlternatives;
    return std::move(frames[0].current);
}

Outcome<Glob> Glob::compile(std::string_view pattern, GlobOptions options) {
    if (pattern.empty()) return refuse(Code::kInvalidArgument, "is an empty pattern");
    if (pattern.size() > limits::kPathBytesMax) {
        return refuse(Code::kLimitReached, "is too long for a pattern");
    }
    if (pattern.find('\0') != std::string_view::npos) {
        return refuse(Code::kInvalidArgument, "contains a NUL byte");
    }
    PADDOCK_ASSIGN(texts, expand_braces(pattern));
    Glob glob;
    for (const std::string& text : texts) {
        PADDOCK_ASSIGN(alternative, compile_one(text, options));
        glob.alternatives_.push_back(std::move(alternative));
    }
    return glob;
}

Outcome<Glob::Alternative> Glob::compile_one(std::string_view pattern, GlobOptions options) {
    if (pattern.starts_with('/') || pattern.starts_with("\\/")) {
        return refuse(Code::kPathEscape, "is absolute");
    }
    PADDOCK_ASSIGN(written, parse_parts(pattern, {Unit::kCharacter, options.ignore_case}));
    const bool directories_only = written.back().is_literal("");
    const bool has_slash = written.size() > (directories_only ? 2U : 1U);
    PADDOCK_ASSIGN(parts, inside_root(std::move(written)));
    if (options.any_depth && !has_slash && !parts.empty()) {
        parts.insert(parts.begin(), PathPart{true, {}});
    }
    return Alternative{PathPattern(std::move(parts)), directories_only};
}

bool Glob::matches(std::string_view path, bool is_directory) const noexcept {
    return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const auto& each) {
        return (is_directory || !each.directories_only) && each.pattern.matches(path);
    });
}

bool Glob::covers(std::string_view path) const noexcept {
    return std::any_of(alternatives_.begin(), alternatives_.end(),
                       [&](const auto& each) { return each.pattern.covers(path); });
}

bool Glob::may_match_below(std::string_view directory) const noexcept {
    return std::any_of(alternatives_.begin(), alternatives_.end(),
                       [&](const auto& each) { return each.pattern.may_match_below(directory); });
}

bool Glob::may_end_in(std::string_view name) const noexcept {
    return std::any_of(alternatives_.begin(), alternatives_.end(),
                       [&](const auto& each) { return each.pattern.may_end_in(name); });
}

std::string literal_pattern(std::string_view path) {
    constexpr std::string_view kSpecial = "*?[]{},\\";
    std::string pattern;
    for (const char c : path) {
        if (kSpecial.find(c) != kSpecial.npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

}  // namespace paddock::text
