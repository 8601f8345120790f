#include "text/diff.h"

#include <gtest/gtest.h>

#include <random>

#include "fault/budget.h"

namespace paddock::text {
namespace {

// What the changes make of `before`.
std::string applied(const Lines& before, const Lines& after, std::span<const Change> changes) {
    const auto range = [](const Lines& lines, std::size_t from, std::size_t to) {
        return lines.text().substr(lines.offset(from), lines.offset(to) - lines.offset(from));
    };
    std::string text;
    std::size_t done = 0;
    for (const Change& change : changes) {
        text += range(before, done, change.before);
        text += range(after, change.after, change.after + change.added);
        done = change.before + change.removed;
    }
    text += range(before, done, before.size());
    return text;
}

std::size_t cost(std::span<const Change> changes) {
    std::size_t lines = 0;
    for (const Change& change : changes) lines += change.added + change.removed;
    return lines;
}

// Lines to remove and add at least, by the table that everybody can check.
std::size_t least_cost(const Lines& a, const Lines& b) {
    std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                                 std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
            common[i + 1][j + 1] =
                a[i] == b[j] ? common[i][j] + 1 : std::max(common[i][j + 1], common[i + 1][j]);
        }
    }
    return a.size() + b.size() - 2 * common[a.size()][b.size()];
}

std::string random_text(std::mt19937& random, std::size_t lines_max, unsigned letters) {
    std::string text;
    for (std::size_t i = random() % (lines_max + 1); i > 0; --i) {
        text += static_cast<char>('a' + random() % letters);
        if (i > 1 || random() % 3 != 0) text += random() % 8 == 0 ? "\r\n" : "\n";
    }
    return text;
}

void expect_applies(const std::string& before, const std::string& after, bool shortest) {
    const Lines a(before);
    const Lines b(after);
    const auto changes = diff_lines(a, b);
    ASSERT_EQ(applied(a, b, changes), after);
    if (!shortest) return;
    ASSERT_EQ(cost(changes), least_cost(a, b)) << before << "\n--\n" << after;
}

TEST(Diff, turns_one_text_into_the_other_by_the_fewest_lines) {
    std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    for (int round = 0; round < 5000; ++round) {
        const unsigned letters = 1 + static_cast<unsigned>(random() % 6);
        expect_applies(random_text(random, 24, letters), random_text(random, 24, letters), true);
    }
}

TEST(Diff, is_right_where_the_search_is_cut_short) {
    std::mt19937 random(8);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    for (const unsigned letters : {2U, 3U, 20U}) {
        expect_applies(random_text(random, 6000, letters) + random_text(random, 6000, letters),
                       random_text(random, 6000, letters) + random_text(random, 6000, letters),
                       false);
    }
}

TEST(Diff, ends_on_hostile_texts) {
    std::mt19937 random(9);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    const std::size_t lines = testing::kSanitized ? 10'000 : 100'000;
    std::string a;
    std::string b;
    for (std::size_t i = 0; i < lines; ++i) {
        a += random() % 2 == 0 ? "a\n" : "b\n";
        b += random() % 2 == 0 ? "a\n" : "b\n";
    }
    expect_applies(a, b, false);
    expect_applies(a, std::string(lines, '\n'), false);
    expect_applies(std::string(10 * lines, '\n'), std::string(10 * lines - 1, '\n'), false);
}

