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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/outcome.h"
#include "search/matcher.h"
#include "search/sink.h"
#include "text/encoding.h"

namespace paddock::search {

// One read of a search: fits the processor's second cache, and most source files at once.
inline constexpr std::size_t kSearchBufferBytes = 65536;

// What all searches of a process hold of such files together: one of the largest in UTF-16 with the
// text that it becomes. Small ones are not counted; there are no more than threads.
inline constexpr std::size_t kSearchWholeTogetherBytesMax = std::size_t{192} << 20;
inline constexpr std::size_t kSearchWholeSmallBytesMax = std::size_t{1} << 20;

// A file as a succession of whole lines in one buffer, which is reused from file to file and grows
// only for a line that does not fit.

class LineBuffer {
public:
    enum class Filled : std::uint8_t {
        kMore,         // lines() ends with a line feed, or holds a NUL; the file goes on
        kEnd,          // lines() reaches the end of the file
        kLineTooLong,  // no line feed within limits::kSearchLineBytesMax
    };

    // Starts on another file, at `offset`. `size` as fstat says: what is appended later is not
    // read; 0 is not believed.
    void start(int fd, std::uint64_t size, std::uint64_t offset);

    // Reads on behind what is held.
    Outcome<Filled> fill();

    std::string_view lines() const noexcept { return {data_.get() + begin_, lines_ - begin_}; }
    std::uint64_t offset() const noexcept { return base_ + begin_; }  // of lines() in the file

    // Forgets the first bytes of lines().
    void drop(std::size_t bytes) noexcept { begin_ += bytes; }

private:
    bool holds_nul() const noexcept;
    void move_to_front() noexcept;
    bool grow();

    std::unique_ptr<char[]> data_;
    std::size_t capacity_ = 0;
    int fd_ = -1;
    std::uint64_t size_ = 0;
    std::uint64_t base_ = 0;  // offset of data_[0] in the file
    std::size_t begin_ = 0;   // what is held: lines, then the beginning of one
    std::size_t lines_ = 0;
    std::size_t filled_ = 0;
};

// From spans in a text to numbered lines in a Sink, with the lines around them. Numbers are counted
// only as far as a line is pushed.
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
