// From spans in a text to numbered lines in a Sink, with the lines around them. Numbers are counted
// only as far as a line is pushed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "search/matcher.h"
#include "search/sink.h"

namespace paddock::search {

struct SearchOptions {
    std::size_t before = 0;  // lines of context
    std::size_t after = 0;
    bool line_numbers = true;
};

class LinePusher {
public:
    explicit LinePusher(const SearchOptions& options) : options_(options) {}

    // Starts on another file.
    void start(Sink& sink);

    // `text` holds whole lines and begins at `offset` of the file. The matching lines must be given
    // in order, each once; the context before them is pushed too. No match was found in the line
    // before `at`.
    Next match(std::string_view text, std::uint64_t offset, Span line, std::size_t at = 0);

    // There are no more matches in `text`: pushes what is still due as context.
    Next finish(std::string_view text, std::uint64_t offset);

    // How much of the front of a finished text is no longer needed.
    std::size_t droppable(std::string_view text) const;
    void drop(std::string_view text, std::size_t bytes);

    // Line feeds in all that was dropped and in the part of `text` that is given.
    std::uint64_t newlines_until(std::string_view text, std::size_t end);

private:
    Next push(Line::Kind kind, std::string_view text, std::uint64_t offset, Span line,
              std::size_t match = 0);
    Next push_due(std::string_view text, std::uint64_t offset, std::size_t end);
    void count_until(std::string_view text, std::size_t end);
    std::size_t lines_before(std::string_view text, std::size_t end) const;

    SearchOptions options_;
    Sink* sink_ = nullptr;
    std::size_t pushed_ = 0;   // in the text: all before it was pushed, or passed over for good
    std::size_t due_ = 0;      // lines of context after the last match
    std::size_t counted_ = 0;  // in the text: where newlines_ stands
    std::uint64_t newlines_ = 0;
};

}  // namespace paddock::search
