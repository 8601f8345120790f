// A pattern for one name, without slashes: "*.c", "?akefile", "[a-z]*".
//
// Matching never recurses and takes at most pattern length x name length steps; plain names and
// those with one "*" at either end are single comparisons. A dot at the start of a name is nothing
// special, hidden files are the caller's matter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/char_class.h"

namespace paddock::text {

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

}  // namespace paddock::text
