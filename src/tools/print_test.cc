#include "tools/print.h"

#include <gtest/gtest.h>

#include "secrets/scanner.h"

namespace paddock::tools {
namespace {

using Texts = std::vector<std::string>;

const std::string kSecret = "first half\nsecond half\nthird";
const std::string kMark = "[REDACTED:known]";

Line row(Lines& lines, std::int64_t number, std::string_view text) {
    Line line{.number = number, .begin = lines.text.size(), .size = text.size()};
    lines.text += text;
    lines.text += '\n';
    return line;
}

Answer file_of(const std::vector<std::string_view>& texts) {
    FileLines file{{}, false};
    for (const std::string_view text : texts) {
        file.lines.rows.push_back(row(file.lines, std::ssize(file.lines.rows) + 1, text));
    }
    Answer answer;
    answer.found = std::move(file);
    return answer;
}

// The text, and the rows that are left.
std::pair<std::string, Texts> redacted(Answer answer) {
    const auto scanner =
        secrets::SecretScanner::create(std::vector<secrets::KnownSecret>{{"known", kSecret}});
    Section section(Section::Fields::kKeep);
    print(answer, 0, section);
    std::vector<secrets::Replacements> passes;
    std::string text = section.take();
    scanner->redact(text, &passes);
    section.redact_fields(passes, text);
    drop_empty_rows(answer.found);
    Texts rows;
    if (const auto* file = std::get_if<FileLines>(&answer.found)) {
        for (const Line& line : file->lines.rows) {
            rows.push_back(std::to_string(line.number) + " " +
                           std::string(file->lines.text_of(line)));
        }
    } else {
        rows = std::get<FoundPaths>(answer.found).paths;
    }
    return {text, rows};
}

TEST(Printed, a_secret_of_several_lines_leaves_a_mark_in_the_first) {
    EXPECT_EQ(redacted(file_of({"a", "b"})).second, (Texts{"1 a", "2 b"}));
    const auto inside = redacted(file_of({"a", "x first half", "second half", "third y", "b"}));
    EXPECT_EQ(inside.first, "a\nx " + kMark + " y\nb\n");
    EXPECT_EQ(inside.second, (Texts{"1 a", "2 x " + kMark + " y", "5 b"}));
    const auto whole = redacted(file_of({"first half", "second half", "third"}));
    EXPECT_EQ(whole.second, (Texts{"1 " + kMark}));
    const auto twice = redacted(file_of(
        {"first half", "second half", "third first half", "second half", "third", "", "z"}));
    EXPECT_EQ(twice.second, (Texts{"1 " + kMark + " " + kMark, "6 ", "7 z"}));
}

TEST(Printed, a_row_that_another_took_in_is_dropped) {
    Answer answer;
    answer.found = FoundPaths{{"a", "first half", "second half", "third", "b"}};
    EXPECT_EQ(redacted(answer).second, (Texts{"a", kMark, "b"}));
}

TEST(Printed, of_a_grep_each_file_is_a_section) {
    Matches matches{{{.path = "a"}, {.path = "b", .binary = true}}, true};
    matches.files[0].lines.rows.push_back(row(matches.files[0].lines, 7, "x"));
    matches.files[0].lines.rows.push_back(row(matches.files[0].lines, 9, "y"));
    matches.files[0].lines.rows[1].is_match = false;
    matches.files[0].lines.rows[1].after_gap = true;
    Answer answer;
    answer.found = std::move(matches);
    answer.notes = "Cut.";
    ASSERT_EQ(section_count(answer), 3U);
    std::string text;
    for (std::size_t i = 0; i < 3; ++i) {
        Section section;
        print(answer, i, section);
        text += section.take();
    }
    EXPECT_EQ(text, "a\n7:x\n--\n9-y\n\nb  (binary file matches)\n\n[Cut.]");
}

}  // namespace
}  // namespace paddock::tools
