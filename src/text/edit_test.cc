#include "text/edit.h"

#include <gtest/gtest.h>

#include <random>

#include <paddock/limits.h>

#include "fault/budget.h"
#include "text/lines.h"

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

namespace {

tl::expected<Edited, EditFailure> edit(std::string_view content, std::string_view before,
                                       std::string_view after, bool all = false) {
    const Edit edits[] = {{before, after, all}};
    return apply_edits(content, edits);
}

std::string edited(std::string_view content, std::string_view before, std::string_view after,
                   bool all = false) {
    const auto result = edit(content, before, after, all);
    return result ? result->content : std::string(code_name(result.error().code));
}

// The part of the message for the model that tells why nothing was found.
std::string miss(std::string_view content, std::string_view before) {
    const auto result = edit(content, before, "new");
    if (result) return "found";
    EXPECT_EQ(result.error().code, Code::kNoMatch);
    return result.error().detail;
}

TEST(Edit, replaces_what_is_exact_and_unique) {
    EXPECT_EQ(edited("a b c", "b", "x"), "a x c");
    EXPECT_EQ(edited("a\nb\nc\n", "b\n", ""), "a\nc\n");
    EXPECT_EQ(edited("a", "a", "\n"), "\n");
    const auto result = edit("a\nb\nc\n", "c", "d");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->edits.at(0).count, 1U);
    EXPECT_EQ(result->edits.at(0).lines, std::vector<std::size_t>{3});
}

TEST(Edit, refuses_what_is_not_unique) {
    const auto result = edit("x\ny\nx\nx\n", "x", "z");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::kAmbiguousMatch);
    EXPECT_EQ(result.error().matches, 3U);
    EXPECT_EQ(result.error().lines, (std::vector<std::size_t>{1, 3, 4}));
    EXPECT_NE(result.error().detail.find("matches 3 places, at lines 1, 3, 4."), std::string::npos);
    EXPECT_EQ(edited("aaa", "aa", "b"), "ambiguous_match") << "the two matches overlap";
    EXPECT_EQ(edited("x\ny\nx\n", "x", "z", true), "z\ny\nz\n");
    EXPECT_EQ(edited("aaa", "aa", "b", true), "ba");
}

