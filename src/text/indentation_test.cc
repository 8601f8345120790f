#include "text/indentation.h"

#include <gtest/gtest.h>

namespace paddock::text {
namespace {

TEST(Indentation, stays_where_nothing_differs) {
    Indentation indentation;
    EXPECT_EQ(indentation.translated("  x"), "  x") << "nothing is known";
    EXPECT_TRUE(indentation.learn("  a", "  a"));
    EXPECT_EQ(indentation.translated("    x"), "    x");
    EXPECT_EQ(indentation.translated("x"), "x");
}

TEST(Indentation, is_deeper_by_as_much_as_the_other_lines) {
    Indentation indentation;
    EXPECT_TRUE(indentation.learn("a", "    a"));
    EXPECT_TRUE(indentation.learn("  b", "      b"));
    EXPECT_EQ(indentation.translated("x"), "    x");
    EXPECT_EQ(indentation.translated("        x"), "            x");
    EXPECT_EQ(indentation.translated("  "), "  ") << "nothing stands there";
}

TEST(Indentation, is_less_deep_by_as_much_as_the_other_lines) {
    Indentation indentation;
    EXPECT_TRUE(indentation.learn("    a", "a"));
    EXPECT_TRUE(indentation.learn("      b", "  b"));
    EXPECT_EQ(indentation.translated("        x"), "    x");
    EXPECT_EQ(indentation.translated("  x"), std::nullopt) << "left of all others";
}

TEST(Indentation, is_that_of_the_line_with_the_same) {
    Indentation tabs;
    EXPECT_TRUE(tabs.learn("    a", "\ta"));
    EXPECT_TRUE(tabs.learn("        b", "\t\tb"));
    EXPECT_EQ(tabs.translated("        x"), "\t\tx");
    EXPECT_EQ(tabs.translated("            x"), std::nullopt) << "three tabs, perhaps";
}

TEST(Indentation, is_not_known_where_lines_differ_unevenly) {
    Indentation indentation;
    EXPECT_TRUE(indentation.learn("a", "  a"));
    EXPECT_TRUE(indentation.learn("", "    ")) << "nothing stands there";
    EXPECT_FALSE(indentation.learn("b", "    b"));
    Indentation uneven;
    EXPECT_TRUE(uneven.learn("a", "  a"));
    EXPECT_TRUE(uneven.learn("  b", "  b"));
    EXPECT_EQ(uneven.translated("x"), "  x");
    EXPECT_EQ(uneven.translated("    x"), std::nullopt);
}

}  // namespace
}  // namespace paddock::text