// Longer than what is compared at once, and than what is compared at all.
TEST(Diff, compares_long_texts_in_parts) {
    std::string a;
    for (int i = 0; i < 400'000; ++i) a += std::to_string(i) + "\n";
    std::string b = a;
    for (const std::string_view line : {"\n10\n", "\n130000\n", "\n250000\n", "\n399990\n"}) {
        const std::size_t at = b.find(line) + 1;
        b.replace(at, line.size() - 1, "other\nand one more\n");
    }
    const auto few = diff_lines(Lines(a), Lines(b));
    EXPECT_EQ(applied(Lines(a), Lines(b), few), b);
    EXPECT_EQ(few.size(), 4U);
    EXPECT_EQ(cost(few), 12U);

    const std::string all_a = std::string(600'000, '\n');
    std::string all_b;
    for (int i = 0; i < 600'000; ++i) all_b += "b\n";
    const auto all = diff_lines(Lines(all_a), Lines(all_b));
    ASSERT_EQ(all.size(), 1U) << "parts that follow each other are one change";
    EXPECT_EQ(all[0].removed, 600'000U);
    EXPECT_EQ(all[0].added, 600'000U);

    // Every second line has changed: after the bound the rest is replaced.
    std::string half;
    for (int i = 0; i < 600'000; ++i) half += i % 2 == 0 ? "\n" : "b\n";
    const auto bounded = diff_lines(Lines(all_a), Lines(half));
    EXPECT_EQ(applied(Lines(all_a), Lines(half), bounded), half);
    EXPECT_GT(cost(bounded), 600'000U) << "not compared to the end";
    EXPECT_EQ(bounded.back().before + bounded.back().removed, 600'000U);
}

TEST(Diff, of_equal_texts_is_empty) {
    EXPECT_TRUE(diff_lines(Lines(""), Lines("")).empty());
    EXPECT_EQ(unified_diff("a\n", "a\n", "a/x", "b/x").text, "");
}

TEST(Diff, prints_the_unified_form) {
    EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n",
                           "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11", "a/x", "b/x")
                  .text,
              "--- a/x\n+++ b/x\n@@ -2,9 +2,10 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n 10\n"
              "+11\n\\ No newline at end of file\n");
    EXPECT_EQ(unified_diff("", "a\n", "/dev/null", "b/x").text,
              "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
    EXPECT_EQ(unified_diff("a\r\n", "a\n", "a/x", "b/x").text,
              "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+a\n");
    EXPECT_TRUE(
        unified_diff("a", "b", "a/my file", "b/x").text.starts_with("--- a/my file\t\n+++ b/x\n"));
}

TEST(Diff, starts_a_new_hunk_where_the_contexts_do_not_meet) {
    const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    const auto hunks = [&](const std::string& after, std::size_t context) {
        const std::string text = unified_diff(before, after, "a", "b", {.context = context}).text;
        std::size_t count = 0;
        for (std::size_t at = text.find("@@ -"); at != std::string::npos;
             at = text.find("@@ -", at + 1)) {
            ++count;
        }
        return count;
    };
    EXPECT_EQ(hunks("x\n2\n3\n4\n5\n6\n7\ny\n9\n", 3), 1U) << "six lines between";
    EXPECT_EQ(hunks("x\n2\n3\n4\n5\n6\n7\n8\ny\n", 3), 2U) << "seven lines between";
    EXPECT_EQ(hunks("x\n2\ny\n4\n5\n6\n7\n8\n9\n", 0), 2U);
}

TEST(Diff, says_where_it_was_cut) {
    std::string after;
    for (int i = 0; i < 1000; ++i) after += "line " + std::to_string(i) + "\n";
    const DiffText diff = unified_diff("", after, "a", "b", {.bytes_max = 200});
    EXPECT_TRUE(diff.cut);
    EXPECT_EQ(diff.added, 1000U);
    EXPECT_LT(diff.text.size(), 300U);
    EXPECT_TRUE(diff.text.ends_with("[diff cut here: -0 +1000 lines in all]\n")) << diff.text;

    const DiffText wide =
        unified_diff("", std::string(100, 'x') + "\xC3\xA9", "a", "b", {.line_bytes_max = 101});
    EXPECT_TRUE(wide.cut);
    EXPECT_NE(wide.text.find(std::string(100, 'x') + "[...]\n"), std::string::npos) << wide.text;
}

}  // namespace
}  // namespace paddock::text
