#include "text/char_class.h"

#include <algorithm>
#include <array>
#include <optional>

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

}  // namespace paddock::text
