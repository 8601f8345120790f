#include "text/screen.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"

namespace paddock::text {
namespace {

// A pipe's row leaves when it has grown so far, though its line goes on: programs that go back in
// theirs write for people, who have no wider window.
constexpr std::size_t kPipeColumnsMax = 16'384;
// As far as an empty row can be passed over: each costs a byte of what is kept.
constexpr std::size_t kPipeMoveMax = 500;

// Whoever never ends a title or an image does not take all that follows with it.
constexpr std::size_t kStringCharactersMax = std::size_t{1} << 20;

constexpr std::size_t kNumberMax = 9'999;
constexpr std::size_t kTabColumns = 8;

// Stands in the second column of a wide character.
constexpr char32_t kSecondHalf = 0x110000;

bool is_wide(char32_t c) {
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
           (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
           (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1F64F) ||
           (c >= 0x1F680 && c <= 0x1F6FF) || (c >= 0x1F900 && c <= 0x1F9FF) ||
           (c >= 0x20000 && c <= 0x3FFFD);
}

// What is behind was erased, or passed over.
std::size_t printed_size(const std::u32string& cells) { return cells.find_last_not_of(U'\0') + 1; }

bool is_c1(char32_t c) { return c >= 0x80 && c < 0xA0; }

// Does the line hold no control character?
bool is_plain(std::string_view line) {
    bool is_ascii = true;
    char last = 0;
    for (const char c : line) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\t') || byte == 0x7F) return false;
        if (last == '\xC2' && byte < 0xA0) return false;
        is_ascii = is_ascii && byte < 0x80;
        last = c;
    }
    return is_ascii || is_utf8(line);
}

}  // namespace

Screen::Screen() : Screen(ScreenSize{1, kPipeColumnsMax}) {}

Screen::Screen(ScreenSize size)
    : size_{std::max<std::size_t>(size.rows, 1), std::max<std::size_t>(size.columns, 2)},
      rows_(size_.rows),
      bottom_(size_.rows) {}

void Screen::feed(std::string_view bytes, std::string& out) {
    std::string joined;
    if (!partial_.empty()) {
        joined = std::exchange(partial_, {}).append(bytes);
        bytes = joined;
    }
    while (!bytes.empty()) {
        // Most output is lines without anything to resolve.
        if (is_pipe() && state_ == State::kText && cursor_.column == 0 && row().cells.empty()) {
            const std::size_t end = bytes.find('\n') + 1;
            if (end > 0 && is_plain(bytes.substr(0, end - 1))) {
                out += bytes.substr(0, end);
                bytes.remove_prefix(end);
                continue;
            }
        }
        const Character next = first_character(bytes);
        if (next.cut) {
            partial_ = bytes;
            return;
        }
        take(next.valid ? next.value : kReplacement, out);
        bytes.remove_prefix(next.length);
    }
}

std::string Screen::shown() const {
    std::size_t last = cursor_.row;
    for (std::size_t i = last + 1; i < rows_.size(); ++i) {
        if (printed_size(rows_[i].cells) > 0) last = i;
    }
    std::string text;
    for (std::size_t i = 0; i <= last; ++i) {
        append(text, rows_[i]);
        if (i < last && !rows_[i].goes_on) text += '\n';
    }
    return text;
}

void Screen::finish(std::string& out) {
    if (!partial_.empty()) {
        partial_.clear();
        take(kReplacement, out);
    }
    enter_other_screen(false);
    out += shown();
    *this = Screen(size_);
}

void Screen::append(std::string& out, const Row& row) {
    const std::size_t size = printed_size(row.cells);
    for (std::size_t i = 0; i < size; ++i) {
        const char32_t cell = row.cells[i];
        if (cell != kSecondHalf) append_utf8(out, cell == 0 ? U' ' : cell);
    }
}

void Screen::take(char32_t c, std::string& out) {
    // These begin anew, wherever they stand.
    constexpr char32_t kCancel = 0x18;
    constexpr char32_t kSubstitute = 0x1A;
    constexpr char32_t kEscapeSign = 0x1B;
    if (c == kCancel || c == kSubstitute) {
        state_ = State::kText;
    } else if (c == kEscapeSign) {
        state_ = State::kEscape;
    } else if (is_c1(c)) {
        escape(c - 0x40, out);
    } else if (state_ == State::kString) {
        const bool ends = c == '\a' || (c == '\n' && string_ends_with_line_);
        if (ends || ++string_size_ > kStringCharactersMax) state_ = State::kText;
        if (c == '\n' && ends) end_line(out);
    } else if (c < 0x20 || c == 0x7F) {
        control(c, out);
    } else if (state_ == State::kText) {
        print(c, out);
    } else if (state_ == State::kEscape) {
        escape(c, out);
    } else if (state_ == State::kSequence) {
        sequence(c, out);
    } else if (c >= 0x30) {
        state_ = State::kText;  // of a character set and the like
    }
}

// Carried out inside of a sequence as well, as terminals do.
void Screen::control(char32_t c, std::string& out) {
    switch (c) {
        case '\b':
            if (cursor_.column > 0) --cursor_.column;
            is_full_ = false;
            break;
        case '\t':
            if (is_pipe()) {
                put(U'\t', out);
            } else {
                const std::size_t next = (cursor_.column / kTabColumns + 1) * kTabColumns;
                cursor_.column = std::min(next, size_.columns - 1);
            }
            break;
        case '\n':
        case '\v':
        case '\f': end_line(out); break;
        case '\r':
            cursor_.column = 0;
            is_full_ = false;
            break;
        default: break;
    }
}

void Screen::print(char32_t c, std::string& out) {
    last_ = c;
    const bool is_double = !is_pipe() && is_wide(c);
    if (is_double && cursor_.column + 1 >= size_.columns) is_full_ = true;
    put(c, out);
    if (is_double) put(kSecondHalf, out);
}

void Screen::put(char32_t cell, std::string& out) {
    if (is_full_) {
        is_full_ = false;
        row().goes_on = true;
        cursor_.column = 0;
        go_down(out);
    }
    std::u32string& cells = row().cells;
    if (cells.size() <= cursor_.column) cells.resize(cursor_.column + 1);
    cells[cursor_.column] = cell;
    if (++cursor_.column < size_.columns) return;
    if (is_pipe()) {
        append(out, row());
        cells.clear();
        cursor_.column = 0;
    } else {
        --cursor_.column;
        is_full_ = true;
    }
}

// A pipe has no driver that adds the carriage return.
void Screen::end_line(std::string& out) {
    is_full_ = false;
    row().goes_on = false;
    if (is_pipe()) cursor_.column = 0;
    go_down(out);
}

void Screen::go_down(std::string& out) {
    if (cursor_.row + 1 == bottom_) {
        scroll_up(top_, &out);
    } else if (cursor_.row + 1 < rows_.size()) {
        ++cursor_.row;
    }
}

void Screen::go_up() {
    if (cursor_.row == top_) {
        scroll_down(top_);
    } else if (cursor_.row > 0) {
        --cursor_.row;
    }
}

// What leaves the screen at its top is kept, of the main one. Without `out` it is lost.
void Screen::scroll_up(std::size_t top, std::string* out) {
    if (out != nullptr && top == 0 && !is_other_) {
        append(*out, rows_[0]);
        if (!rows_[0].goes_on) *out += '\n';
    }
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(top);
    const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(bottom_);
    std::rotate(begin, begin + 1, end);
    *(end - 1) = Row();
}

void Screen::scroll_down(std::size_t top) {
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(top);
    const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(bottom_);
    std::rotate(begin, end - 1, end);
    *begin = Row();
}

void Screen::go_to(std::size_t row_number, std::size_t column, std::string& out) {
    // A pipe has no other row: what is printed there must not replace this one.
    if (is_pipe() && row_number != cursor_.row && !row().cells.empty()) end_line(out);
    const std::size_t right =
        is_pipe() ? std::max(kPipeMoveMax, rows_[0].cells.size()) : size_.columns - 1;
    cursor_.row = std::min(row_number, rows_.size() - 1);
    cursor_.column = std::min({column, right, size_.columns - 1});
    is_full_ = false;
}

// 0: from the cursor on, 1: up to it, 2: all.
void Screen::erase_in_row(std::size_t what) {
    std::u32string& cells = row().cells;
    is_full_ = false;
    if (what == 2) cells.clear();
    if (what == 0) cells.resize(std::min(cells.size(), cursor_.column));
    if (what == 1) {
        const std::size_t end = std::min(cells.size(), cursor_.column + 1);
        std::fill_n(cells.begin(), end, 0);
        if (end == cells.size()) cells.clear();
    }
    if (what != 1) row().goes_on = false;
}

void Screen::erase_on_screen(std::size_t what) {
    if (what > 2) return;  // 3: what has left the screen, which is kept
    erase_in_row(what);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const bool is_meant = what == 2 || (what == 0 ? i > cursor_.row : i < cursor_.row);
        if (is_meant) rows_[i] = Row();
    }
}

