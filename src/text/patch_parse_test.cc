#include "text/patch_parse.h"

#include <gtest/gtest.h>

#include <paddock/limits.h>

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

namespace {

using Changes = std::vector<FileChange>;

Changes parsed(std::string_view patch) {
    auto changes = parse_patch(patch);
    if (changes) return *changes;
    ADD_FAILURE() << changes.error().detail;
    return Changes(1);
}

// "KIND path -> new_path +x: hunk; hunk", each hunk as its marks and texts.
std::string show(const FileChange& change) {
    static constexpr const char* kNames[] = {"modify", "create", "delete", "rename", "copy"};
    std::string text = kNames[static_cast<int>(change.kind)];
    text += " " + change.path;
    if (change.new_path != change.path) text += " -> " + change.new_path;
    if (change.executable) text += *change.executable ? " +x" : " -x";
    for (const Hunk& hunk : change.hunks) {
        text += " @" + (hunk.old_start ? std::to_string(*hunk.old_start) : "?");
        for (const std::string_view anchor : hunk.anchors) text += "<" + std::string(anchor) + ">";
        for (const HunkLine& line : hunk.lines) {
            text +=
                "|" + std::string(1, line.mark) + std::string(line.text) + (line.ends ? "" : "$");
        }
        text += hunk.at_end ? "|end" : "";
        text += hunk.counts_wrong ? "|counts" : "";
    }
    return text;
}

std::string shown(std::string_view patch) {
    std::string text;
    for (const FileChange& change : parsed(patch))
        text += (text.empty() ? "" : "; ") + show(change);
    return text;
}

// "code@line: detail"
std::string refused(std::string_view patch) {
    const auto changes = parse_patch(patch);
    if (changes) return "accepted: " + show(changes->at(0));
    EXPECT_NE(changes.error().detail.find(". "), std::string::npos)
        << "what to do? " << changes.error().detail;
    return std::string(code_name(changes.error().code)) + "@" +
           std::to_string(changes.error().patch_line) + ": " + changes.error().detail;
}

TEST(PatchParse, reads_a_unified_diff) {
    EXPECT_EQ(shown("--- a/x.c\t2026-01-01\n+++ b/x.c\n@@ -1,2 +1,2 @@ main\n a\n-b\n+c\n"),
              "modify x.c @1| a|-b|+c");
    EXPECT_EQ(shown("--- dir/x\n+++ dir/x\n@@ -7 +7 @@\n-b\n+c\n\\ No newline at end of file\n"),
              "modify dir/x @7|-b|+c$");
    EXPECT_EQ(shown("--- x.orig\n+++ x\n@@ -1 +1 @@\n-b\n+c\n"), "modify x @1|-b|+c");
    EXPECT_EQ(shown("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+c\n"), "create x @0|+c");
    EXPECT_EQ(shown("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n"), "delete x @1|-c");
    EXPECT_EQ(shown("--- a/x\t1970-01-01 00:00:00 +0000\n+++ b/x\t2026\n@@ -0,0 +1 @@\n+c\n"),
              "create x @0|+c");
    EXPECT_TRUE(parsed("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+c\n").at(0).may_create);
}

TEST(PatchParse, issue_17_13_reads_times_behind_blanks) {
    EXPECT_EQ(
        shown("--- a/x 2026-01-01 10:00:00\n+++ b/x   2026-01-01 10:00:01\n@@ -1 +1 @@\n-a\n+b\n"),
        "modify x @1|-a|+b");
    for (const std::string epoch : {"1970-01-01 00:00:00.000000000 +0000",
                                    "Thu Jan  1 00:00:00 1970", "Wed Dec 31 16:00:00 1969"}) {
        for (const std::string gap : {"\t", " ", "  "}) {
            EXPECT_EQ(shown("--- x" + gap + epoch + "\n+++ x\n@@ -0,0 +1 @@\n+a\n"),
                      "create x @0|+a")
                << epoch;
        }
    }
}

TEST(PatchParse, reads_a_git_diff) {
    EXPECT_EQ(
        shown("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"),
        "modify x @1|-a|+b");
    EXPECT_EQ(shown("diff --git a/x b/x\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/x\n"
                    "@@ -0,0 +1 @@\n+a\n"),
              "create x +x @0|+a");
    EXPECT_EQ(shown("diff --git a/x b/x\nnew file mode 100644\nindex 0..1\n"), "create x -x");
    EXPECT_EQ(shown("diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n"), "delete x");
    EXPECT_EQ(shown("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"),
              "rename x -> y");
    EXPECT_EQ(shown("diff --git a/x b/y\nsimilarity index 80%\ncopy from x\ncopy to y\nindex 1..2\n"
                    "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"),
              "copy x -> y @1|-a|+b");
    EXPECT_EQ(shown("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n"), "modify x +x");
    EXPECT_EQ(shown("diff --git \"a/\\303\\244\" \"b/\\303\\244\"\n--- \"a/\\303\\244\"\n"
                    "+++ \"b/\\303\\244\"\n@@ -1 +1 @@\n-a\n+b\n"),
              "modify \xC3\xA4 @1|-a|+b");
    EXPECT_EQ(shown("diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n"
                    "@@ -0,0 +1 @@\n+a\n"),
              "create b/x -x @0|+a")
        << "made without prefixes";
}

TEST(PatchParse, skips_text_around_diffs) {
    EXPECT_EQ(shown("From 1234 Mon Sep\nSubject: x\n\n---\n x | 2 +-\n\ndiff --git a/x b/x\n"
                    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n\nFrom 5678\nhello\n"
                    "diff --git a/y b/y\nold mode 100644\nnew mode 100755\n"),
              "modify x @1|-a|+b; modify y +x");
    EXPECT_EQ(shown("```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n"), "modify x @1|-a|+b");
    EXPECT_EQ(shown("Index: x\n====\n--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n\nIndex: y\n===\n--- y\n"
                    "+++ y\n@@ -1 +1 @@\n-a\n+b\n"),
              "modify x @1|-a|+b; modify y @1|-a|+b");
}

TEST(PatchParse, takes_the_body_where_counts_are_wrong) {
    EXPECT_EQ(shown("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n\n d\n"),
              "modify x @1| a|-b|+c| | d|counts");
    EXPECT_EQ(shown("--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n-b\n+c\n@@ -5,9 +5 @@\n-d\n+e\n"
                    "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-f\n+g\n"),
              "modify x @1| a|-b|+c|counts @5|-d|+e|counts; modify y @1|-f|+g");
    EXPECT_EQ(shown("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n c\n"),
              "modify x @1|--- a|+++ b| c")
        << "lines that look like a header";
    EXPECT_EQ(shown("--- a/x\n+++ b/x\n@@ def f @@\n-a\n+b\n@@\n-c\n+d\n@@ ... @@\n-e\n"),
              "modify x @?<def f>|-a|+b @?|-c|+d @?|-e");
}

TEST(PatchParse, knows_patches_that_came_with_crlf) {
    EXPECT_EQ(shown("--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n-a\r\n+b\r\n \r\n"),
              "modify x @1|-a|+b| ");
    EXPECT_EQ(shown("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\n"), "modify x @1|-a\r|+b");
}

TEST(PatchParse, refuses_what_it_cannot_do) {
    const std::string link =
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n"
        "@@ -0,0 +1 @@\n+x\n";
    EXPECT_TRUE(refused(link).starts_with("not_regular_file@")) << refused(link);
    EXPECT_EQ(parse_patch(link).error().path, "l");
    EXPECT_TRUE(
        refused("diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-a\n+b\n")
            .starts_with("not_regular_file@"));
    for (const std::string mode : {"104755", "102644", "100abc", "100", "040000", "1006440"}) {
        EXPECT_TRUE(refused("diff --git a/x b/x\nold mode 100644\nnew mode " + mode + "\n")
                        .starts_with("invalid_argument@"))
            << mode;
    }
    EXPECT_TRUE(refused("diff --git a/b b/b\nindex 1..2 100644\nGIT binary patch\nliteral 1\n")
                    .starts_with("binary_file@3"));
    EXPECT_TRUE(refused("diff --git a/b b/b\nBinary files a/b and b/b differ\n")
                    .starts_with("binary_file@2"));
    EXPECT_TRUE(refused("diff --cc x\n@@@ -1 -1 +1 @@@\n").starts_with("invalid_argument@1"));
    EXPECT_TRUE(refused(std::string(limits::kPatchBytesMax + 1, 'x')).starts_with("too_large@"));
    std::string many;
    for (std::size_t i = 0; i <= limits::kPatchFilesMax; ++i) {
        many += "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n";
    }
    EXPECT_TRUE(refused(many).starts_with("limit_reached@"));
}

TEST(PatchParse, says_where_a_patch_is_malformed) {
    EXPECT_TRUE(refused("").starts_with("invalid_argument@0: the patch holds no change"));
    EXPECT_TRUE(refused("hello\n").starts_with("invalid_argument@0: the patch holds no change"));
    EXPECT_TRUE(refused("@@ -1 +1 @@\n-a\n+b\n").starts_with("invalid_argument@1: line 1 of"));
    EXPECT_TRUE(refused("--- a/x\n+++ b/x\nhello\n").starts_with("invalid_argument@3"));
    EXPECT_TRUE(refused("--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n").starts_with("invalid_argument@3"))
        << "no change";
    EXPECT_TRUE(refused("--- a/x\n+++ b/x\n@@ -1 +1 @@\n").starts_with("invalid_argument@4"));
    EXPECT_TRUE(refused("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\nc\n d\n")
                    .starts_with("invalid_argument@6"))
        << "a line that lost its blank";
    EXPECT_TRUE(refused("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline\n+c\n")
                    .starts_with("invalid_argument@3"));
    EXPECT_TRUE(refused("diff --git a/x b/x\nindex 1..2\n").starts_with("invalid_argument@3"));
    EXPECT_TRUE(refused("diff --git a/x b/x\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n")
                    .starts_with("invalid_argument@4"))
        << "names disagree";
    EXPECT_TRUE(
        refused("--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n").starts_with("invalid_argument@"));
    EXPECT_TRUE(refused("--- a/x\n+++ b/x\n@@ -99999999999999999999 +1 @@\n\n")
                    .starts_with("invalid_argument@"));
}

TEST(BeginPatch, reads_every_operation) {
    EXPECT_EQ(shown("*** Begin Patch\n*** Add File: n/new\n+one\n+\n*** Delete File: old\n"
                    "*** Update File: u\n*** Move to: v\n@@ class A\n@@ def f\n a\n-b\n+c\n"
                    "@@\n-d\n*** End of File\n*** Update File: w\n+tail\n*** End Patch\n"),
              "create n/new @0|+one|+; delete old; "
              "rename u -> v @?<class A><def f>| a|-b|+c @?|-d|end; modify w @?|+tail");
    EXPECT_TRUE(parsed("*** Begin Patch\n*** Delete File: x\n*** End Patch").at(0).any_content);
    EXPECT_EQ(shown("*** Begin Patch\n*** Update File: u\n*** Move to: v\n*** End Patch"),
              "rename u -> v");
    EXPECT_EQ(
        shown("*** Begin Patch\n*** Update File: u\n@@ -3,2 +3,2 @@\n a\n-b\n+c\n*** End Patch"),
        "modify u @3| a|-b|+c");
}

TEST(BeginPatch, forgives_padding_and_wrappers) {
    EXPECT_EQ(
        shown("apply_patch <<'EOF'\n  *** Begin Patch  \n *** Update File: u  \n@@\n-a\n\n+b\n"
              "\n  *** End Patch\nEOF\n"),
        "modify u @?|-a| |+b");
    EXPECT_EQ(shown("*** Begin Patch\r\n*** Add File: x\r\n+a\r\n*** End Patch\r\n"),
              "create x @0|+a");
    EXPECT_EQ(
        shown("*** Begin Patch\n*** Update File: u\n *** Update File: v\n-a\n*** End Patch\n"),
        "modify u @?| *** Update File: v|-a")
        << "a leading blank in a hunk means context";
}

TEST(BeginPatch, says_where_it_is_malformed) {
    EXPECT_TRUE(refused("*** Begin Patch\n*** Update File: u\n-a\n+b\n")
                    .starts_with("invalid_argument@1: line 1 of the patch: '*** End Patch' is"));
    EXPECT_TRUE(refused("*** Begin Patch\n*** Frobnicate: u\n*** End Patch")
                    .starts_with("invalid_argument@2"));
    EXPECT_TRUE(refused("*** Begin Patch\n*** Update File: u\nfoo\n*** End Patch")
                    .starts_with("invalid_argument@3"));
    EXPECT_TRUE(refused("*** Begin Patch\n*** Update File: u\n*** End Patch")
                    .starts_with("invalid_argument@3: line 3 of the patch: an update without"));
    EXPECT_TRUE(refused("*** Begin Patch\n*** Update File: u\n@@\n a\n*** End Patch")
                    .starts_with("invalid_argument@3"));
    EXPECT_TRUE(refused("*** Begin Patch\n*** Add File: x\n+a\n\n+b\n*** End Patch")
                    .starts_with("invalid_argument@5"));
    EXPECT_TRUE(
        refused("*** Begin Patch\n*** Add File:\n*** End Patch").starts_with("invalid_argument@2"));
    using namespace std::string_view_literals;
    EXPECT_TRUE(refused("*** Begin Patch\n*** Add File: a\0b\n*** End Patch"sv)
                    .starts_with("invalid_argument@2"));
    EXPECT_TRUE(refused("*** Begin Patch\n*** Update File: a\n*** Move to:\n*** End Patch")
                    .starts_with("invalid_argument@3"));
    EXPECT_TRUE(refused("*** Begin Patch\n*** End Patch").starts_with("invalid_argument@0"));
}

}  // namespace
}  // namespace paddock::text
