#include "text/lines.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/utf8.h"

namespace paddock::text {

std::string_view ending_of(std::string_view line) noexcept {
    if (!line.ends_with('\n')) return {};
    return line.substr(line.size() - (line.ends_with("\r\n") ? 2 : 1));
}

std::string_view body_of(std::string_view line) noexcept {
    return line.substr(0, line.size() - ending_of(line).size());
}

Lines::Lines(std::string_view text) : text_(text) {
    PADDOCK_CHECK(text.size() <= std::numeric_limits<std::uint32_t>::max());
    starts_.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
    for (std::size_t start = 0; start < text.size();) {
        starts_.push_back(static_cast<std::uint32_t>(start));
        start = std::min(text.find('\n', start), text.size() - 1) + 1;
    }
}

LfView::LfView(std::string_view raw) : raw_(raw) {
    PADDOCK_CHECK(raw.size() <= std::numeric_limits<std::uint32_t>::max());
    std::size_t copied = 0;
    for (std::size_t cr = raw.find('\r'); cr != std::string_view::npos;
         cr = raw.find('\r', cr + 1)) {
        if (!raw.substr(cr + 1).starts_with('\n')) continue;
        if (crlf_.empty()) copy_.reserve(raw.size());
        copy_ += raw.substr(copied, cr - copied);
        crlf_.push_back(static_cast<std::uint32_t>(copy_.size()));
        copied = cr + 1;
    }
    if (has_crlf()) copy_ += raw.substr(copied);
}

std::size_t LfView::raw_offset(std::size_t offset) const noexcept {
    const auto before = std::lower_bound(crlf_.begin(), crlf_.end(), offset);
    return offset + static_cast<std::size_t>(before - crlf_.begin());
}

namespace {

// Bytes of lines that have left the window are kept until there are as many as of those in it, and
// this many.
constexpr std::size_t kForgetAtOnce = 65536;

constexpr std::size_t kLinesUsual = 256;

}  // namespace

LineWindow::LineWindow(std::int64_t first, std::size_t count, const WindowBounds& bounds)
    : first_(first), count_(count), bounds_(bounds) {
    lines_.reserve(std::min(count, kLinesUsual));
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
        const std::size_t whole = open_begun_    ? 0
                                  : wants_line() ? take_lines(piece)
                                                 : pass_lines(piece);
        piece.remove_prefix(whole);
        if (whole > 0) continue;
        const std::size_t end = piece.find('\n');
        open_begun_ = true;
        take(piece.substr(0, end));
        if (end == std::string_view::npos) return;
        end_line();
        piece.remove_prefix(end + 1);
    }
}

// Whole lines before or behind the window. Returns how many bytes they are, as take_lines does.
std::size_t LineWindow::pass_lines(std::string_view piece) {
    std::size_t done = 0;
    for (std::size_t end = 0; !wants_line(); ++seen_, done = end + 1) {
        end = piece.find('\n', done);
        if (end == std::string_view::npos) break;
    }
    return done;
}

// The line that was just ended, with so many bytes, belongs to the window.
inline bool LineWindow::admits(std::size_t text) {
    if (first_ < 0) return true;
    shown_ += text + 1;
    if (shown_ > bounds_.bytes_max && !lines_.empty()) {
        cut_by_bytes_ = full_ = true;
        return false;
    }
    if (lines_.empty()) first_number_ = seen_;
    full_ = lines_.size() + 1 == count_;
    return true;
}

// Whole lines that need not be cut, as hardly any does: noted one by one, copied together.
std::size_t LineWindow::take_lines(std::string_view piece) {
    std::size_t done = 0;
    while (!full_) {
        const std::size_t end = piece.find('\n', done);
        const std::size_t length = end - done;
        if (end == std::string_view::npos || length > bounds_.line_bytes_max) break;
        ++seen_;
        const bool has_return = length > 0 && piece[end - 1] == '\r';
        const std::size_t text = has_return ? length - 1 : length;
        if (admits(text)) lines_.push_back({open_begin_ + done, text, 0, 0});
        done = end + 1;
    }
    bytes_ += piece.substr(0, done);
    open_begin_ += done;
    forget_what_left();
    return done;
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
    if (admits(kept)) lines_.push_back({open_begin_, kept, margin, open_cut_ + margin});
    open_begin_ = forgotten_ + bytes_.size();
    open_cut_ = 0;
    forget_what_left();
}

// Of a window that counts from the end.
void LineWindow::forget_what_left() {
    if (first_ >= 0 || lines_.empty()) return;
    const auto most = static_cast<std::size_t>(-first_);
    if (size() > most) left_ = lines_.size() - most;
    first_number_ = seen_ - size() + 1;
    const auto unused = static_cast<std::size_t>(lines_[left_].begin - forgotten_);
    if (unused < kForgetAtOnce || unused < bytes_.size() / 2) return;
    bytes_.erase(0, unused);
    forgotten_ += unused;
    lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(left_));
    left_ = 0;
}

void LineWindow::finish() {
    if (open_begun_) end_line();
    if (first_ < 0) trim_to_window();
}

void LineWindow::trim_to_window() {
    if (size() > count_) lines_.resize(left_ + count_);
    std::size_t bytes = 0;
    for (std::size_t i = left_; i < lines_.size(); ++i) {
        bytes += lines_[i].text + 1;
        if (bytes <= bounds_.bytes_max || i == left_) continue;
        lines_.resize(i);
        cut_by_bytes_ = true;
    }
}

}  // namespace paddock::text
