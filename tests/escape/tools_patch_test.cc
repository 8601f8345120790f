// Patches: every name in every form of one is a path, and a patch is made whole or not at all.
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "escape/operations.h"
#include "escape/plain_os.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

// A plain diff that changes "old" to "new".
std::string diff(const std::string& before, const std::string& after) {
    return "--- " + before + "\n+++ " + after + "\n@@ -1 +1 @@\n-old\n+new\n";
}

std::string diff_of(const std::string& name) { return diff("a/" + name, "b/" + name); }

std::string git(const std::string& before, const std::string& after, const std::string& lines) {
    return "diff --git " + before + " " + after + "\n" + lines;
}

std::string marked(const std::string& lines) {
    return "*** Begin Patch\n" + lines + "*** End Patch\n";
}

class ToolsPatch : public Desk {
protected:
    ToolsPatch() { options.track_reads = false; }

    // Expects `code` from each patch, tried and dry, and that nothing in or outside changes.
    void expect_refused_patch(Code code, const std::vector<std::string>& patches) {
        const Unchanged outside(out());
        const Unchanged inside(ws());
        for (const std::string& patch : patches) {
            for (const bool dry_run : {true, false}) {
                const auto answer = call("patch", {{"patch", patch}, {"dry_run", dry_run}});
                EXPECT_EQ(code_name(answer.error.value_or(Code::kInternal)), code_name(code))
                    << patch << answer.text();
                const bool as_written = patch.find(base()) != std::string::npos;
                EXPECT_TRUE(as_written || answer.text().find(base()) == std::string::npos)
                    << answer.text();
            }
        }
    }

    // What a patch tool without a guard does: strips a prefix, joins and writes.
    void expect_naive_change(const std::string& name) {
        EXPECT_TRUE(naive_write(name, "new\n"));
        EXPECT_EQ(os_read(out("twin")), "new\n") << name;
        os_write(out("twin"), "old\n");
    }
};

ATTACK_F(ToolsPatch, PA_01, old_name_climbs) {
    tree({"ROOT/f=old\n", "OUT/twin=old\n"});
    expect_naive_change("../OUT/twin");
    expect_refused_patch(
        Code::kPathEscape,
        {diff_of("../OUT/twin"), diff_of("../../etc/passwd"), diff_of("d/../../OUT/twin"),
         diff("../OUT/twin", "../OUT/twin"), diff("a/../OUT/twin", "b/f"),
         "--- a/../OUT/twin\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n",
         git("a/../OUT/twin", "b/../OUT/twin", diff_of("../OUT/twin"))});
}

ATTACK_F(ToolsPatch, PA_02, new_name_is_absolute) {
    tree({"ROOT/f=old\n", "OUT/twin=old\n"});
    expect_naive_change(out("twin"));
    expect_refused_patch(
        Code::kPathEscape,
        {diff("/etc/hosts", "/etc/hosts"), diff("a/f", "/etc/hosts"), diff("f", out("twin")),
         diff(out("twin"), out("twin")), diff(out("twin"), "f"),
         "--- /dev/null\n+++ " + out("new") + "\n@@ -0,0 +1 @@\n+new\n"});
    (void)ok("patch", {{"patch", diff(ws("f"), ws("f"))}});
    EXPECT_EQ(os_read(ws("f")), "new\n") << "an absolute name of an inside file";
}

ATTACK_F(ToolsPatch, PA_03, climbs_once_its_prefix_is_stripped) {
    tree({"ROOT/f=old\n", "ROOT/d/", "OUT/twin=old\n"});
    expect_naive_change("../OUT/twin");
    std::vector<std::string> patches;
    for (const char* pair : {"ab", "ba", "iw", "ci", "cw", "ow"}) {
        const auto side = [&](int i) { return std::string(1, pair[i]) + "/../OUT/twin"; };
        patches.push_back(diff(side(0), side(1)));
        patches.push_back(git(side(0), side(1), diff(side(0), side(1))));
    }
    patches.push_back("--- /dev/null\n+++ b/../OUT/new\n@@ -0,0 +1 @@\n+new\n");
    patches.push_back(diff("a/d/../../OUT/twin", "b/d/../../OUT/twin"));
    expect_refused_patch(Code::kPathEscape, patches);
}

