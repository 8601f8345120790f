// Random patterns and texts for searches, and the patterns in the spelling of both engines.
//
// Patterns keep to what RE2 and Rust's regex mean alike. \w, \d, \s and \b are ASCII here and
// Unicode there, so ripgrep gets them as (?-u:\w); \W, \D and \S are left out, because then one
// means a character and the other a byte.
#pragma once

#include <string>
#include <vector>

#include "reference/effort.h"

namespace paddock::reference {

using Words = std::vector<std::string>;

const std::string& pick(Random& random, const Words& from);

struct Pattern {
    std::string ours;
    std::string theirs;

    void add(const std::string& text) { add(text, text); }
    void add(const std::string& our_text, const std::string& their_text) {
        ours += our_text;
        theirs += their_text;
    }

    // Without the "^" or "\b" that it may begin with.
    void leave_border_out();
};

// What texts and patterns are made of.
const Words& made_up_words();
// What patterns for C and C++ headers are made of.
const Words& header_words();

Pattern random_pattern(Random& random, const Words& words);

// Lines of made_up_words(), some with CRLF, some not UTF-8, some without a final newline.
std::string random_text(Random& random);

}  // namespace paddock::reference
