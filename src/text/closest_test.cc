#include "text/closest.h"

#include <gtest/gtest.h>
#include <paddock/limits.h>

namespace paddock::text {
namespace {

std::string where(std::string_view content, std::string_view wanted) {
    const auto block = closest_block(Lines(content), Lines(wanted));
    if (!block) return "nowhere";
    return std::to_string(block->first) + "+" + std::to_string(block->count);
}

TEST(Closest, finds_the_block_with_the_most_wanted_lines) {
    const std::string file = "int a;\nint b;\nint c;\n\nint a;\nint x;\nint c;\nint d;\n";
    EXPECT_EQ(where(file, "int a;\nint y;\nint c;\nint d;\n"), "4+4");
    EXPECT_EQ(where(file, "INT A;\n\tint  b ;\n"), "0+2") << "white space and case do not count";
    EXPECT_EQ(where(file, "before\nint a;\nint b;\nint c;\n"), "0+3") << "begins above the file";
    EXPECT_EQ(where(file, "int c;\nint d;\nint e;\nint f;\n"), "6+2") << "goes on below it";
}

TEST(Closest, falls_back_to_the_most_similar_line) {
    const std::string file = "void frobnicate(int count) {\n  return;\n}\nvoid other() {}\n";
    EXPECT_EQ(where(file, "void frobnicate(long count) {"), "0+1");
    EXPECT_EQ(where(file, "}\nvoid othr() {}\n"), "2+2");
    EXPECT_EQ(where(file, "class Nothing: public Alike"), "nowhere");
    EXPECT_EQ(where(file, "}\n"), "nowhere") << "a brace says nothing";
    EXPECT_EQ(where("", "x"), "nowhere");
    EXPECT_EQ(where("x", ""), "nowhere");
}

TEST(Closest, shows_no_lines_beyond_the_match) {
    const std::string file = "one\ntwo\nvoid frobnicate(int count) {\n  return;\n}\nfive\nsix\n";
    EXPECT_EQ(show_closest(file, "void frobnicate(long count) {\n"),
              "Closest text, from line 3 (- wanted, + in the file):\n@@ -1 +3 @@\n"
              "-void frobnicate(long count) {\n+void frobnicate(int count) {\n");
    EXPECT_EQ(show_closest(file, "void frobnicate(int count) {\n  returns;\n"),
              "Closest text, from line 3 (- wanted, + in the file):\n@@ -1,2 +3,2 @@\n"
              " void frobnicate(int count) {\n-  returns;\n+  return;\n");
    EXPECT_EQ(show_closest(file, "void frobnicate(int count) {\n}\n"),
              "Closest text, from line 3 (- wanted, + in the file):\n@@ -1,2 +3,3 @@\n"
              " void frobnicate(int count) {\n+  return;\n }\n")
        << "a line that was left out is a part of it";
    EXPECT_EQ(show_closest("alpha beta\nx\ngamma delta\nepsilon zeta\neta theta\n",
                           "y\ngamma delta\nepsilon zeta\neta thetas\n"),
              "Closest text, from line 2 (- wanted, + in the file):\n@@ -1,4 +2,4 @@\n"
              "-y\n+x\n gamma delta\n epsilon zeta\n-eta thetas\n+eta theta\n");
}

TEST(Closest, cuts_long_lines_and_long_diffs) {
    std::string file;
    std::string wanted;
    for (int i = 0; i < 500; ++i) {
        const std::string line = "a long line that has the number " + std::to_string(i) + " ";
        file += line + std::string(1000, 'x') + "\n";
        wanted += line + std::string(1000, i % 2 == 0 ? 'x' : 'y') + "\n";
    }
    const std::string shown = show_closest(file, wanted);
    EXPECT_GT(shown.size(), 1000U);
    EXPECT_LT(shown.size(), limits::kClosestBytesMax + 200);
    EXPECT_EQ(show_closest(file, "nothing of it").size(), 0U);
}

}  // namespace
}  // namespace paddock::text
