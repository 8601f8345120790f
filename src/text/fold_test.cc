#include "text/fold.h"

#include <gtest/gtest.h>

namespace paddock::text {
namespace {

TEST(Fold, trims_blanks_tabs_and_carriage_returns) {
    EXPECT_EQ(trim_end("  a b \t\r"), "  a b");
    EXPECT_EQ(trim("  a b \t\r"), "a b");
    EXPECT_EQ(trim(" \t "), "");
    EXPECT_EQ(trim_end(""), "");
}

TEST(Fold, turns_typographic_punctuation_into_ascii) {
    EXPECT_EQ(fold_punctuation("\xE2\x80\x9Cit\xE2\x80\x99s\xE2\x80\x9D \xE2\x80\x94\xC2\xA0x"),
              "\"it's\" - x");
    EXPECT_EQ(fold_punctuation("a\xE2\x80\x8B\xE2\x80\xA6"), "a...");
    EXPECT_EQ(fold_punctuation("\xE2\x82\xAC na\xC3\xAFve"), "\xE2\x82\xAC na\xC3\xAFve");
    EXPECT_EQ(fold_punctuation("cut\xE2\x80"), "cut\xE2\x80");
}

TEST(Fold, folds_blanks_line_by_line) {
    EXPECT_EQ(fold_blanks("\tif  (x)\t{ \n\n    y;\n"), "if (x) {\n\ny;\n");
    EXPECT_EQ(fold_line_ends("a \t\n b\r\n \nc  "), "a\n b\n\nc");
    EXPECT_EQ(fold_case("aBZ\xC3\x84"), "abz\xC3\x84");
}

}  // namespace
}  // namespace paddock::text