ATTACK_F(ToolsPatch, PA_04, rename_or_copy_leads_outside) {
    tree({"ROOT/f=old\n", "OUT/twin=old\n"});
    expect_naive_change("../OUT/twin");
    std::vector<std::string> patches;
    for (const std::string verb : {"rename", "copy"}) {
        for (const std::string& other :
             {std::string("../new"), std::string("/new"), out("new"), std::string("../OUT/twin")}) {
            patches.push_back(
                git("a/f", "b/" + other, verb + " from f\n" + verb + " to " + other + "\n"));
            patches.push_back(
                git("a/" + other, "b/new", verb + " from " + other + "\n" + verb + " to new\n"));
        }
    }
    expect_refused_patch(Code::kPathEscape, patches);
}

ATTACK_F(ToolsPatch, PA_06, embedded_repository_or_link) {
    tree({"ROOT/f=old\n"});
    for (const std::string mode : {"160000", "120000"}) {
        expect_refused_patch(
            Code::kNotRegularFile,
            {git("a/sub", "b/sub",
                 "new file mode " + mode +
                     "\nindex 0000000..1111111\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n"
                     "+Subproject commit 1111111111111111111111111111111111111111\n"),
             git("a/sub", "b/sub", "new file mode " + mode + "\n"),
             git("a/f", "b/f", "old mode 100644\nnew mode " + mode + "\n"),
             git("a/f", "b/f", "index 1111111..2222222 " + mode + "\n" + diff_of("f"))});
    }
}

ATTACK_F(ToolsPatch, PA_07, diff_without_hunks) {
    tree({"ROOT/f=old\n", "OUT/twin=old\n", "ROOT/l->../OUT", "ROOT/.env=old\n"});
    ASSERT_EQ(::chmod(ws("l/twin").c_str(), 0755), 0) << "the plain OS reaches it";
    for (const std::string name : {"../OUT/twin", "l/twin"}) {
        const auto about = [&](const std::string& lines) {
            return git("a/" + name, "b/" + name, lines);
        };
        expect_refused_patch(
            Code::kPathEscape,
            {about("old mode 100644\nnew mode 100755\n"),
             about("deleted file mode 100644\nindex 1111111..0000000\n"),
             about("new file mode 100644\nindex 0000000..e69de29\n"),
             about("similarity index 100%\nrename from " + name + "\nrename to new\n"),
             about("index 1111111..2222222 100644\n"), about(""),
             about("index 1111111..2222222 120000\n"), about("GIT binary patch\n")});
    }
    expect_refused_patch(Code::kDeniedByRule, {git("a/.env", "b/.env", "index 1..2 100644\n")});
    expect_refused_patch(Code::kInvalidArgument,
                         {git("a/f", "b/f", "index 1111111..2222222 100644\n")});
}

ATTACK_F(ToolsPatch, PA_08, octal_quoted_dots) {
    tree({"ROOT/f=old\n", "OUT/twin=old\n", "ROOT/.env=old\n"});
    expect_naive_change("../OUT/twin");
    const std::string climb = R"("a/\056\056/OUT/twin")";
    const std::string climb_after = R"("b/\056\056/OUT/twin")";
    expect_refused_patch(
        Code::kPathEscape,
        {diff(climb, climb_after), git(climb, climb_after, diff(climb, climb_after)),
         diff(R"("a/\056\056\057OUT\057twin")", R"("b/\056\056\057OUT\057twin")"),
         git("a/f", R"("b/\056./new")", "rename from f\nrename to \"\\056./new\"\n")});
    expect_refused_patch(Code::kDeniedByRule, {diff(R"("a/\056env")", R"("b/\056env")"),
                                               git("a/f", R"("b/\056\145nv")",
                                                   "rename from f\nrename to \"\\056\\145nv\"\n")});
    expect_refused_patch(Code::kInvalidArgument, {diff(R"("a/f\000")", R"("b/f\000")")});
}

