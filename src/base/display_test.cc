#include "base/display.h"

#include <gtest/gtest.h>

using paddock::displayable;
using paddock::displayable_lines;

namespace {

TEST(Display, keeps_printable_text) {
    EXPECT_EQ(displayable("src/main.cc"), "src/main.cc");
    EXPECT_EQ(displayable("na\xC3\xAFve \xE2\x82\xAC \xF0\x9F\x90\xB4"),
              "na\xC3\xAFve \xE2\x82\xAC \xF0\x9F\x90\xB4");
    EXPECT_EQ(displayable(""), "");
}

TEST(Display, escapes_control_bytes) {
    EXPECT_EQ(displayable("a\nb\x1b[2J\x7f"), "a\\x0ab\\x1b[2J\\x7f");
    EXPECT_EQ(displayable(std::string_view("\0", 1)), "\\x00");
    EXPECT_EQ(displayable("\xC2\x85"), "\\xc2\\x85") << "a C1 control";
}

TEST(Display, escapes_what_is_invisible_or_reorders) {
    EXPECT_EQ(displayable("\xE2\x80\xAE"), "\\xe2\\x80\\xae") << "right-to-left override";
    EXPECT_EQ(displayable("a\xE2\x80\x8B"), "a\\xe2\\x80\\x8b") << "zero-width space";
    EXPECT_EQ(displayable("\xEF\xBB\xBFx"), "\\xef\\xbb\\xbfx") << "byte order mark";
    EXPECT_EQ(displayable("\xF3\xA0\x81\x81"), "\\xf3\\xa0\\x81\\x81") << "tag letter";
}

TEST(Display, escapes_what_is_not_utf8_byte_by_byte) {
    EXPECT_EQ(displayable("\xFF\xC3"), "\\xff\\xc3");
    EXPECT_EQ(displayable("\xC0\xAF"), "\\xc0\\xaf") << "overlong slash";
    EXPECT_EQ(displayable("\xE0\x80\xAF"), "\\xe0\\x80\\xaf") << "overlong slash";
    EXPECT_EQ(displayable("\xED\xA0\x80"), "\\xed\\xa0\\x80") << "surrogate";
    EXPECT_EQ(displayable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "above U+10FFFF";
    EXPECT_EQ(displayable("\xE2\x82z"), "\\xe2\\x82z") << "cut short";
}

TEST(Display, lines_keep_their_layout_and_nothing_else) {
    EXPECT_EQ(displayable_lines("a\tb\nc\r\n\n"), "a\tb\nc\r\n\n");
    EXPECT_EQ(displayable_lines("a\rb\r\r\n\x1b[2J\t\xff"), "a\\x0db\\x0d\r\n\\x1b[2J\t\\xff");
    EXPECT_EQ(displayable_lines("\xE2\x80\xAE\n\xC2\x9B"), "\\xe2\\x80\\xae\n\\xc2\\x9b");
    EXPECT_EQ(displayable_lines(""), "");
}

}  // namespace
