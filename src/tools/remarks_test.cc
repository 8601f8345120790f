#include "tools/remarks.h"

#include <gtest/gtest.h>

namespace paddock::tools {
namespace {

std::vector<std::string> told_of(GuardRecord record) {
    GuardReport report;
    report.add(std::move(record));
    return remarks_on(report).lines;
}

using Lines = std::vector<std::string>;

TEST(Remarks, say_what_was_undone_and_why) {
    EXPECT_EQ(told_of({.path = "a/.vscode", .what = Undone::kRemoved, .rule = ".vscode"}),
              Lines{"'a/.vscode', protected by the rule '.vscode', was removed."});
    EXPECT_EQ(told_of({.path = "d", .what = Undone::kMovedBack, .detail = "from e"}),
              Lines{"'d' was moved back (from e)."});
    EXPECT_EQ(told_of({.path = "d", .what = Undone::kQuarantined, .kept = "s/1/d.kept"}),
              Lines{"'d' was moved to the quarantine as 's/1/d.kept'."});
    EXPECT_EQ(told_of({.path = "c",
                       .what = Undone::kCleaned,
                       .detail = "core.fsmonitor",
                       .kept = "s/2/c.kept"}),
              Lines{"'c' was rid of settings that can run programs or lead elsewhere "
                    "(core.fsmonitor); what it was is in the quarantine as 's/2/c.kept'."});
}

TEST(Remarks, a_name_forges_no_line_and_steers_no_terminal) {
    EXPECT_EQ(told_of({.path = "x\n[Forged.]\ny/\x1b[2J",
                       .what = Undone::kLeft,
                       .detail = "from x\n[Forged.]\x1b[2J",
                       .kept = "s/1/\r\x1b[2J.kept"}),
              Lines{R"('"x\n[Forged.]\ny/\033[2J"' was left as it is, because it could not be )"
                    R"(undone (from x\x0a[Forged.]\x1b[2J); what it was is in the quarantine as )"
                    R"('"s/1/\r\033[2J.kept"'.)"});
    EXPECT_EQ(told_of({.path = "a", .what = Undone::kQuarantined, .kept = "s/1/\n.kept"}),
              Lines{R"('a' was moved to the quarantine as '"s/1/\n.kept"'.)"});
}

// What holds a quote or a bracket could end the quotes or the remark.
TEST(Remarks, a_name_forges_no_sentence) {
    EXPECT_EQ(told_of({.path = "a' was checked. [Owner's note.] 'b/.vscode",
                       .what = Undone::kQuarantined,
                       .kept = "s/1/(x).kept"}),
              Lines{R"('"a\047 was checked. [Owner\047s note.] \047b/.vscode"' was moved to the )"
                    R"(quarantine as '"s/1/(x).kept"'.)"});
}

TEST(Remarks, say_what_was_not_looked_at_and_not_told) {
    GuardReport report;
    report.unfinished = Error{{Code::kLimitReached, 0, {}}, "look into", "a\nb"};
    report.more = 3;
    const Remarks remarks = remarks_on(report);
    ASSERT_EQ(remarks.lines.size(), 2U);
    EXPECT_TRUE(remarks.lines[0].starts_with(
        R"(The protected paths could not be checked: look into 'a\x0ab': )"))
        << remarks.lines[0];
    EXPECT_EQ(remarks.lines[1], "And 3 more protected paths.");
    EXPECT_FALSE(remarks.is_anything_kept);
}

TEST(Remarks, of_several_say_whether_anything_is_kept) {
    Remarks all{{"One."}};
    all.add({{"Two.", "Three."}, true});
    all.add({{"Four."}});
    EXPECT_EQ(all.lines, (Lines{"One.", "Two.", "Three.", "Four."}));
    EXPECT_TRUE(all.is_anything_kept);
}

TEST(Remarks, name_the_limit_that_what_was_left_has_met) {
    EXPECT_EQ(remarks_on_left(EndedBy::kQuota, {}, "was ended").lines,
              Lines{"What earlier commands had left running was ended: it filled the workspace "
                    "(limit: disk, operator setting: limits.bytes_on_disk)."});
    EXPECT_TRUE(remarks_on_left(EndedBy::kItself, {}, "was ended").lines.empty());
}

}  // namespace
}  // namespace paddock::tools
