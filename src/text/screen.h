// What a command prints, as a terminal would show it: carriage returns, backspaces, cursor moves
// and erasures are carried out, and colours, titles, clipboards and all other sequences are
// dropped. What comes out is UTF-8 without control characters but line feed and, of a pipe, tab.
//
// A pipe is a screen of one endless row: lines leave it as they end. A terminal has rows and
// columns; lines leave it at the top when it scrolls, and what is on it can still change. A row
// that ended only because it was full goes on without a line feed, so that no word is divided.
//
// Not a whole xterm: each character has one column or two, combining marks have one of their own,
// and nothing is answered to programs that ask the terminal something.
//
// Memory and time for each byte are bounded, whatever comes. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::text {

struct ScreenSize {
    std::size_t rows = 24;
    std::size_t columns = 80;
};

class Screen {
public:
    Screen();  // of a pipe
    explicit Screen(ScreenSize size);

    // Appends to `out` what can no longer change.
    void feed(std::string_view bytes, std::string& out);

    // What is on it now, without the empty rows below.
    std::string shown() const;

    // Nothing more comes: appends what is on it.
    void finish(std::string& out);

    // Arrow keys are to be sent in their other form (DECCKM).
    bool has_application_keys() const noexcept { return application_keys_; }

private:
    struct Row {
        std::u32string cells{};  // 0: nothing was printed there
        bool goes_on = false;    // in the next row
    };
    struct Cursor {
        std::size_t row = 0;
        std::size_t column = 0;
    };
    enum class State : std::uint8_t { kText, kEscape, kEscapeMore, kSequence, kString };

    bool is_pipe() const noexcept { return size_.rows == 1; }
    Row& row() { return rows_[cursor_.row]; }

    void take(char32_t c, std::string& out);
    void control(char32_t c, std::string& out);
    void print(char32_t c, std::string& out);
    void put(char32_t cell, std::string& out);
    void escape(char32_t c, std::string& out);
    void sequence(char32_t c, std::string& out);
    void run_sequence(char32_t final, std::string& out);
    void set_modes(bool on);
    void end_line(std::string& out);
    void go_down(std::string& out);
    void go_up();
    void go_to(std::size_t row, std::size_t column, std::string& out);
    void scroll_up(std::size_t top, std::string* out);
    void scroll_down(std::size_t top);
    void erase_in_row(std::size_t what);
    void erase_on_screen(std::size_t what);
    void enter_other_screen(bool other);
    std::size_t parameter(std::size_t index, std::size_t default_value) const;

    static void append(std::string& out, const Row& row);

    ScreenSize size_;
    std::vector<Row> rows_;
    Cursor cursor_;
    Cursor kept_cursor_;
    bool is_full_ = false;  // the row: the next character begins another
    std::size_t top_ = 0;   // of what scrolls
    std::size_t bottom_;    // the row after it
    char32_t last_ = 0;     // printed

    std::vector<Row> main_rows_;  // while a program has the other screen
    Cursor main_cursor_;
    bool is_other_ = false;
    bool application_keys_ = false;

    std::string partial_;  // a character of which the rest follows
    State state_ = State::kText;
    bool string_ends_with_line_ = false;
    std::size_t string_size_ = 0;
    bool is_private_ = false;  // the sequence: "CSI ? ..."
    bool is_odd_ = false;      // it has something that none of those has that are carried out
    std::array<std::size_t, 16> parameters_{};
    std::size_t parameter_count_ = 0;
};

}  // namespace paddock::text
