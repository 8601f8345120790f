#include "text/line_window.h"

#include <algorithm>

#include "base/utf8.h"

namespace paddock::text {
namespace {

// Bytes of lines that have left the window are kept until there are as many as of those in it, and
// this many.
constexpr std::size_t kForgetAtOnce = 65536;

}  // namespace

LineWindow::LineWindow(std::int64_t first, std::size_t count, const WindowBounds& bounds)
    : first_(first), count_(count), bounds_(bounds) {}

LineWindow::Line LineWindow::operator[](std::size_t index) const noexcept {
    const Extent& line = lines_[index];
    const std::string_view all =
        std::string_view(bytes_).substr(line.begin - forgotten_, line.text + line.margin);
    return {all.substr(0, line.text), line.cut, all};
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

// A whole one that need not be cut: nearly every line.
void LineWindow::take_line(std::string_view line) {
    const bool wanted = wants_line();
    ++seen_;
    if (!wanted) return;
    if (line.ends_with('\r')) line.remove_suffix(1);
    bytes_ += line;
    keep({open_begin_, line.size(), 0, 0});
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
    keep({open_begin_, kept, margin, open_cut_ + margin});
    open_begin_ = forgotten_ + bytes_.size();
    open_cut_ = 0;
}

void LineWindow::keep(const Extent& line) {
    shown_ += line.text + 1;
    if (first_ > 0) {
        if (shown_ > bounds_.bytes_max && !lines_.empty()) {
            cut_by_bytes_ = full_ = true;
            return;
        }
        if (lines_.empty()) first_number_ = seen_;
        lines_.push_back(line);
        full_ = lines_.size() == count_;
        return;
    }
    lines_.push_back(line);
    if (lines_.size() > static_cast<std::uint64_t>(-first_)) forget_first();
    first_number_ = seen_ - lines_.size() + 1;
}

void LineWindow::forget_first() {
    shown_ -= lines_.front().text + 1;
    lines_.pop_front();
    const std::uint64_t end = lines_.empty() ? forgotten_ + bytes_.size() : lines_.front().begin;
    const auto unused = static_cast<std::size_t>(end - forgotten_);
    if (unused < kForgetAtOnce || unused < bytes_.size() / 2) return;
    bytes_.erase(0, unused);
    forgotten_ = end;
}

void LineWindow::finish() {
    if (open_begun_) end_line();
    if (first_ < 0) trim_to_window();
}

void LineWindow::trim_to_window() {
    if (lines_.size() > count_) lines_.resize(count_);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        bytes += lines_[i].text + 1;
        if (bytes <= bounds_.bytes_max || i == 0) continue;
        lines_.resize(i);
        cut_by_bytes_ = true;
    }
}

}  // namespace paddock::text