void Screen::enter_other_screen(bool other) {
    if (is_pipe() || other == is_other_) return;
    is_other_ = other;
    if (other) {
        main_rows_ = std::exchange(rows_, std::vector<Row>(size_.rows));
        main_cursor_ = cursor_;
    } else {
        rows_ = std::exchange(main_rows_, {});
        cursor_ = main_cursor_;
    }
    top_ = 0;
    bottom_ = rows_.size();
    is_full_ = false;
}

void Screen::escape(char32_t c, std::string& out) {
    state_ = State::kText;
    switch (c) {
        case '[':
            state_ = State::kSequence;
            parameters_ = {};
            parameter_count_ = 0;
            is_private_ = false;
            is_odd_ = false;
            break;
        case ']':
        case 'P':
        case 'X':
        case '^':
        case '_':
            state_ = State::kString;
            string_ends_with_line_ = c == ']';
            string_size_ = 0;
            break;
        case '7': kept_cursor_ = cursor_; break;
        case '8': go_to(kept_cursor_.row, kept_cursor_.column, out); break;
        case 'D': go_down(out); break;
        case 'E':
            cursor_.column = 0;
            end_line(out);
            break;
        case 'M':
            if (!is_pipe()) go_up();
            break;
        case 'c':
            enter_other_screen(false);
            application_keys_ = false;
            if (!is_pipe()) erase_on_screen(2);
            go_to(0, 0, out);
            break;
        default:
            if (c >= 0x20 && c < 0x30) state_ = State::kEscapeMore;
            break;
    }
}

