// Is this value, found where a secret is expected, one? Pure decisions on text.
//
// Names alone do not decide: source code is full of `password = get_password()`, `"token":
// "string"` and `SECRET=changeme`. What these let through looks random, or is
// at least not a word.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text.h"

namespace paddock::secrets {

// Does a text look drawn at random, rather than named by someone? Pure.
//
// The idea: look at its pairs of neighbours. Words and names are made of letters that often follow
// each other ("th", "er"), begin a new word after some letters only ("newToken", not "nEwT"), and
// have digits at the end of a word ("sha256"). A pair that they do not have is odd: few of a name
// are, and about half of random text.
//
// Does not tell a name from what someone made up ("Winter2024x") or from random digits.

// For each letter, what often follows it in the words and abbreviations of source code.
inline constexpr std::string_view kFollowers[] = {
    /* a */ "bcdfgiklmnprstuvy",
    /* b */ "aceilorsu",
    /* c */ "acehiklmoprstu",
    /* d */ "acdeilmorsu",
    /* e */ "abcdefgilmnopqrstvwxy",
    /* f */ "aefilorstu",
    /* g */ "aehilnoprsu",
    /* h */ "aeiort",
    /* i */ "abcdefglmnoprstvxz",
    /* j */ "aeosuw",
    /* k */ "aeilnsy",
    /* l */ "adeiklostuy",
    /* m */ "abcdeimopsu",
    /* n */ "acdefgiklnostuv",
    /* o */ "abcdfgiklmnoprstuvw",
    /* p */ "acdehiloprstuw",
    /* q */ "lu",
    /* r */ "abcdefgiklmnoprstuvy",
    /* s */ "acehiklmopqrstuwy",
    /* t */ "acefhiloprstuwy",
    /* u */ "abcdefilmnprst",
    /* v */ "aeio",
    /* w */ "adeior",
    /* x */ "acept",
    /* y */ "eopst",
    /* z */ "aeo",
};

inline constexpr std::array<std::uint32_t, 26> kFollowerBits = [] {
    std::array<std::uint32_t, 26> bits{};
    for (std::size_t i = 0; i < bits.size(); ++i) {
        for (const char c : kFollowers[i]) bits[i] |= std::uint32_t{1} << (c - 'a');
    }
    return bits;
}();

// Two letters. "abcd" and "aabb" are nothing random either.
constexpr bool follows_often(char first, char second) noexcept {
    const int from = lowered(first) - 'a';
    const int to = lowered(second) - 'a';
    if (to == from || to == from + 1) return true;
    return (kFollowerBits[static_cast<std::size_t>(from)] >> to & 1U) != 0;
}

// What joins words: "some-name", "a.b", "x::y", "a/b".
constexpr bool joins_words(char c) noexcept {
    return std::string_view("_-./:").find(c) != std::string_view::npos;
}

// ASCII that is neither letter, digit, blank nor joins words.
constexpr bool is_mark(char c) noexcept {
    return c > ' ' && c < 127 && !is_letter(c) && !is_digit(c) && !joins_words(c);
}

// How many of its bytes stand oddly behind the one before. Other alphabets than ASCII never do.
constexpr std::size_t odd_pairs(std::string_view text) noexcept {
    constexpr std::size_t kWordLettersMin = 3;
    std::size_t odd = 0;
    std::size_t letters = 0;  // of the word so far
    char before = '_';
    for (const char c : text) {
        const bool new_word = is_upper(c) && is_lower(before);
        bool is_odd = false;
        if (!is_letter(c)) {
            is_odd = is_mark(c);
        } else if (is_letter(before)) {
            is_odd = new_word ? letters < kWordLettersMin : !follows_often(before, c);
        } else {
            is_odd = is_digit(before);
        }
        odd += is_odd ? 1 : 0;
        letters = is_letter(c) ? (new_word ? 1 : letters + 1) : 0;
        before = c;
    }
    return odd;
}

// True if about a quarter of it is odd; a sixth, if it mixes small letters, capitals and digits.
// Shorter text does not tell.
constexpr bool looks_random(std::string_view text) noexcept {
    constexpr std::size_t kTellingBytesMin = 12;
    if (text.size() < kTellingBytesMin) return false;
    const auto has = [&](auto is) { return std::any_of(text.begin(), text.end(), is); };
    const bool mixed = has(is_lower) && has(is_upper) && has(is_digit);
    return odd_pairs(text) >= (text.size() + 1) / (mixed ? 6 : 4);
}

// How the value is written, from the surest sign of data to the surest sign of code.
enum class ValueForm : std::uint8_t {
    kShell,   // NAME=value, an upper-case name and no spaces: environment files, shells, logs
    kQuoted,  // "name": "value", name = 'value', <name>value</name>
    kBare,    // name: value, name = value, name=value
};

// True for the value of a variable whose name is that of a secret.
bool is_secret_value(std::string_view value, ValueForm form) noexcept;

// True for words and numbers joined by "-": "monkey-dragon-42". Only what is called a password can
// be one; anything else so written is a name.
bool is_passphrase(std::string_view value) noexcept;

// True for what no one would call a variable or write by hand.
bool is_random(std::string_view value) noexcept;

// True for names joined by dots, the first of them a word: "crypto.keys.Ed25519Key".
bool is_dotted_name(std::string_view text) noexcept;

// True for what stands for a value: "${TOKEN}", "<token>", "xxxx", "changeme", "" and marks of the
// scanner itself. Text that looks random is one only if it is clearly a template.
bool is_placeholder(std::string_view value) noexcept;

// True if text in the shape of a token is made up for documentation: "AKIA...EXAMPLE", "ghp_xxxx".
bool is_sample_token(std::string_view token) noexcept;

}  // namespace paddock::secrets