TEST(Edit, bounds_what_it_lists_and_counts) {
    const auto result = edit(std::string(100'000, 'x'), "x", "y");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().matches, limits::kMatchesCountedMax);
    EXPECT_EQ(result.error().lines.size(), limits::kLineNumbersMax);
    const auto all = edit(std::string(100'000, 'x'), "x", "yy", true);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->edits.at(0).count, 100'000U);
    EXPECT_EQ(all->edits.at(0).lines.size(), limits::kLineNumbersMax);
}

TEST(Edit, refuses_arguments_that_mean_nothing) {
    EXPECT_EQ(edited("a", "", "b"), "invalid_argument");
    EXPECT_EQ(edited("", "", "b"), "invalid_argument");
    EXPECT_EQ(edited("a", "a", "a"), "invalid_argument");
    EXPECT_EQ(edited("a\n", "a\n", "a\r\n"), "invalid_argument") << "endings are kept";
    EXPECT_EQ(apply_edits("a", {}).error().code, Code::kInvalidArgument);
    const std::vector<Edit> many(limits::kEditsMax + 1, Edit{"a", "b", false});
    EXPECT_EQ(apply_edits("a", many).error().code, Code::kLimitReached);
    EXPECT_EQ(edited(std::string(100'000, 'x'), "x", std::string(10'000, 'y'), true), "too_large");
}

TEST(Edit, matches_across_line_endings_and_keeps_them) {
    EXPECT_EQ(edited("a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\ny\n"), "a\r\nx\r\ny\r\nc\r\n");
    EXPECT_EQ(edited("a\nb\n", "a\r\nb", "x\r\ny"), "x\ny\n");
    EXPECT_EQ(edited("a\r\nb", "b", "b\nc"), "a\r\nb\r\nc");
    EXPECT_EQ(edited("a\r\nb", "\nb", "b"), "ab") << "the CR goes with its LF";
    EXPECT_EQ(edited("a\r\nb", "a", "x"), "x\r\nb");
    EXPECT_EQ(edited("a\rb\r\n", "a\rb", "c\nd"), "c\r\nd\r\n") << "a lone CR is a byte";
    EXPECT_EQ(edited("a\r\r\nb", "a\r\n", "c\n"), "no_match");
    EXPECT_EQ(edited("abc", "b", "\r\n"), "a\nc");
}

TEST(Edit, keeps_mixed_endings_line_by_line) {
    EXPECT_EQ(edited("a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "A\nB\nC\nD\n"), "A\r\nB\nC\r\nD\n");
    EXPECT_EQ(edited("a\r\nb\nc\r\n", "a\nb\nc\n", "a\nx\nb\nc\n"), "a\r\nx\r\nb\nc\r\n")
        << "the new line takes its neighbour's ending, the others keep theirs";
    EXPECT_EQ(edited("a\nb\r\nc\n", "b", "b\nx"), "a\nb\r\nx\r\nc\n");
    EXPECT_EQ(edited("k\n1\r\nk\r\n2\n", "k", "j\nk", true), "j\nk\n1\r\nj\r\nk\r\n2\n");
}

TEST(Edit, keeps_the_byte_order_mark_and_the_missing_final_newline) {
    EXPECT_EQ(edited("\xEF\xBB\xBF"
                     "a\nb",
                     "a", "x"),
              "\xEF\xBB\xBFx\nb");
    EXPECT_EQ(edited("a\nb", "b", "c"), "a\nc");
    EXPECT_EQ(edited(std::string_view("\0a\xFF\n", 4), "a", "b"), std::string("\0b\xFF\n", 4));
}

TEST(Edit, makes_several_edits_or_none) {
    const Edit good[] = {{"a", "b", false}, {"b\n", "c\nd\n", false}, {"d", "e", true}};
    const auto result = apply_edits("a\n", good);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->content, "c\ne\n");
    EXPECT_EQ(result->edits.size(), 3U);

    const Edit bad[] = {{"first", "1st", false}, {"first line", "x", false}};
    const auto failed = apply_edits("first line\n", bad);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, Code::kNoMatch);
    EXPECT_EQ(failed.error().edit, 1U);
    EXPECT_NE(failed.error().detail.find("an earlier edit"), std::string::npos);
}

// What stands before and after the match is the same, byte for byte, whatever the endings.
TEST(Edit, touches_no_other_byte) {
    std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    const auto bytes = [&](std::size_t most) {
        static constexpr std::string_view kPieces[] = {"a", "b", "\n", "\r\n", "\r.", "\xFF", " "};
        std::string text;
        for (std::size_t i = random() % (most + 1); i > 0; --i) text += kPieces[random() % 7];
        return text;
    };
    for (int round = 0; round < 20'000; ++round) {
        const std::string head = bytes(12);
        const std::string tail = bytes(12);
        const std::string before = "<" + bytes(6) + ">";
        const std::string after = "<" + bytes(6) + ")";
        std::string written = before;
        for (std::size_t at = 0; random() % 2 == 0 && at != std::string::npos;) {
            at = written.find("\r\n", at);
            if (at != std::string::npos) written.erase(at, 1);
        }
        std::string whole = head;
        whole.append(before).append(tail);
        const auto result = edit(whole, written, after);
        ASSERT_TRUE(result) << result.error().detail;
        const std::string& content = result->content;
        ASSERT_TRUE(content.starts_with(head));
        ASSERT_TRUE(content.ends_with(tail));
        std::string_view middle = content;
        middle = middle.substr(head.size(), content.size() - head.size() - tail.size());
        const auto lf = [](std::string_view text) {
            const Lines lines(text);
            std::string joined;
            for (std::size_t i = 0; i < lines.size(); ++i) {
                joined += body_of(lines[i]);
                if (!ending_of(lines[i]).empty()) joined += '\n';
            }
            return joined;
        };
        ASSERT_EQ(lf(middle), lf(after));
    }
}

TEST(Edit, undoes_itself) {
    std::mt19937 random(4);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    for (int round = 0; round < 2000; ++round) {
        std::string content;
        const bool crlf = random() % 2 == 0;
        for (int i = 0; i < 10; ++i) {
            content += "line " + std::to_string(i) + (crlf ? "\r\n" : "\n");
        }
        const std::string before = "line " + std::to_string(random() % 9);
        const std::string after = "new " + std::to_string(random() % 9) + "\nmore";
        const std::string there = edited(content, before, after);
        ASSERT_EQ(edited(there, after, before), content);
    }
}

TEST(EditMiss, names_the_usual_causes) {
    const std::string file = "int main() {\n\tputs(\"it's\");\n\treturn 0;\n}\n";
    EXPECT_NE(miss(file, "     2\tputs(\"it's\");\n     3\treturn 0;").find("line numbers"),
              std::string::npos);
    EXPECT_NE(miss(file, "2\tputs(\xE2\x80\x9Cit's\xE2\x80\x9D);").find("line numbers"),
              std::string::npos);
    EXPECT_NE(miss(file, "    puts(\"it's\");\n    return 0;").find("tabs versus spaces"),
              std::string::npos);
    EXPECT_NE(miss(file, "puts(\"it\xE2\x80\x99s\");").find("typographic"), std::string::npos);
    EXPECT_NE(miss(file, "int main() {  \n\tputs").find("at the ends of lines"), std::string::npos);
    EXPECT_NE(miss(file, "{\\n\\tputs").find("escaped once too often"), std::string::npos);
    EXPECT_NE(miss("x = \"a\\nb\"\n", "\"a\nb\"").find("a backslash and an n"), std::string::npos);
    EXPECT_NE(miss(file, "RETURN 0;").find("upper and lower case"), std::string::npos);
    EXPECT_NE(miss(file, "}\n\n").find("line breaks at its start or end"), std::string::npos);
    EXPECT_NE(miss(file, "Return  0;").find("white space, quotes or case"), std::string::npos);
}

TEST(EditMiss, shows_the_closest_text) {
    const std::string file = "alpha one\nbeta two\ngamma three\ndelta four\nepsilon five\n";
    EXPECT_NE(miss(file, "beta two\ngamma thirty\ndelta four\n")
                  .find("Closest text, from line 2 (- wanted, + in the file):\n"
                        "@@ -1,3 +2,3 @@\n beta two\n-gamma thirty\n+gamma three\n delta four\n"),
              std::string::npos)
        << miss(file, "beta two\ngamma thirty\ndelta four\n");
    EXPECT_NE(miss(file, "epsilon fives").find("-epsilon fives\n+epsilon five\n"),
              std::string::npos);
    EXPECT_NE(miss(file, "quite another thing").find("Nothing similar"), std::string::npos);
    EXPECT_NE(miss("", "x").find("Nothing similar"), std::string::npos);
}

TEST(EditMiss, is_bounded) {
    const std::size_t lines = testing::kSanitized ? 20'000 : 200'000;
    std::string file;
    std::string wanted;
    for (std::size_t i = 0; i < lines; ++i)
        file += "some line with the number " + std::to_string(i) + "\n";
    for (std::size_t i = 0; i < lines / 20; ++i) {
        wanted += "some line with the number " + std::to_string(i * (i % 3)) + "\n";
    }
    EXPECT_LT(miss(file, wanted).size(), 2 * limits::kClosestBytesMax);
    EXPECT_LT(miss(std::string(5 * lines, 'x'), std::string(lines / 20, 'x') + "y").size(),
              2 * limits::kClosestBytesMax);
    EXPECT_LT(miss(std::string(5 * lines, '\n'), std::string(lines / 20, '\n') + "y").size(),
              2 * limits::kClosestBytesMax);
}

}  // namespace
}  // namespace paddock::text
