#include "text/line_window.h"

#include <algorithm>

#include "base/utf8.h"

namespace paddock::text {

LineWindow::LineWindow(std::int64_t first, std::size_t count, const WindowBounds& bounds)
    : first_(first), count_(count), bounds_(bounds) {}

bool LineWindow::wants_line() const noexcept {
    if (full_) return false;
    return first_ < 0 || seen_ + 1 >= static_cast<std::uint64_t>(first_);
}

void LineWindow::feed(std::string_view piece) {
    while (!piece.empty()) {
        const std::size_t end = piece.find('\n');
        open_begun_ = true;
        take(piece.substr(0, end));
        if (end == std::string_view::npos) return;
        end_line();
        piece.remove_prefix(end + 1);
    }
}

// One byte more than the bound is kept at least, so that a cut knows where characters begin.
void LineWindow::take(std::string_view part) {
    if (!wants_line()) return;
    const std::size_t most = bounds_.line_bytes_max + std::max<std::size_t>(bounds_.margin, 1);
    const std::size_t room = most - std::min(open_.text.size(), most);
    const std::size_t taken = std::min(room, part.size());
    open_.text += part.substr(0, taken);
    open_.cut += part.size() - taken;
}

void LineWindow::end_line() {
    const bool wanted = wants_line();
    ++seen_;
    Line line = std::move(open_);
    open_ = {};
    open_begun_ = false;
    if (!wanted) return;
    if (line.cut == 0 && line.text.ends_with('\r')) line.text.pop_back();
    const std::size_t kept = cut_utf8(line.text, bounds_.line_bytes_max).size();
    line.cut += line.text.size() - kept;
    line.margin = line.text.substr(kept);
    line.text.resize(kept);
    keep(std::move(line));
}

void LineWindow::keep(Line line) {
    bytes_ += line.text.size() + 1;
    if (first_ > 0) {
        if (bytes_ > bounds_.bytes_max && !lines_.empty()) {
            cut_by_bytes_ = full_ = true;
            return;
        }
        if (lines_.empty()) first_number_ = seen_;
        lines_.push_back(std::move(line));
        full_ = lines_.size() == count_;
        return;
    }
    lines_.push_back(std::move(line));
    if (lines_.size() > static_cast<std::uint64_t>(-first_)) {
        bytes_ -= lines_.front().text.size() + 1;
        lines_.pop_front();
    }
    first_number_ = seen_ - lines_.size() + 1;
}

void LineWindow::finish() {
    if (open_begun_) end_line();
    if (first_ < 0) trim_to_window();
}

void LineWindow::trim_to_window() {
    if (lines_.size() > count_) lines_.resize(count_);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        bytes += lines_[i].text.size() + 1;
        if (bytes <= bounds_.bytes_max || i == 0) continue;
        lines_.resize(i);
        cut_by_bytes_ = true;
    }
}

}  // namespace paddock::text
