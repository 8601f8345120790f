// A pattern, compiled once: which lines match, or, across lines, which spans.
//
// The language is RE2's (linear time on every pattern; \d, \w, \s and \b are ASCII), or plain text.
// "^" and "$" stand at line borders. Unless multiline is set, a match never contains a line feed.
//
// Where every match must contain a literal, literals are searched first and only their lines are
// put to RE2; otherwise RE2 runs over the whole text. Immutable: any thread may use it at any time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <paddock/error.h>

#include "search/literal.h"
#include "search/literal_set.h"

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
    // limit_reached: it needs more than limits::kRegexMemoryMax. The error names the part.
    static Result<Matcher> compile(std::string_view pattern, const MatchOptions& options);

    // The first line that has a match and begins at or after `from`, which begins a line itself.
    std::optional<Span> next_line(std::string_view text, std::size_t from) const;

    // The first match at or after `from`.
    std::optional<Span> next_match(std::string_view text, std::size_t from) const;

    bool multiline() const noexcept { return multiline_; }

private:
    struct NonAscii {
        std::size_t find(std::string_view text, std::size_t from) const noexcept;
    };
    struct Nothing {
        std::size_t find(std::string_view, std::size_t from) const noexcept { return from; }
    };
    using Prefilter = std::variant<Nothing, Literal, LiteralSet, NonAscii>;

    static Prefilter prefilter_of(const Required& required);

    template <class Filter>
    std::optional<Span> filtered_line(const Filter& filter, std::string_view text,
                                      std::size_t from) const;
    std::optional<Span> engine_line(std::string_view text, std::size_t from) const;
    std::optional<Span> engine_match(std::string_view text, std::size_t from) const;

    Prefilter prefilter_;
    std::size_t exact_bytes_ = 0;
    bool exact_ = false;  // what the prefilter finds is a match
    bool multiline_ = false;
    std::shared_ptr<const re2::RE2> engine_;  // absent if exact
};

}  // namespace paddock::search
