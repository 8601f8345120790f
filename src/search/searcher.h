// One file after the other, in whole buffers: reads, cuts at the last line feed, lets the Matcher
// find lines, and pushes them into a Sink.
//
// A NUL byte makes a file binary: the search ends before it. Text that begins with a UTF-16 byte
// order mark is decoded; a UTF-8 one is skipped. A line feed ends a line; a carriage return is part
// of it.
//
// What the Matcher may take long for is given to it in parts, with a look at the interruption
// between them: whole lines, and of a line that is too long for that, or across lines, pieces that
// overlap by half.
//
// A Searcher belongs to one thread; its buffer is reused from file to file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/outcome.h"
#include "search/interruption.h"
#include "search/line_buffer.h"
#include "search/line_pusher.h"
#include "search/matcher.h"
#include "search/sink.h"
#include "text/encoding.h"

namespace paddock::search {

// Which lines of a file are wanted: those that begin in [begin, end).
struct Extent {
    std::uint64_t size = 0;  // of the file, as fstat says; 0 may be wrong
    std::uint64_t begin = 0;
    std::uint64_t end = UINT64_MAX;
};

struct FileReport {
    enum class End : std::uint8_t {
        kComplete,
        kStopped,      // the sink had enough
        kInterrupted,  // so the caller of the search said
        kLineTooLong,  // longer than limits::kSearchLineBytesMax: not searched from there on
        kTooLarge,     // must be held as a whole (multiline, UTF-16) and is too large for that
    };
    End end = End::kComplete;
    bool matched = false;
    bool in_pieces = false;   // at places only: what is longer than a piece may not have been found
    bool binary = false;      // a NUL was met; what was pushed before it is not text
    std::uint64_t bytes = 0;  // read
    std::uint64_t newlines = 0;  // in the extent, if it is a part and line numbers are wanted
};

// The format of text that begins with a byte order mark of UTF-16.
std::optional<text::TextFormat> utf16_format(std::string_view text) noexcept;

class Searcher {
public:
    // Both are borrowed; a search ends soon after an interruption is requested.
    Searcher(const Matcher& matcher, const SearchOptions& options, Interruption& interruption);

    // A part of a file can be searched where matches are lines and there is no context.
    Outcome<FileReport> search(int fd, const Extent& extent, Sink& sink);

private:
    struct Found {
        Span line;
        std::size_t match = 0;  // in the line: there is none before
    };

    Done search_lines(int fd, const Extent& extent);
    Done search_whole(int fd, const Extent& extent);
    void drop_beginning(const Extent& extent);
    std::string_view lines_beginning_before(std::uint64_t end) const;
    void search_text(std::string_view text, bool last);
    void search_spans(std::string_view text);
    std::optional<Found> next_line(std::string_view text, std::size_t from);
    std::optional<Found> next_line_in_parts(std::string_view text, std::size_t from);
    std::optional<Span> next_match(std::string_view text, std::size_t from);
    bool interrupted() noexcept;
    bool done() const noexcept;

    const Matcher& matcher_;
    bool line_numbers_;
    Interruption& interruption_;
    LineBuffer buffer_;
    LinePusher pusher_;

    // Of the file being searched.
    FileReport report_;
    bool is_part_ = false;
    std::uint64_t offset_ = 0;  // of the present text
    std::size_t searched_ = 0;  // in the text: what comes before it is kept as context only
};

}  // namespace paddock::search
