// A pattern, compiled once: which lines match, or, across lines, which spans.
//
// The language is RE2's (linear time on every pattern; \d, \w, \s and \b are ASCII), or plain text.
// "^" and "$" stand at line borders. Unless multiline is set, a match never contains a line feed.
//
// Where every match must contain a literal, literals are searched first and only their lines are
// put to RE2; otherwise RE2 runs over the whole text. Immutable: any thread may use it at any time.
//
// What RE2's automaton cannot hold in its memory is left to a simulation that takes up to one step
// for each instruction of the pattern's program and byte of text, and nothing stops a call. So
// whoever wants to stop gives it no more than bytes_at_once() in one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <paddock/error.h>

#include "search/literal.h"

namespace re2 {
class RE2;
}

namespace paddock::search {

struct Required;

struct MatchOptions {
    bool literal = false;      // the pattern is text, not a regular expression
    bool ignore_case = false;  // of all letters, as Unicode's simple case folding does
    bool words = false;        // not next to a letter, digit or "_", of any script
    bool multiline = false;    // matches may span lines; "." still stops at a line feed
};

// Offsets in a text; `end` is one past the last byte. Of a line, without its line feed.
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
};

class Matcher {
public:
    // invalid_argument: RE2 does not accept it, or it asks for a line feed without multiline;
    // limit_reached: it needs more than limits::kRegexMemoryMax or kRegexProgramMax. The error
    // names the part.
    static Result<Matcher> compile(std::string_view pattern, const MatchOptions& options);

    // The first line that has a match and begins at or after `from`, which begins a line itself.
    std::optional<Span> next_line(std::string_view text, std::size_t from) const;

    // The first match in [from, end). What stands around counts for "^", "$" and "\\b".
    std::optional<Span> next_match(std::string_view text, std::size_t from,
                                   std::size_t end = std::string_view::npos) const;

    // False: what every match must contain is not in [from, end).
    bool may_match(std::string_view text, std::size_t from, std::size_t end) const;

    // What is searched by one call within about a second, whatever text it is.
    std::size_t bytes_at_once() const noexcept { return bytes_at_once_; }

    bool multiline() const noexcept { return multiline_; }

    // The length of all matches, if that is certain; half of bytes_at_once() at most. Else 0.
    std::size_t match_bytes() const noexcept { return exact_bytes_; }

private:
    struct NonAscii {
        std::size_t find(std::string_view text, std::size_t from) const noexcept;
    };
    struct Nothing {
        std::size_t find(std::string_view, std::size_t from) const noexcept { return from; }
    };
    using Prefilter = std::variant<Nothing, Literal, LiteralSet, NonAscii>;

    static Prefilter prefilter_of(const Required& required);
    void bound_calls(std::size_t steps, const Required& required);

    std::size_t first_hit(std::string_view text, std::size_t from) const;
    template <class Filter>
    std::optional<Span> filtered_line(const Filter& filter, std::string_view text,
                                      std::size_t from) const;
    std::optional<Span> engine_line(std::string_view text, std::size_t from) const;
    std::optional<Span> engine_match(std::string_view text, std::size_t from,
                                     std::size_t end) const;

    Prefilter prefilter_;
    std::size_t exact_bytes_ = 0;
    std::size_t bytes_at_once_ = 0;
    bool exact_ = false;  // what the prefilter finds is a match
    bool multiline_ = false;
    std::shared_ptr<const re2::RE2> engine_;  // absent if exact
};

}  // namespace paddock::search
