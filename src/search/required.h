// What every match of a regular expression must contain: the reason why most of a file need not be
// looked at by the regex engine.
//
// Reads RE2's syntax itself, as far as literals go. The answer may always be "nothing is known"; it
// is that for whatever is not understood, so an odd pattern costs time and never a match.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/literal.h"

namespace paddock::search {

struct Required {
    // One of these is in every match; if empty, nothing is known unless non_ascii says something.
    std::vector<std::string> literals;
    Case letters = Case::kSensitive;

    bool exact = false;      // containing one of the literals is all that a match needs
    bool non_ascii = false;  // a byte above 0x7f is in every match; literals are then empty
    bool newline = false;    // a line feed is spelled out somewhere in the pattern

    bool useful() const noexcept { return non_ascii || !literals.empty(); }
};

// `pattern` must be one that RE2 accepts.
Required required_by(std::string_view pattern, Case letters);

}  // namespace paddock::search
