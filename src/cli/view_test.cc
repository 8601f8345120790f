#include "cli/view.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(AnswerText, a_remark_stands_alone_at_the_end) {
    EXPECT_EQ(split_remark("a\n\n[more]").remark, "more");
    EXPECT_EQ(split_remark("a\n\n[more]").body, "a\n");
    EXPECT_EQ(split_remark("[more]").body, "");
    for (const char* text : {"a\n[id]", "a\n\n[id]\n", "", "a", "a\n\n[x] y"}) {
        EXPECT_EQ(split_remark(text).remark, "") << text;
        EXPECT_EQ(split_remark(text).body, text);
    }
}

TEST(AnswerText, lines_have_numbers_unless_a_secret_took_them) {
    const auto lines = numbered_lines("     1\t\n    -2\t 3\tx\n[REDACTED:private-key]\n");
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[0].number, 1);
    EXPECT_EQ(lines[0].text, "");
    EXPECT_EQ(lines[1].number, -2);
    EXPECT_EQ(lines[1].text, " 3\tx");
    EXPECT_FALSE(lines[2].number);
    EXPECT_EQ(lines[2].text, "[REDACTED:private-key]");
    EXPECT_TRUE(numbered_lines("f is empty.").empty());
}

TEST(AnswerText, matches_belong_to_the_path_above_them) {
    const auto files =
        matched_files("12:x\n1:a\n2-b\n--\n9:\n\nbin  (binary file matches)\n", MatchForm::kLines);
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].path, "12:x") << "the first line is a path, whatever it looks like";
    ASSERT_EQ(files[0].lines.size(), 3U);
    EXPECT_TRUE(files[0].lines[0].matches);
    EXPECT_FALSE(files[0].lines[1].matches);
    EXPECT_TRUE(files[0].lines[2].after_gap);
    EXPECT_EQ(files[0].lines[2].number, 9);
    EXPECT_TRUE(files[1].binary);
    EXPECT_EQ(files[1].path, "bin");
    const auto counts = matched_files("a: 1: 12\nb: 3\n", MatchForm::kCounts);
    ASSERT_EQ(counts.size(), 2U);
    EXPECT_EQ(counts[0].path, "a: 1");
    EXPECT_EQ(counts[0].count, 12U);
}

TEST(AnswerText, entries_of_a_directory) {
    const auto listed = listed_directory(
        "src/\nd/\n  \"a -> b\"  12\nlink -> \"x  y\"\nbuild/  (not entered)\np  "
        "(fifo)\n\"q\\\"/\"  (not entered)\n");
    EXPECT_EQ(listed.path, "src/");
    ASSERT_EQ(listed.entries.size(), 6U);
    EXPECT_EQ(listed.entries[0].type, 'd');
    EXPECT_EQ(listed.entries[0].name, "d/");
    EXPECT_EQ(listed.entries[1].depth, 1U);
    EXPECT_EQ(listed.entries[1].name, "\"a -> b\"");
    EXPECT_EQ(listed.entries[1].size, 12U);
    EXPECT_EQ(listed.entries[2].type, 'l');
    EXPECT_EQ(listed.entries[2].target, "\"x  y\"");
    EXPECT_EQ(listed.entries[3].type, 'd');
    EXPECT_EQ(listed.entries[3].remark, "not entered");
    EXPECT_EQ(listed.entries[4].type, 's');
    EXPECT_EQ(listed.entries[5].name, "\"q\\\"/\"");
    EXPECT_EQ(listed.entries[5].remark, "not entered");
    EXPECT_EQ(listed.entries[5].type, 'd');
}

}  // namespace
}  // namespace paddock::cli
