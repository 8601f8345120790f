// Bytes as lines. A line ends with LF or CRLF and keeps its ending; a lone CR is an ordinary byte.
// "a\nb" has two lines, "a\n" one, "" none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::text {

// "\n", "\r\n" or "": the ending of one line, and the line without it.
std::string_view ending_of(std::string_view line) noexcept;
std::string_view body_of(std::string_view line) noexcept;

// An index of the lines of a text that must outlive it; at most 4 GiB.
class Lines {
public:
    explicit Lines(std::string_view text);

    std::size_t size() const noexcept { return starts_.size(); }
    std::string_view text() const noexcept { return text_; }

    // The line with its ending; `index` counts from 0.
    std::string_view operator[](std::size_t index) const noexcept {
        return text_.substr(offset(index), offset(index + 1) - offset(index));
    }

    // Where the line begins; the end of the text for size().
    std::size_t offset(std::size_t index) const noexcept {
        return index < starts_.size() ? starts_[index] : text_.size();
    }

private:
    std::string_view text_;
    std::vector<std::uint32_t> starts_;  // 32 bits: an index of a file of empty lines stays small
};

// A text as if every line ended with LF, with the way back to its real bytes. Only CRLF is changed;
// a lone CR is an ordinary byte. Where there is no CRLF nothing is copied.
class LfView {
public:
    // `raw` must outlive the view; at most 4 GiB.
    explicit LfView(std::string_view raw);

    std::string_view text() const noexcept { return has_crlf() ? std::string_view(copy_) : raw_; }
    std::string_view raw() const noexcept { return raw_; }
    bool has_crlf() const noexcept { return !crlf_.empty(); }

    // Where the byte of text() at `offset` lies in raw(). For the LF of a CRLF that is its CR, so
    // a span of text() never maps to half of one.
    std::size_t raw_offset(std::size_t offset) const noexcept;

private:
    std::string_view raw_;
    std::string copy_;
    std::vector<std::uint32_t> crlf_;  // where in copy_ each LF stands that was a CRLF, ascending
};

// Some lines out of a long text that passes by in pieces, in memory bounded by the window.
struct WindowBounds {
    std::size_t line_bytes_max;  // a longer line is cut at a character
    std::size_t bytes_max;       // of all lines together
    std::size_t margin = 0;      // bytes behind the cut that are kept all the same
};

class LineWindow {
public:
    // Views are valid until the window changes.
    struct Line {
        std::string_view text;             // without its ending
        std::uint64_t cut = 0;             // bytes left out at its end
        std::string_view text_and_margin;  // and the first of these
    };

    // `first` counts from 1; a negative one from the end: -1 is the last line.
    LineWindow(std::int64_t first, std::size_t count, const WindowBounds& bounds);

    // The next piece, in UTF-8; characters may be split between pieces.
    void feed(std::string_view piece);
    void finish();

    // Nothing that follows can change the lines: they count from the start and are complete.
    bool is_full() const noexcept { return full_; }

    std::size_t size() const noexcept { return lines_.size() - left_; }
    Line operator[](std::size_t index) const noexcept {
        const Extent& line = lines_[left_ + index];
        const char* const begin = bytes_.data() + (line.begin - forgotten_);
        return {{begin, line.text}, line.cut, {begin, line.text + line.margin}};
    }
    std::size_t bytes() const noexcept { return bytes_.size(); }           // at most, of all lines
    std::uint64_t first_number() const noexcept { return first_number_; }  // of the first line
    std::uint64_t lines_seen() const noexcept { return seen_; }
    bool cut_by_bytes() const noexcept { return cut_by_bytes_; }

private:
    // Of a line in all that was ever put into bytes_.
    struct Extent {
        std::uint64_t begin = 0;
        std::size_t text = 0;
        std::size_t margin = 0;
        std::uint64_t cut = 0;
    };

    bool wants_line() const noexcept;
    std::size_t pass_lines(std::string_view piece);
    std::size_t take_lines(std::string_view piece);
    void take(std::string_view part);
    void end_line();
    bool admits(std::size_t text);
    void forget_what_left();
    void trim_to_window();
    std::string_view open_text() const noexcept;

    const std::int64_t first_;
    const std::size_t count_;
    const WindowBounds bounds_;
    std::string bytes_;            // of the lines with their endings, and of the open one
    std::uint64_t forgotten_ = 0;  // bytes that stood before these
    std::vector<Extent> lines_;
    std::size_t left_ = 0;   // lines at the beginning that are out of the window
    std::size_t shown_ = 0;  // bytes of the lines with endings, of a window from the start
    std::uint64_t first_number_ = 0;
    std::uint64_t seen_ = 0;  // lines ended
    std::uint64_t open_begin_ = 0;
    std::uint64_t open_cut_ = 0;
    bool open_begun_ = false;
    bool full_ = false;
    bool cut_by_bytes_ = false;
};

}  // namespace paddock::text
