// Some lines out of a long text that passes by in pieces, in memory bounded by the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace paddock::text {

struct WindowBounds {
    std::size_t line_bytes_max;  // a longer line is cut at a character
    std::size_t bytes_max;       // of all lines together
    std::size_t margin = 0;      // bytes behind the cut that are kept all the same
};

class LineWindow {
public:
    struct Line {
        std::string text;       // without its ending
        std::uint64_t cut = 0;  // bytes left out at its end
        std::string margin{};   // the first of these
    };

    // `first` counts from 1; a negative one from the end: -1 is the last line.
    LineWindow(std::int64_t first, std::size_t count, const WindowBounds& bounds);

    // The next piece, in UTF-8; characters may be split between pieces.
    void feed(std::string_view piece);
    void finish();

    // Nothing that follows can change the lines: they count from the start and are complete.
    bool is_full() const noexcept { return full_; }

    const std::deque<Line>& lines() const noexcept { return lines_; }
    std::uint64_t first_number() const noexcept { return first_number_; }  // of lines().front()
    std::uint64_t lines_seen() const noexcept { return seen_; }
    bool cut_by_bytes() const noexcept { return cut_by_bytes_; }

private:
    bool wants_line() const noexcept;
    void take(std::string_view part);
    void end_line();
    void keep(Line line);
    void trim_to_window();

    const std::int64_t first_;
    const std::size_t count_;
    const WindowBounds bounds_;
    std::deque<Line> lines_;
    std::size_t bytes_ = 0;
    std::uint64_t first_number_ = 0;
    std::uint64_t seen_ = 0;  // lines ended
    Line open_;
    bool open_begun_ = false;
    bool full_ = false;
    bool cut_by_bytes_ = false;
};

}  // namespace paddock::text
