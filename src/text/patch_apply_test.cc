#include "text/patch_apply.h"

#include <gtest/gtest.h>

#include <random>

#include "text/diff.h"
#include "text/patch_parse.h"

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

namespace {

PatchOutcome<Applied> run(std::string_view content, std::string_view patch) {
    const auto changes = parse_patch(patch);
    if (!changes) {
        ADD_FAILURE() << changes.error().detail;
        return changes.error();
    }
    return apply_change(content, changes->at(0));
}

std::string patched(std::string_view content, std::string_view patch) {
    const auto applied = run(content, patch);
    return applied ? applied->content : applied.error().detail;
}

std::string notes(std::string_view content, std::string_view patch) {
    const auto applied = run(content, patch);
    if (!applied) return applied.error().detail;
    std::string text;
    for (const std::string& note : applied->notes) text += note + ";";
    return text;
}

std::string unified(std::string_view hunks) { return "--- a/x\n+++ b/x\n" + std::string(hunks); }

std::string begin(std::string_view hunks) {
    return "*** Begin Patch\n*** Update File: x\n" + std::string(hunks) + "*** End Patch\n";
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

TEST(PatchApply, applies_where_the_header_says) {
    const std::string file = "a\nb\na\nb\na\n";
    const std::string patch = unified("@@ -3,2 +3,2 @@\n a\n-b\n+c\n");
    EXPECT_EQ(patched(file, patch), "a\nb\na\nc\na\n") << "the stated place of two";
    EXPECT_EQ(notes("a\nb\na\nb\n", patch), "");
    EXPECT_EQ(patched("", "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n"), "a\nb\n");
    EXPECT_EQ(patched("a\nb\nc\n", unified("@@ -1,0 +2 @@\n+x\n")), "a\nx\nb\nc\n");
}

TEST(PatchApply, moves_to_the_one_place_and_says_so) {
    std::string file;
    for (int i = 1; i <= 30; ++i) file += "line " + std::to_string(i) + "\n";
    const std::string patch = unified(
        "@@ -1,3 +1,3 @@\n line 14\n-line 15\n+LINE 15\n line 16\n"
        "@@ -10,2 +10,2 @@\n line 23\n-line 24\n+LINE 24\n line 25\n");
    EXPECT_TRUE(has(patched(file, patch), "line 14\nLINE 15\nline 16\n"));
    EXPECT_TRUE(has(patched(file, patch), "LINE 24\nline 25\n"));
    EXPECT_EQ(notes(file, patch),
              "hunk 1 applied 13 lines below the stated one;hunk 2 applied 13 lines below the "
              "stated one;hunk 2 has wrong counts in its header; its lines were used as given;");
    EXPECT_EQ(notes("b\n", unified("@@ -2 +2 @@\n-b\n+c\n")),
              "hunk 1 applied 1 line above the stated one;");
}

TEST(PatchApply, never_guesses_between_two_places) {
    const std::string file = "x\na\ny\na\n";
    const auto applied = run(file, unified("@@ -1 +1 @@\n-a\n+b\n"));
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().code, Code::kPatchFailed);
    EXPECT_EQ(applied.error().hunk, 1U);
    EXPECT_EQ(applied.error().path, "x");
    EXPECT_TRUE(has(applied.error().detail, "at lines 2, 4.")) << applied.error().detail;
    EXPECT_TRUE(has(patched(file, begin("@@\n-a\n+b\n")), "several places"));
    EXPECT_TRUE(has(patched("\ta\n a\n", unified("@@ -1 +1 @@\n-a\n+b\n")), "several places"))
        << "with white space left out there are two";
}

TEST(PatchApply, forgives_white_space_in_steps_and_says_so) {
    EXPECT_EQ(patched("a  \nb\n", unified("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")), "a  \nc\n");
    EXPECT_EQ(notes("a  \nb\n", unified("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")),
              "hunk 1 matched ignoring trailing white space;");
    EXPECT_EQ(patched("\ta\nb\n", begin("@@\n     a\n-b\n+c\n")), "\ta\nc\n");
    EXPECT_EQ(notes("\ta\nb\n", begin("@@\n     a\n-b\n+c\n")),
              "hunk 1 matched ignoring white space at both ends of lines;");
    EXPECT_EQ(patched("\xE2\x80\x9C"
                      "a\xE2\x80\x9D\nb\n",
                      begin("@@\n \"a\"\n-b\n+c\n")),
              "\xE2\x80\x9C"
              "a\xE2\x80\x9D\nc\n");
    EXPECT_EQ(patched("a \na\n", begin("@@\n-a\n+b\n")), "a \nb\n") << "the exact one wins";
}

TEST(PatchApply, keeps_the_line_endings_of_the_file) {
    const std::string patch = unified("@@ -1,3 +1,4 @@\n a\n-b\n+B\n+BB\n c\n");
    EXPECT_EQ(patched("a\r\nb\r\nc\r\n", patch), "a\r\nB\r\nBB\r\nc\r\n");
    EXPECT_EQ(notes("a\r\nb\r\nc\r\n", patch), "hunk 1 matched ignoring line endings;");
    EXPECT_EQ(patched("a\r\nb\nc\r\n", patch), "a\r\nB\nBB\nc\r\n");
    EXPECT_EQ(patched("a\nb\n", unified("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n")), "a\nc\n");
    EXPECT_EQ(patched("a\r\n", unified("@@ -1 +1 @@\n-a\r\n+a\n")), "a\n")
        << "a patch that is exact may change them";
    EXPECT_EQ(patched("a\r\n", begin("+b\n")), "a\r\nb\r\n");
}

TEST(PatchApply, keeps_a_missing_final_newline) {
    EXPECT_EQ(patched("a\nb", unified("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")), "a\nc");
    EXPECT_EQ(patched("a\nb", begin("@@\n b\n+c\n")), "a\nb\nc");
    EXPECT_EQ(patched("a", begin("+b\n")), "a\nb");
    EXPECT_EQ(patched("a", unified("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n")), "a\n");
    EXPECT_EQ(patched("a\n", unified("@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n")), "a");
    EXPECT_EQ(patched("a\nb", begin("@@\n-a\n+c\n")), "c\nb");
}

TEST(PatchApply, follows_anchors) {
    const std::string file = "class A:\n  def f():\n    x\nclass B:\n  def f():\n    x\n";
    EXPECT_EQ(patched(file, begin("@@ class B:\n-    x\n+    y\n")),
              "class A:\n  def f():\n    x\nclass B:\n  def f():\n    y\n");
    EXPECT_EQ(patched(file, begin("@@ class A:\n@@ def f():\n-    x\n+    y\n")),
              "class A:\n  def f():\n    y\nclass B:\n  def f():\n    x\n");
    EXPECT_TRUE(has(patched(file, begin("@@ def f():\n-    x\n+    y\n")), "several places"));
    EXPECT_EQ(patched(file, begin("@@ class B:\n+  z\n")),
              "class A:\n  def f():\n    x\nclass B:\n  z\n  def f():\n    x\n");
    EXPECT_EQ(notes(file, begin("@@ class C:\n-class B:\n+class C:\n")),
              "hunk 1 found without its line '@@ class C:';");
    EXPECT_TRUE(has(patched(file, begin("@@ class C:\n+  z\n")), "not in the file"));
}

TEST(PatchApply, puts_the_end_of_file_at_the_end) {
    EXPECT_EQ(patched("a\nb\na\n", begin("@@\n-a\n+c\n*** End of File\n")), "a\nb\nc\n");
    EXPECT_TRUE(
        has(patched("a\nb\n", begin("@@\n-a\n+c\n*** End of File\n")), "matches at line 1"));
    EXPECT_EQ(patched("a\n", begin("+b\n")), "a\nb\n") << "additions alone go to the end";
}

TEST(PatchApply, takes_hunks_in_the_order_of_the_file) {
    EXPECT_EQ(patched("a\nb\nc\n", begin("@@\n-a\n+A\n@@\n-c\n+C\n")), "A\nb\nC\n");
    EXPECT_TRUE(has(patched("a\nb\nc\n", begin("@@\n-c\n+C\n@@\n-a\n+A\n")),
                    "hunk 2 (line 6 of the patch) matches at line 1"));
    EXPECT_TRUE(
        has(patched("a\nb\n", unified("@@ -1,2 +1 @@\n a\n-b\n@@ -2 +1 @@\n-b\n")), "overlap"));
}

TEST(PatchApply, shows_what_was_expected_and_the_closest_place) {
    const std::string file = "int one() {\n  return 1;\n}\nint two() {\n  return 2;\n}\n";
    const std::string failed =
        patched(file, unified("@@ -4,3 +4,3 @@\n int two() {\n-  return two;\n+  return 3;\n }\n"));
    EXPECT_TRUE(has(failed, "hunk 1 (line 3 of the patch) does not match")) << failed;
    EXPECT_TRUE(has(failed, "Closest text, from line 4")) << failed;
    EXPECT_TRUE(has(failed, "-  return two;\n+  return 2;\n")) << failed;
    EXPECT_TRUE(has(patched(file, unified("@@ -1 +1 @@\n-nothing like it\n+x\n")),
                    "Expected:\nnothing like it\n"));
    EXPECT_TRUE(has(patched("a\nnew\n", unified("@@ -1,2 +1,2 @@\n a\n-old\n+new\n")),
                    "its result is already there, at line 1"));
}

TEST(PatchApply, checks_creation_and_deletion) {
    EXPECT_EQ(run("x\n", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n").error().code,
              Code::kAlreadyExists);
    EXPECT_EQ(patched("a\n", "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"), "");
    EXPECT_TRUE(
        has(patched("a\nb\n", "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"), "does not remove"));
    EXPECT_TRUE(
        has(patched("a\n", "diff --git a/x b/x\ndeleted file mode 100644\n"), "does not remove"));
    EXPECT_EQ(patched("anything", "*** Begin Patch\n*** Delete File: x\n*** End Patch\n"), "");
}

// Only the id of the old file tells it from a line that comes at the top of a file (-U0).
TEST(PatchApply, issue_17_13_a_hunk_for_an_empty_file_is_for_no_other) {
    const std::string hunk = "@@ -0,0 +1 @@\n+b\n";
    const auto git = [&](const std::string& lines) {
        return "diff --git a/x b/x\n" + lines + unified(hunk);
    };
    const std::string sha256 = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";
    const std::string renamed = "rename from x\nrename to y\n";
    for (const std::string& patch :
         {unified(hunk), git(""), git("index e69de29..6178079 100644\n"),
          git("index e69de29bb2d1d6434b8b29ae775ad8c2e48c5391..6178079 100644\n"),
          git("index " + sha256 + "..1 100644\n"),
          "diff --git a/x b/y\n" + renamed + "index e69de29..6178079\n--- a/x\n+++ b/y\n" + hunk}) {
        EXPECT_TRUE(has(patched("a\n", patch), "new or empty")) << patch;
        EXPECT_EQ(patched("", patch), "b\n") << patch;
    }
    EXPECT_EQ(patched("a\n", git("index 7898192..8a3a4d5 100644\n")), "b\na\n");
}

TEST(PatchApply, makes_what_diff_showed) {
    std::mt19937 random(5);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    const auto text = [&] {
        std::string lines;
        for (std::size_t i = random() % 30; i > 0; --i) {
            lines += static_cast<char>('a' + random() % 4);
            if (i > 1 || random() % 3 != 0) lines += random() % 5 == 0 ? "\r\n" : "\n";
        }
        return lines;
    };
    for (int round = 0; round < 5000; ++round) {
        const std::string before = text();
        const std::string after = text();
        const std::size_t context = random() % 4;
        const DiffText diff = unified_diff(before, after, "a/x", "b/x", {.context = context});
        if (diff.text.empty()) continue;
        const std::string id = before.empty() ? "e69de29" : "1111111";
        const std::string header = "diff --git a/x b/x\nindex " + id + "..2222222 100644\n";
        const auto applied = run(before, header + diff.text);
        ASSERT_TRUE(applied) << applied.error().detail << diff.text;
        ASSERT_TRUE(applied->content == after || !applied->notes.empty()) << diff.text;
        // Without context, added lines alone cannot show which endings they mean.
        ASSERT_TRUE(context == 0 || applied->notes.empty()) << applied->notes[0] << diff.text;
    }
}

TEST(PatchApply, is_bounded_on_hostile_input) {
    const std::string file(2'000'000, '\n');
    std::string hunk = "@@ -1 +1 @@\n";
    for (int i = 0; i < 50'000; ++i) hunk += " \n";
    const auto applied = run(file, unified(hunk + "-x\n"));
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().code, Code::kLimitReached);
}

}  // namespace
}  // namespace paddock::text
