#include "text/patch_names.h"

#include <gtest/gtest.h>

namespace paddock::text {
namespace {

TEST(PatchNames, undoes_the_quoting_of_git) {
    EXPECT_EQ(unquote_git_name(R"("a\tb\"\\")"), "a\tb\"\\");
    EXPECT_EQ(unquote_git_name(R"("\303\244\001")"), "\xC3\xA4\x01");
    EXPECT_EQ(unquote_git_name(R"("")"), "");
    for (const char* bad : {"", "\"", "a", R"("a)", R"("\)", R"("\x")", R"("\400")", R"("\000")",
                            R"("\18")", R"("a"b)", R"("\1")"}) {
        EXPECT_EQ(unquote_git_name(bad), std::nullopt) << bad;
    }
}

TEST(PatchNames, drops_what_follows_a_tab) {
    EXPECT_EQ(read_name("a/x y\t2026-01-01 00:00:00"), "a/x y");
    EXPECT_EQ(read_name("\"a/x\\ty\"\tjunk"), "a/x\ty");
    EXPECT_EQ(read_name(""), std::nullopt);
    EXPECT_EQ(read_name("\"a"), std::nullopt);
}

// "NAME|TIME".
std::string split_at_time(std::string_view field) {
    const TimedName parts = split_time(field);
    return std::string(parts.name) + "|" + std::string(parts.time);
}

TEST(PatchNames, issue_17_13_cuts_a_time_behind_blanks) {
    EXPECT_EQ(split_at_time("x.c\t2026-01-31 10:00"), "x.c|2026-01-31 10:00");
    for (const std::string time :
         {"2026-01-31 10:00", "2026-01-31 10:00:00", "2026-01-31 10:00:00.123456789 +0100",
          "2026-01-31T10:00:00Z", "2026-01-31 10:00:00 UTC", "Sat Jan 31 10:00:00 2026",
          "Thu Jan  1 01:00:00 1970", "Thu Jan 1 01:00:00 1970",
          "Thu Jan 01 00:00:00 1970 +0000"}) {
        for (const std::string blanks : {" ", "   "}) {
            EXPECT_EQ(split_at_time("d/x.c" + blanks + time), "d/x.c|" + time);
            EXPECT_EQ(split_at_time("a 2" + blanks + time), "a 2|" + time);
            EXPECT_EQ(split_at_time("\"a 2\"" + blanks + time), "\"a 2\"|" + time);
        }
    }
    for (const std::string name :
         {"a 2", "a ", " a", "2026-01-31 10:00", "log 2026-01-31", "log 2026-01-31 10:00.txt",
          "Mon Jan report", "a 2026-01-31 1:00", "a Sat Jan 31 10:00", "\"a 2026-01-31 10:00\"",
          "at 10:00:00"}) {
        EXPECT_EQ(split_at_time(name), name + "|");
    }
    EXPECT_EQ(split_at_time("a 2026-01-31 10:00\t"), "a 2026-01-31 10:00|") << "git ends a name so";
}

TEST(PatchNames, knows_the_prefixes_of_git) {
    EXPECT_TRUE(have_prefixes("a/x", "b/x"));
    EXPECT_TRUE(have_prefixes("b/x", "a/y"));
    EXPECT_TRUE(have_prefixes("i/x", "w/x"));
    EXPECT_FALSE(have_prefixes("a/x", "a/x"));
    EXPECT_FALSE(have_prefixes("x", "x"));
    EXPECT_FALSE(have_prefixes("a/", "b/"));
}

TEST(PatchNames, finds_one_name_in_the_first_line_of_a_git_diff) {
    EXPECT_EQ(read_git_line("a/x b/x"), "x");
    EXPECT_EQ(read_git_line("a/x y z b/x y z"), "x y z");
    EXPECT_EQ(read_git_line("b/x b/x"), "b/x") << "made without prefixes";
    EXPECT_EQ(read_git_line(R"("a/x\ty" "b/x\ty")"), "x\ty");
    EXPECT_EQ(read_git_line("a/x b/y"), std::nullopt);
    EXPECT_EQ(read_git_line("a/x"), std::nullopt);
    EXPECT_EQ(read_git_line(""), std::nullopt);
}

}  // namespace
}  // namespace paddock::text
