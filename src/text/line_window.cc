#include "text/line_window.h"

#include <algorithm>

#include "base/utf8.h"

namespace paddock::text {
namespace {

// Room for the lines of a small file.
constexpr std::size_t kLinesAtFirst = 256;

// Lines that have left the window are kept until there are as many as there are in it, or as many
// bytes, and this many.
constexpr std::size_t kForgetLinesAtOnce = 1024;
constexpr std::size_t kForgetAtOnce = 65536;

}  // namespace

LineWindow::LineWindow(std::int64_t first, std::size_t count, const WindowBounds& bounds)
    : first_(first), count_(count), bounds_(bounds) {
    lines_.reserve(std::min(count, kLinesAtFirst));
}

bool LineWindow::wants_line() const noexcept {
    if (full_) return false;
    return first_ < 0 || seen_ + 1 >= static_cast<std::uint64_t>(first_);
}

std::string_view LineWindow::open_text() const noexcept {
    return std::string_view(bytes_).substr(open_begin_ - forgotten_);
}

void LineWindow::feed(std::string_view piece) {
    while (!piece.empty()) {
        if (!open_begun_ && first_ > 0 && wants_line()) {
            piece.remove_prefix(take_lines(piece));
            if (piece.empty()) return;
        }
        const std::size_t end = piece.find('\n');
        if (!open_begun_ && end <= bounds_.line_bytes_max) {
            take_line(piece.substr(0, end));
        } else {
            open_begun_ = true;
            take(piece.substr(0, end));
            if (end == std::string_view::npos) return;
            end_line();
        }
        piece.remove_prefix(end + 1);
    }
}

// Whole ones from the front that need not be cut, nearly all there are: copied at once. Returns how
// many bytes they have.
std::size_t LineWindow::take_lines(std::string_view piece) {
    std::size_t begin = 0;
    while (!full_) {
        const std::size_t end = piece.find('\n', begin);
        if (end == piece.npos || end - begin > bounds_.line_bytes_max) break;
        const bool has_return = end > begin && piece[end - 1] == '\r';
        ++seen_;
        keep(open_begin_ + begin, end - begin - (has_return ? 1 : 0), 0, 0);
        begin = end + 1;
    }
    bytes_ += piece.substr(0, begin);
    open_begin_ += begin;
    return begin;
}

// One of those.
void LineWindow::take_line(std::string_view line) {
    const bool wanted = wants_line();
    ++seen_;
    if (!wanted) return;
    if (line.ends_with('\r')) line.remove_suffix(1);
    bytes_ += line;
    keep(open_begin_, line.size(), 0, 0);
    open_begin_ += line.size();
}

// One byte more than the bound is kept at least, so that a cut knows where characters begin.
void LineWindow::take(std::string_view part) {
    if (!wants_line()) return;
    const std::size_t most = bounds_.line_bytes_max + std::max<std::size_t>(bounds_.margin, 1);
    const std::size_t room = most - std::min(open_text().size(), most);
    const std::size_t taken = std::min(room, part.size());
    bytes_ += part.substr(0, taken);
    open_cut_ += part.size() - taken;
}

void LineWindow::end_line() {
    const bool wanted = wants_line();
    ++seen_;
    open_begun_ = false;
    if (!wanted) return;
    std::string_view text = open_text();
    if (open_cut_ == 0 && text.ends_with('\r')) text.remove_suffix(1);
    const std::size_t kept = cut_utf8(text, bounds_.line_bytes_max).size();
    const std::size_t margin = text.size() - kept;
    keep(open_begin_, kept, margin, open_cut_ + margin);
    open_begin_ = forgotten_ + bytes_.size();
    open_cut_ = 0;
}

void LineWindow::keep(std::uint64_t begin, std::size_t text, std::size_t margin,
                      std::uint64_t cut) {
    shown_ += text + 1;
    if (first_ > 0) {
        if (shown_ > bounds_.bytes_max && size() > 0) {
            cut_by_bytes_ = full_ = true;
            return;
        }
        if (size() == 0) first_number_ = seen_;
        lines_.emplace_back(begin, text, margin, cut);
        full_ = size() == count_;
        return;
    }
    lines_.emplace_back(begin, text, margin, cut);
    if (size() > static_cast<std::uint64_t>(-first_)) forget_first();
    first_number_ = seen_ - size() + 1;
}

void LineWindow::forget_first() {
    shown_ -= lines_[lines_gone_++].text + 1;
    const std::uint64_t end = lines_[lines_gone_].begin;
    const auto unused = static_cast<std::size_t>(end - forgotten_);
    const bool is_much = unused >= kForgetAtOnce && unused >= bytes_.size() / 2;
    const bool are_many = lines_gone_ >= kForgetLinesAtOnce && lines_gone_ >= size();
    if (!is_much && !are_many) return;
    bytes_.erase(0, unused);
    forgotten_ = end;
    lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(lines_gone_));
    lines_gone_ = 0;
}

void LineWindow::finish() {
    if (open_begun_) end_line();
    if (first_ < 0) trim_to_window();
}

void LineWindow::trim_to_window() {
    if (size() > count_) lines_.resize(lines_gone_ + count_);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        bytes += (*this)[i].text.size() + 1;
        if (bytes <= bounds_.bytes_max || i == 0) continue;
        lines_.resize(lines_gone_ + i);
        cut_by_bytes_ = true;
    }
}

}  // namespace paddock::text
