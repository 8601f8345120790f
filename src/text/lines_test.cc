#include "text/lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace paddock::text {
namespace {

std::vector<std::string> split(std::string_view text) {
    const Lines lines(text);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < lines.size(); ++i) parts.emplace_back(lines[i]);
    return parts;
}

using Parts = std::vector<std::string>;

TEST(Lines, keeps_every_ending) {
    EXPECT_EQ(split(""), Parts{});
    EXPECT_EQ(split("\n"), Parts{"\n"});
    EXPECT_EQ(split("a"), Parts{"a"});
    EXPECT_EQ(split("a\r\nb\n\nc"), (Parts{"a\r\n", "b\n", "\n", "c"}));
    EXPECT_EQ(split("a\rb\r"), Parts{"a\rb\r"}) << "a lone CR ends nothing";
}

TEST(Lines, tells_body_and_ending_apart) {
    EXPECT_EQ(ending_of("a\r\n"), "\r\n");
    EXPECT_EQ(ending_of("a\n"), "\n");
    EXPECT_EQ(ending_of("a\r"), "");
    EXPECT_EQ(ending_of("\r\n"), "\r\n");
    EXPECT_EQ(body_of("a\r\n"), "a");
    EXPECT_EQ(body_of("a\r\r\n"), "a\r");
    EXPECT_EQ(body_of("a"), "a");
}

TEST(Lines, know_where_they_begin) {
    const std::string text = "a\nbb\r\n\nc";
    EXPECT_EQ(Lines(text).offset(3), 7U);
    EXPECT_EQ(Lines(text).offset(4), text.size());
}

TEST(Lines, counts_like_a_plain_loop) {
    std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    for (int round = 0; round < 200; ++round) {
        std::string text(random() % 2000, 'x');
        for (char& c : text) c = "\n\r ab"[random() % 5];
        const auto feeds = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
        const bool is_open = !text.empty() && text.back() != '\n';
        EXPECT_EQ(Lines(text).size(), feeds + (is_open ? 1 : 0));
        std::string joined;
        for (const std::string& line : split(text)) joined += line;
        EXPECT_EQ(joined, text);
    }
    EXPECT_EQ(Lines(std::string(100'000, '\n')).size(), 100'000U);
}

}  // namespace

namespace {

TEST(LfView, is_the_text_itself_where_there_is_no_crlf) {
    const std::string raw = "a\nb\rc\r";
    const LfView view(raw);
    EXPECT_EQ(view.text().data(), raw.data());
    EXPECT_FALSE(view.has_crlf());
    EXPECT_EQ(view.raw_offset(5), 5U);
}

TEST(LfView, never_splits_a_crlf) {
    const std::string raw = "a\r\n\r\nb\nc\r\r\n";
    const LfView view(raw);
    EXPECT_EQ(view.text(), "a\n\nb\nc\r\n");
    EXPECT_EQ(view.raw_offset(0), 0U);
    EXPECT_EQ(view.raw_offset(1), 1U) << "the CR of the first CRLF";
    EXPECT_EQ(view.raw_offset(2), 3U);
    EXPECT_EQ(view.raw_offset(3), 5U) << "b";
    EXPECT_EQ(view.raw_offset(6), 8U) << "the lone CR";
    EXPECT_EQ(view.raw_offset(7), 9U);
    EXPECT_EQ(view.raw_offset(8), raw.size());
}

}  // namespace
}  // namespace paddock::text

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