ATTACK_F(ToolsPatch, PA_09, marker_form_leads_outside) {
    tree({"ROOT/f=old\n", "OUT/twin=old\n", "ROOT/l->../OUT"});
    expect_naive_change("../OUT/twin");
    std::vector<std::string> patches;
    for (const std::string& name : {std::string("../OUT/twin"), out("twin"),
                                    std::string("d/../../OUT/twin"), std::string("l/twin")}) {
        patches.push_back(marked("*** Update File: " + name + "\n@@\n-old\n+new\n"));
        patches.push_back(
            marked("*** Update File: f\n*** Move to: " + name + "\n@@\n-old\n+new\n"));
        patches.push_back(marked("*** Update File: " + name + "\n*** Move to: new\n"));
        patches.push_back(marked("*** Add File: " + name + "\n+new\n"));
        patches.push_back(marked("*** Delete File: " + name + "\n"));
    }
    expect_refused_patch(Code::kPathEscape, patches);
}

ATTACK_F(ToolsPatch, PA_10, deletion_through_an_outward_link) {
    tree({"OUT/x=old\n", "OUT/twin=old\n", "ROOT/l->../OUT", "ROOT/leaf->../OUT/x"});
    ASSERT_EQ(::unlink(ws("l/twin").c_str()), 0);
    EXPECT_FALSE(os_exists(out("twin"))) << "the careless twin deletes";
    for (const std::string name : {"l/x", "leaf"}) {
        expect_refused_patch(Code::kPathEscape,
                             {"--- a/" + name + "\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n",
                              git("a/" + name, "b/" + name, "deleted file mode 100644\n"),
                              marked("*** Delete File: " + name + "\n")});
    }
    EXPECT_EQ(os_read(out("x")), "old\n");
}

ATTACK_F(ToolsPatch, PA_11, third_of_three_files_escapes) {
    tree({"ROOT/one=old\n", "ROOT/two=old\n", "ROOT/l->../OUT", "OUT/twin=old\n", "ROOT/.env=old\n",
          "ROOT/.git/objects/", "ROOT/.git/refs/", "ROOT/.git/hooks/h=old\n"});
    for (const char* name : {"one", "two", "../OUT/twin"}) EXPECT_TRUE(naive_write(name, "new\n"));
    EXPECT_EQ(os_read(out("twin")), "new\n") << "one after the other, all are made";
    for (const char* name : {"ROOT/one", "ROOT/two", "OUT/twin"}) {
        os_write(base() + "/" + name, "old\n");
    }
    const std::string two = diff_of("one") + diff_of("two");
    const std::string made = "--- /dev/null\n+++ b/new/file\n@@ -0,0 +1 @@\n+new\n";
    for (const std::string name : {"../OUT/twin", "l/twin"}) {
        expect_refused_patch(Code::kPathEscape, {two + diff_of(name), diff_of(name) + two,
                                                 made + two + diff_of(name)});
    }
    expect_refused_patch(Code::kDeniedByRule,
                         {two + diff_of(".env"), two + diff_of(".git/hooks/h")});
}

ATTACK_F(ToolsPatch, PA_12, settings_and_hooks_of_git) {
    tree({"ROOT/.git/config=old\n", "ROOT/.git/hooks/h=old\n", "ROOT/.git/objects/",
          "ROOT/.git/refs/", "ROOT/sub/.git/config=old\n", "ROOT/sub/.git/objects/",
          "ROOT/sub/.git/refs/", "ROOT/g->.git", "ROOT/hook->.git/hooks/h", "ROOT/f=old\n",
          "ROOT/x/"});
    EXPECT_TRUE(naive_write(".git/hooks/h", "old\n"));
    std::vector<std::string> patches;
    for (const std::string name : {".git/config", ".git/hooks/h", "sub/.git/config", "g/config",
                                   "g/hooks/h", "hook", ".git/./config", "x/../.git/config"}) {
        patches.push_back(diff_of(name));
    }
    for (const std::string name : {".git/hooks/h", "g/hooks/h", "hook"}) {
        patches.push_back(git("a/" + name, "b/" + name, "deleted file mode 100644\n"));
        patches.push_back(git("a/" + name, "b/y", "rename from " + name + "\nrename to y\n"));
        patches.push_back(marked("*** Delete File: " + name + "\n"));
    }
    for (const std::string name : {".git/hooks/new", "g/hooks/new", ".git/hooks/deep/er"}) {
        patches.push_back("--- /dev/null\n+++ b/" + name + "\n@@ -0,0 +1 @@\n+new\n");
        patches.push_back(git("a/f", "b/" + name, "rename from f\nrename to " + name + "\n"));
        patches.push_back(git("a/f", "b/" + name, "copy from f\ncopy to " + name + "\n"));
        patches.push_back(marked("*** Add File: " + name + "\n+new\n"));
        patches.push_back(marked("*** Update File: f\n*** Move to: " + name + "\n"));
    }
    expect_refused_patch(Code::kDeniedByRule, patches);
}

