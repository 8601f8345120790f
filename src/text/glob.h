// Path globs, as people and models write them: "*.c", "src/**/*.{cc,h}", "**/test_?.py".
//
//   ?  *        one character; any number of them; never "/"
//   **          as a whole name: any number of directories
//   [a-z] [!a]  a character of a set; "[^a]" is "[!a]"
//   {a,b/c,}    one of these; may be nested, empty and hold slashes
//   \x          the character x
//
// A final "/" asks for a directory. "./" at the start and "." and empty names are dropped, ".."
// takes back the name before it. Dots, "-" and "!" at the start mean nothing special.
//
// A Glob cannot leave the root: what is absolute or climbs out lexically, in any alternative, is
// refused as path_escape, and so is ".." after "**". Only ".." itself (or escaped, "\.\.") climbs;
// "[.][.]" and "@(..)" are patterns for names, and since no walk ever meets the name "..", they
// lead nowhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/outcome.h"

namespace paddock::text {

// What stands between the brackets of a pattern, "[a-z]", "[!x]", "[[:digit:]_]"; and the unit in
// which patterns and names are read.

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

// A pattern for one name, without slashes: "*.c", "?akefile", "[a-z]*".
//
// Matching never recurses and takes at most pattern length x name length steps; plain names and
// those with one "*" at either end are single comparisons. A dot at the start of a name is nothing
// special, hidden files are the caller's matter.
struct PatternOptions {
    Unit unit = Unit::kCharacter;
    bool ignore_case = false;  // ASCII letters
};

class NamePattern {
public:
    enum class Kind : std::uint8_t {
        kLiteral,  // "Makefile"
        kSuffix,   // "*.c", and "*" with an empty text
        kPrefix,   // "test_*"
        kGeneral,
    };

    // Reads up to the end or to a "/" (also written "\/") outside brackets; `rest` is left there.
    // invalid_argument: a class that CharClass refuses, a "\" at the end.
    static Outcome<NamePattern> parse(std::string_view& rest, PatternOptions options);

    bool matches(std::string_view name) const noexcept;

    Kind kind() const noexcept { return kind_; }
    // What the name equals, ends with, starts with or, for kGeneral, holds somewhere.
    const std::string& text() const noexcept { return text_; }

private:
    enum class Step : std::uint8_t { kExact, kAnyOne, kClass, kStar };
    struct Token {
        Step step;
        char32_t value = 0;  // kExact: the unit; kClass: its index
    };

    void add_star();
    void simplify();
    bool steps_over(const Token& token, char32_t unit) const noexcept;
    bool matches_tokens(std::string_view name) const noexcept;

    PatternOptions options_;
    Kind kind_ = Kind::kGeneral;
    std::string text_;
    std::vector<Token> tokens_;
    std::vector<CharClass> classes_;
};

// A pattern for a whole path: names joined by "/", where "**" (or more stars) as a whole name
// stands for any number of names, none included ("a/**/b" matches "a/b"); at the end it stands for
// at least one. Elsewhere
// "**" is "*".
//
// Paths are relative and normalised. Matching never recurses; each name of the path is compared at
// most once with each name of the pattern.
struct PathPart {
    bool any_names = false;  // "**"
    NamePattern name;        // else

    // True if only the name `text` matches.
    bool is_literal(std::string_view text) const noexcept;
};

// Cuts a pattern at its slashes, one part for each name, empty ones included. Errors: those of
// NamePattern::parse.
Outcome<std::vector<PathPart>> parse_parts(std::string_view pattern, PatternOptions options);

class PathPattern {
public:
    explicit PathPattern(std::vector<PathPart> parts);

    bool matches(std::string_view path) const noexcept;

    // Matches the path or a directory above it.
    bool covers(std::string_view path) const noexcept;

    // False if nothing below `directory` (empty: the root) can match.
    bool may_match_below(std::string_view directory) const noexcept;

    // False if no path that ends in this name can match.
    bool may_end_in(std::string_view name) const noexcept;

    const std::vector<PathPart>& parts() const noexcept { return parts_; }

private:
    enum class Extent : bool { kWhole, kBeginning };
    bool matches(std::string_view path, Extent extent) const noexcept;
    bool matches_last_names(std::string_view path) const noexcept;

    std::vector<PathPart> parts_;
    bool by_last_names_ = false;  // "**/name", "**/a/b"
};

struct GlobOptions {
    bool ignore_case = false;  // ASCII letters
    bool any_depth = false;    // a pattern without "/" (one at the end aside) matches at any depth
};

class Glob {
public:
    // Errors: path_escape; limit_reached (kGlob... in limits.h); invalid_argument for a pattern
    // that is empty, holds a NUL byte, or is malformed, with the reason. Bytes that are not UTF-8
    // match themselves.
    static Outcome<Glob> compile(std::string_view pattern, GlobOptions options = {});

    // `path` is relative to the root, normalised, without a final slash.
    bool matches(std::string_view path, bool is_directory) const noexcept;

    // Matches the path, taken for a directory, or one above it.
    bool covers(std::string_view path) const noexcept;

    // False if nothing below `directory` (empty: the root) can match: a walk need not enter it.
    bool may_match_below(std::string_view directory) const noexcept;

    // False if no path that ends in this name can match.
    bool may_end_in(std::string_view name) const noexcept;

private:
    struct Alternative {
        PathPattern pattern;
        bool directories_only = false;
    };

    static Outcome<Alternative> compile_one(std::string_view pattern, GlobOptions options);

    std::vector<Alternative> alternatives_;
};

// The patterns that "a{b,c}" stands for, "ab" and "ac", in order. Brackets and escapes are left as
// they are. Errors: invalid_argument, limit_reached.
Outcome<std::vector<std::string>> expand_braces(std::string_view pattern);

// The pattern that matches this path and nothing else.
std::string literal_pattern(std::string_view path);

}  // namespace paddock::text
