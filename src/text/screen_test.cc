#include "text/screen.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace paddock::text {
namespace {

std::string shown_of(Screen screen, std::string_view bytes, std::size_t step = 1000) {
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += step)
        screen.feed(bytes.substr(at, step), out);
    screen.finish(out);
    return out;
}

struct Case {
    std::string_view bytes;
    std::string_view shown;
};

class Pipe : public ::testing::TestWithParam<Case> {};

TEST_P(Pipe, shows) {
    for (const std::size_t step : {1000U, 1U, 2U, 3U}) {
        EXPECT_EQ(shown_of(Screen(), GetParam().bytes, step), GetParam().shown) << step;
    }
}

INSTANTIATE_TEST_SUITE_P(
    , Pipe,
    ::testing::Values(Case{"plain\ttext \u00e4\u20ac\U0001f600\nand more",
                           "plain\ttext \u00e4\u20ac\U0001f600\nand more"},
                      Case{"dos\r\nlines\r\n", "dos\nlines\n"}, Case{"\n\n", "\n\n"}, Case{"", ""},
                      Case{"10%\r20%\r100%\n", "100%\n"}, Case{"long line\rab\n", "abng line\n"},
                      Case{"long line\r\033[Kab\n", "ab\n"}, Case{"long\033[2K\rab\n", "ab\n"},
                      Case{"long\033[1Kab\n", "    ab\n"}, Case{"spin |\b/\b-\b\\\n", "spin \\\n"},
                      Case{"\b\bx\n", "x\n"}, Case{"abc\033[2Dx\n", "axc\n"},
                      Case{"ab\033[2Cx\n", "ab  x\n"}, Case{"abc\033[2Gx\n", "axc\n"},
                      Case{"\033[1;31mred\033[m \033[38;2;1;2;3mrgb\033[0m\n", "red rgb\n"},
                      Case{"\033]0;title\atext\n", "text\n"},
                      Case{"\033]8;;http://x\033\\link\033]8;;\033\\\n", "link\n"},
                      Case{"\033]never ended\nnext\n", "\nnext\n"},
                      Case{"\033Pq#0;2\033\\x\n", "x\n"}, Case{"\033(Bx\033)0y\033=z\n", "xyz\n"},
                      Case{"a\033[?25lb\033[?2004hc\n", "abc\n"},
                      Case{"a\033[>0cb\033[!pc\033[1 qd\n", "abcd\n"},
                      Case{"a\xc2\x9b"
                           "31mb\n",
                           "ab\n"},
                      Case{"a\xc2\x9d"
                           "0;t\xc2\x9c"
                           "b\n",
                           "ab\n"},
                      Case{"a\xff\xe2\x82\n", "a\ufffd\ufffd\n"},
                      Case{std::string_view("a\0b\x07"
                                            "c\x7f\n",
                                            8),
                           "abc\n"},
                      Case{"a\x1b\x18"
                           "b\033[3\x1a"
                           "c\n",
                           "abc\n"},
                      Case{"a\033[3\n1mb\n", "a\nb\n"},
                      // Rows that a pipe has not: nothing is lost.
                      Case{"one\033[2;1Htwo\033[3;1Hthree", "one\ntwo\nthree"},
                      Case{"one\033[2J\033[Htwo", "one\ntwo"},
                      Case{"a 1\nb 1\n\033[2Aa 2\nb 2\n", "a 1\nb 1\na 2\nb 2\n"}));

TEST(Screen, of_a_terminal_shows_what_is_on_it_and_keeps_what_left_it) {
    EXPECT_EQ(shown_of(Screen({3, 10}), "1\r\n2\r\n3\r\n4\r\n5"), "1\n2\n3\n4\n5");
    Screen screen({3, 10});
    std::string out;
    screen.feed("1\r\n2\r\n3\r\n4\r\n>>> ", out);
    EXPECT_EQ(out, "1\n2\n");
    EXPECT_EQ(screen.shown(), "3\n4\n>>> ");
    screen.feed("\033[H\033[2Jnew\033[3;8Hend", out);
    EXPECT_EQ(screen.shown(), "new\n\n       end");
}

TEST(Screen, of_a_terminal_carries_out_what_programs_do_with_rows) {
    struct {
        std::string_view bytes, shown;
    } const kCases[] = {
        {"0123456789abc", "0123456789abc"},  // one line, in two rows
        {"0123456789\r\nabc", "0123456789\nabc"},
        {"a 1\r\nb 1\r\n\033[2Aa 2\r\nb 2\r\n", "a 2\nb 2\n"},
        {"one\r\ntwo\033M\rONE", "ONE\ntwo"},
        {"one\r\ntwo\r\033[Lnew", "one\nnew\ntwo"},
        {"one\r\ntwo\r\nthree\033[2;1H\033[M", "one\nthree"},
        {"abcdef\033[1;2H\033[2P", "adef"},
        {"abc\033[1;2H\033[2@x", "ax bc"},
        {"abcdef\033[1;2H\033[2X", "a  def"},
        {"-\033[4b", "-----"},
        {"a\tb", "a       b"},
        {"one\0337\033[3;3Hx\0338two", "onetwo\n\n  x"},
        {"shell\033[?1049h\033[Heditor\033[?1049l$ ", "shell$ "},
        {"\033[2;3r\033[3;1Ha\nb\n", "\n b\n"},
        {"\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e", "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e"},
        {"one\r\ntwo\033[1;1H\033[J", ""},
        {"one\r\ntwo\033[1J\033[Hx", "x"},
    };
    for (const auto& each : kCases) {
        for (const std::size_t step : {1000U, 1U}) {
            EXPECT_EQ(shown_of(Screen({4, 10}), each.bytes, step), each.shown) << each.bytes;
        }
    }
}

TEST(Screen, the_other_screen_is_shown_as_long_as_it_is_there) {
    Screen screen({4, 10});
    std::string out;
    screen.feed("$ vi\r\n\033[?1049h\033[?1h\033[2J\033[1;1H~\033[2;1H~", out);
    EXPECT_EQ(screen.shown(), "~\n~");
    EXPECT_TRUE(screen.has_application_keys());
    screen.feed("\n\n\n\n\n\n", out);
    EXPECT_EQ(out, "") << "what scrolls there is the program's own";
    screen.feed("\033[?1l\033[?1049l", out);
    EXPECT_EQ(screen.shown(), "$ vi\n");
    EXPECT_FALSE(screen.has_application_keys());
}

TEST(Screen, whatever_is_asked_for_is_bounded) {
    const std::string far = shown_of(Screen(), "\033[99999999999999999999Cx\n");
    EXPECT_LT(far.size(), 1000U);
    std::string endless(3'000'000, 'x');
    EXPECT_EQ(shown_of(Screen(), endless, 7'777), endless) << "a line that never ends is passed on";
    Screen screen;
    std::string out;
    screen.feed("\033P", out);
    screen.feed(endless, out);
    EXPECT_FALSE(out.empty()) << "a string that never ends does not take all with it";
    const std::string_view beyond =
        "\033[9999;9999Hx\033[9999A\033[9999Dy\033[9999Ly\033[5;2r\033[9999S\033[9999b";
    EXPECT_LT(shown_of(Screen({4, 10}), beyond).size(), 100U);
}

}  // namespace
}  // namespace paddock::text