ATTACK_F(ToolsPatch, PA_13, exact_name_in_the_header) {
    // Names that a looser reader would take for "f".
    const std::string odd[] = {"f ", " f", "f\r", "f\t1", "\"f\"", "f\\t1", "\"a\\tb\""};
    const auto all = [&](const std::string& content) {
        os_write(ws("f"), content);
        os_write(ws("a\tb"), content);
        for (const std::string& name : odd) os_write(ws(name), content);
    };
    const auto expect_only = [&](const std::string& name, const std::string& patch) {
        all("old\n");
        (void)ok("patch", {{"patch", patch}});
        EXPECT_EQ(os_read(ws(name)), "new\n") << name;
        os_write(ws(name), "old\n");
        for (const std::string& file : os_list(ws())) EXPECT_EQ(os_read(ws(file)), "old\n") << file;
    };
    expect_only("f", diff("a/f\t2026-01-01 00:00:00.000000000 +0000", "b/f\t2026-01-02 00:00:00"));
    expect_only("f", "--- a/f\r\n+++ b/f\r\n@@ -1 +1 @@\r\n-old\r\n+new\r\n");
    expect_only("f ", diff("a/f ", "b/f "));
    expect_only("f ", diff("a/f \t2026-01-01", "b/f \t2026-01-01"));
    expect_only(" f", diff("a/ f", "b/ f"));
    expect_only("f\r", diff(R"("a/f\r")", R"("b/f\r")"));
    expect_only("f\t1", diff(R"("a/f\t1")", R"("b/f\t1")"));
    expect_only("\"f\"", diff(R"("a/\"f\"")", R"("b/\"f\"")"));
    expect_only("f\\t1", diff("a/f\\t1", "b/f\\t1"));
    expect_only("\"a\\tb\"", diff(R"("a/\"a\\tb\"")", R"("b/\"a\\tb\"")"));
    expect_only("a\tb", marked("*** Update File: \"a\\tb\"\n@@\n-old\n+new\n"));
}

ATTACK_F(ToolsPatch, PA_15, set_id_mode) {
    tree({"ROOT/f=old\n"});
    ASSERT_EQ(::chmod(ws("f").c_str(), 0644), 0);
    for (const std::string mode : {"104755", "102755", "106755", "101644"}) {
        expect_refused_patch(
            Code::kInvalidArgument,
            {git("a/f", "b/f", "old mode 100644\nnew mode " + mode + "\n"),
             git("a/n", "b/n", "new file mode " + mode + "\n"),
             git("a/f", "b/f", "index 1111111..2222222 " + mode + "\n" + diff_of("f"))});
    }
    (void)ok("patch", {{"patch", git("a/f", "b/f", "old mode 100644\nnew mode 100755\n")}});
    EXPECT_EQ(os_mode(ws("f")), 0755U);
}

ATTACK_F(ToolsPatch, PA_16, fifo_or_directory) {
    tree({"ROOT/one=old\n", "ROOT/p|", "ROOT/d/f=old\n", "ROOT/in->d", "ROOT/pipe->p"});
    const auto about = [](const std::string& name) {
        return std::vector<std::string>{
            diff_of("one") + diff_of(name),
            diff_of("one") + git("a/" + name, "b/" + name, "deleted file mode 100644\n"),
            diff_of("one") + git("a/" + name, "b/n", "rename from " + name + "\nrename to n\n"),
            diff_of("one") + git("a/d/f", "b/" + name, "copy from d/f\ncopy to " + name + "\n"),
            marked("*** Update File: one\n@@\n-old\n+new\n*** Delete File: " + name + "\n")};
    };
    for (const char* name : {"p", "pipe"}) expect_refused_patch(Code::kNotRegularFile, about(name));
    for (const char* name : {"d", "in", "."})
        expect_refused_patch(Code::kIsADirectory, about(name));
}

}  // namespace
}  // namespace paddock::testing
