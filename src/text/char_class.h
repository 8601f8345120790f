// What stands between the brackets of a pattern, "[a-z]", "[!x]", "[[:digit:]_]"; and the unit in
// which patterns and names are read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/outcome.h"

namespace paddock::text {

// Patterns of people and models count characters ("?" matches one letter in any script); git's
// ignore rules count bytes.
enum class Unit : std::uint8_t { kCharacter, kByte };

// Cuts the first unit off `rest`, which must not be empty. Where characters are counted, a stretch
// that is not UTF-8 counts as one; it is equal to the same bytes, and to no character.
inline char32_t take_unit(std::string_view& rest, Unit unit) noexcept;
// The other way round.
void append_unit(std::string& text, char32_t value, Unit unit);

// ASCII letters only; other scripts keep their case.
constexpr char32_t to_lower(char32_t c) noexcept { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
constexpr char32_t to_upper(char32_t c) noexcept { return c >= 'a' && c <= 'z' ? c - 32 : c; }

class CharClass {
public:
    // Reads up to and including the "]"; `rest` starts after the "[" and is left after the "]".
    // "]" is a member where it comes first, "\" makes the next one a member. Named classes are
    // those of POSIX, for ASCII. Refuses (invalid_argument) a class that does not end, an unknown
    // name and, where characters are counted, a range that runs backwards; git takes only the
    // first end of such a range.
    static Outcome<CharClass> parse(std::string_view& rest, Unit unit);

    bool contains(char32_t c, bool ignore_case) const noexcept;

private:
    Done add_named(std::string_view name);
    bool lists(char32_t c) const noexcept;

    std::vector<std::pair<char32_t, char32_t>> ranges_;
    bool negated_ = false;
};

char32_t take_beyond_ascii(std::string_view& rest) noexcept;

inline char32_t take_unit(std::string_view& rest, Unit unit) noexcept {
    const auto byte = static_cast<unsigned char>(rest[0]);
    if (byte >= 0x80 && unit == Unit::kCharacter) return take_beyond_ascii(rest);
    rest.remove_prefix(1);
    return byte;
}

}  // namespace paddock::text