void Screen::sequence(char32_t c, std::string& out) {
    if (c >= '0' && c <= '9') {
        if (parameter_count_ == 0) parameter_count_ = 1;
        std::size_t& number = parameters_[parameter_count_ - 1];
        number = std::min<std::size_t>(number * 10 + (c - '0'), kNumberMax);
    } else if (c == ';' || c == ':') {
        if (parameter_count_ == 0) parameter_count_ = 1;
        if (parameter_count_ < parameters_.size()) ++parameter_count_;
    } else if (c == '?') {
        is_private_ = true;
    } else if (c < '@') {
        is_odd_ = true;
    } else {
        state_ = State::kText;
        if (is_private_ && (c == 'h' || c == 'l')) {
            set_modes(c == 'h');
        } else if (!is_private_ && !is_odd_) {
            run_sequence(c, out);
        }
    }
}

std::size_t Screen::parameter(std::size_t index, std::size_t default_value) const {
    return parameters_[index] == 0 ? default_value : parameters_[index];
}

void Screen::set_modes(bool on) {
    for (std::size_t i = 0; i < parameter_count_; ++i) {
        if (parameters_[i] == 1) application_keys_ = on;
        if (parameters_[i] == 47 || parameters_[i] == 1047 || parameters_[i] == 1049) {
            enter_other_screen(on);
        }
    }
}

void Screen::run_sequence(char32_t final, std::string& out) {
    const std::size_t count = parameter(0, 1);
    const auto [row_number, column] = cursor_;
    const std::size_t above = row_number - std::min(row_number, count);
    const std::size_t below = row_number + (is_pipe() ? 0 : count);
    switch (final) {
        case 'A': go_to(above, column, out); return;
        case 'B': go_to(below, column, out); return;
        case 'C': go_to(row_number, column + count, out); return;
        case 'D': go_to(row_number, column - std::min(column, count), out); return;
        case 'E': go_to(below, 0, out); return;
        case 'F': go_to(above, 0, out); return;
        case 'G':
        case '`': go_to(row_number, count - 1, out); return;
        case 'H':
        case 'f':
            if (is_pipe() && !row().cells.empty()) end_line(out);
            go_to(count - 1, parameter(1, 1) - 1, out);
            return;
        case 'd': go_to(count - 1, column, out); return;
        case 'J':
            // On a pipe nobody has looked at it yet.
            if (is_pipe() && parameters_[0] == 2 && !row().cells.empty()) end_line(out);
            erase_on_screen(parameters_[0]);
            return;
        case 'K':
            if (parameters_[0] <= 2) erase_in_row(parameters_[0]);
            return;
        case 's': kept_cursor_ = cursor_; return;
        case 'u': go_to(kept_cursor_.row, kept_cursor_.column, out); return;
        default: break;
    }
    if (is_pipe()) return;  // the others are for rows of a bounded length
    std::u32string& cells = row().cells;
    const std::size_t behind = cells.size() - std::min(cells.size(), column);
    switch (final) {
        case '@':
            if (behind > 0) cells.insert(column, std::min(count, size_.columns), 0);
            cells.resize(std::min(cells.size(), size_.columns));
            return;
        case 'P':
            if (behind > 0) cells.erase(column, count);
            return;
        case 'X':
            if (behind > 0) std::fill_n(&cells[column], std::min(count, behind), 0);
            return;
        case 'b':
            for (std::size_t i = 0; last_ != 0 && i < std::min(count, size_.columns); ++i) {
                print(last_, out);
            }
            return;
        case 'r':
            top_ = std::min(count - 1, rows_.size() - 1);
            bottom_ = std::min(parameter(1, rows_.size()), rows_.size());
            if (top_ + 1 >= bottom_) {
                top_ = 0;
                bottom_ = rows_.size();
            }
            go_to(0, 0, out);
            return;
        case 'L':
        case 'M':
        case 'S':
        case 'T': {
            const bool is_at_cursor = final == 'L' || final == 'M';
            if (is_at_cursor && (row_number < top_ || row_number >= bottom_)) return;
            const std::size_t top = is_at_cursor ? row_number : top_;
            for (std::size_t i = 0; i < std::min(count, rows_.size()); ++i) {
                if (final == 'L' || final == 'T') scroll_down(top);
                if (final == 'M') scroll_up(top, nullptr);
                if (final == 'S') scroll_up(top, &out);
            }
            return;
        }
        default: return;
    }
}

}  // namespace paddock::text
