#include "text/line_window.h"

#include <gtest/gtest.h>

using paddock::text::LineWindow;

namespace {

constexpr paddock::text::WindowBounds kWide{.line_bytes_max = 100, .bytes_max = 1000};

// The window of `text`, fed in pieces of each size: "number:line|...".
std::string shown(std::string_view text, std::int64_t first, std::size_t count,
                  paddock::text::WindowBounds bounds = kWide) {
    std::string answer;
    for (std::size_t step = 1; step <= text.size() + 1; ++step) {
        LineWindow window(first, count, bounds);
        for (std::size_t at = 0; at < text.size(); at += step) window.feed(text.substr(at, step));
        window.finish();
        std::string now;
        std::uint64_t number = window.first_number();
        for (std::size_t i = 0; i < window.size(); ++i) {
            const LineWindow::Line line = window[i];
            now += std::to_string(number++) + ":" + std::string(line.text);
            if (line.cut > 0) now += "+" + std::to_string(line.cut);
            now += "|";
        }
        now += "of " + std::to_string(window.lines_seen());
        if (window.cut_by_bytes()) now += " cut";
        EXPECT_TRUE(step == 1 || now == answer) << "in pieces of " << step;
        answer = now;
    }
    return answer;
}

TEST(LineWindow, counts_from_the_start) {
    EXPECT_EQ(shown("a\nb\nc\nd\n", 2, 2), "2:b|3:c|of 4");
    EXPECT_EQ(shown("a\nb\nc", 1, 10), "1:a|2:b|3:c|of 3");
    EXPECT_EQ(shown("a\n\n", 1, 10), "1:a|2:|of 2");
    EXPECT_EQ(shown("a\nb", 3, 1), "of 2");
    EXPECT_EQ(shown("", 1, 1), "of 0");
}

TEST(LineWindow, counts_from_the_end) {
    EXPECT_EQ(shown("a\nb\nc\nd\n", -1, 5), "4:d|of 4");
    EXPECT_EQ(shown("a\nb\nc\nd", -3, 2), "2:b|3:c|of 4");
    EXPECT_EQ(shown("a\nb\n", -9, 5), "1:a|2:b|of 2");
}

TEST(LineWindow, forgets_what_has_left_it) {
    for (const std::size_t length : {0U, 90U}) {
        LineWindow window(-2, 2, kWide);
        const std::string line = std::string(length, 'x') + "\n";
        for (int i = 0; i < 10'000; ++i) window.feed(line);
        window.feed("last but one\nlast");
        window.finish();
        EXPECT_LT(window.bytes(), 200'000U);
        ASSERT_EQ(window.size(), 2U);
        EXPECT_EQ(window[0].text, "last but one");
        EXPECT_EQ(window[1].text, "last");
        EXPECT_EQ(window.first_number(), 10'001U);
    }
}

TEST(LineWindow, keeps_a_margin_behind_a_cut) {
    LineWindow window(1, 9, {.line_bytes_max = 3, .bytes_max = 100, .margin = 2});
    window.feed("abcdefgh\nx\n");
    EXPECT_EQ(window[0].text, "abc");
    EXPECT_EQ(window[0].text_and_margin, "abcde");
    EXPECT_EQ(window[0].cut, 5U);
    EXPECT_EQ(window[1].text_and_margin, "x");
}

TEST(LineWindow, hides_the_carriage_return_of_a_line_ending) {
    EXPECT_EQ(shown("a\r\nb\rc\r\n", 1, 5), "1:a|2:b\rc|of 2");
}

TEST(LineWindow, cuts_long_lines_at_a_character) {
    EXPECT_EQ(shown("abcdefgh\nx\n", 1, 5, {.line_bytes_max = 5, .bytes_max = 100}),
              "1:abcde+3|2:x|of 2");
    EXPECT_EQ(shown("abcd\xe2\x82\xac-\nx\n", 1, 5, {.line_bytes_max = 5, .bytes_max = 100}),
              "1:abcd+4|2:x|of 2");
}

TEST(LineWindow, stops_at_the_bound_of_all_lines) {
    EXPECT_EQ(shown("abc\ndef\nghi\n", 1, 5, {.line_bytes_max = 5, .bytes_max = 8}),
              "1:abc|2:def|of 3 cut");
    EXPECT_EQ(shown("abc\ndef\nghi\n", -3, 5, {.line_bytes_max = 5, .bytes_max = 8}),
              "1:abc|2:def|of 3 cut");
    EXPECT_EQ(shown("abcdef\n", 1, 5, {.line_bytes_max = 9, .bytes_max = 2}), "1:abcdef|of 1");
}

}  // namespace
