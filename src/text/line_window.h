// Some lines out of a long text that passes by in pieces, in memory bounded by the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::text {

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

    std::size_t size() const noexcept { return lines_.size() - lines_gone_; }
    Line operator[](std::size_t index) const noexcept {
        const Extent& line = lines_[lines_gone_ + index];
        const char* begin = bytes_.data() + (line.begin - forgotten_);
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
    std::size_t take_lines(std::string_view piece);
    void take_line(std::string_view line);
    void take(std::string_view part);
    void end_line();
    void keep(std::uint64_t begin, std::size_t text, std::size_t margin, std::uint64_t cut);
    void forget_first();
    void trim_to_window();
    std::string_view open_text() const noexcept;

    const std::int64_t first_;
    const std::size_t count_;
    const WindowBounds bounds_;
    std::string bytes_;            // of the lines, perhaps with their endings, and of the open one
    std::uint64_t forgotten_ = 0;  // bytes that stood before these
    std::vector<Extent> lines_;
    std::size_t lines_gone_ = 0;  // at its front, that have left the window
    std::size_t shown_ = 0;       // bytes of the lines, with an ending each
    std::uint64_t first_number_ = 0;
    std::uint64_t seen_ = 0;  // lines ended
    std::uint64_t open_begin_ = 0;
    std::uint64_t open_cut_ = 0;
    bool open_begun_ = false;
    bool full_ = false;
    bool cut_by_bytes_ = false;
};

}  // namespace paddock::text
