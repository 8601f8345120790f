// Which file a patch changes whose two names for it differ.
#include <filesystem>
#include <utility>

#include "escape/operations.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

class PatchTarget : public Desk {
protected:
    static std::string changing(const std::string& before, const std::string& after) {
        return "--- " + before + "\n+++ " + after + "\n@@ -1 +1 @@\n-old\n+new\n";
    }

    // The files hold "old"; the answer's report of a patch that changes one.
    std::string report(std::initializer_list<std::string_view> names, const std::string& patch) {
        for (const std::string& name : os_list(ws())) std::filesystem::remove_all(ws(name));
        for (const std::string_view name : names) {
            tree({"ROOT/" + std::string(name) + "=old\n"});
            read(name);
        }
        const std::string dry = call("patch", {{"patch", patch}, {"dry_run", true}}).text();
        std::string text = call("patch", {{"patch", patch}}).text();
        EXPECT_EQ(dry.substr(dry.find('\n') + 1), text.substr(text.find('\n') + 1));
        return text.starts_with("Applied:\n") ? text.substr(9) : text;
    }
};

TEST_F(PatchTarget, issue_17_13_is_the_name_that_exists) {
    for (const char* time :
         {"", "\t2026-01-31 10:00:00.000000000 +0100", "  2026-01-31 10:00:00"}) {
        const std::string patch =
            changing(std::string("x.c") + time, std::string("x.c.new") + time);
        EXPECT_EQ(report({"x.c"}, patch), "M x.c\n");
        EXPECT_EQ(os_read(ws("x.c")), "new\n");
        EXPECT_EQ(report({"x.c.new"}, patch), "M x.c.new\n");
    }
    EXPECT_EQ(report({"d/x"}, changing("d/x", "e/y")), "M d/x\n");
    EXPECT_EQ(report({"e/y"}, changing("d/x", "e/y")), "M e/y\n");
    EXPECT_EQ(report({"e"}, changing("d/x", "e/y")).substr(0, 3), "not") << "neither";
    EXPECT_EQ(report({"a 2"}, changing("a 2", "a 2.new")), "M a 2\n");
}

TEST_F(PatchTarget, issue_17_13_of_two_is_the_one_that_the_other_adds_to) {
    for (const char* other : {"x.c.new", "x.c~", "x.c.orig"}) {
        EXPECT_EQ(report({"x.c", other}, changing("x.c", other)), "M x.c\n");
        EXPECT_EQ(report({"x.c", other}, changing(other, "x.c")), "M x.c\n");
    }
    EXPECT_EQ(report({"p/x", "p.orig/x"}, changing("p.orig/x", "p/x")), "M p/x\n");
    EXPECT_EQ(report({"x"}, changing("./x", "x")), "M x\n") << "one file";
    for (const auto& [one, other] : {std::pair("old.c", "new.c"), std::pair("p-1/x", "p-2/x"),
                                     std::pair("x", "x.d/x"), std::pair("p/x", "p.new/x")}) {
        const std::string told = report({one, other}, changing(one, other));
        EXPECT_TRUE(told.starts_with("invalid_argument: ")) << told;
        EXPECT_NE(told.find("'" + std::string(one) + "' or '" + other + "'"), told.npos) << told;
        EXPECT_EQ(os_read(ws(one)), "old\n");
        EXPECT_EQ(os_read(ws(other)), "old\n");
    }
}

TEST_F(PatchTarget, issue_17_13_loses_the_directory_that_is_not_there) {
    const std::string epoch = "\t1970-01-01 00:00:00.000000000 +0000";
    const std::string added = "--- proj.orig/d/n" + epoch + "\n+++ proj/d/n\n@@ -0,0 +1 @@\n+new\n";
    const std::string also_added = "--- /dev/null\n+++ proj/m\n@@ -0,0 +1 @@\n+new\n";
    const std::string gone = "--- proj.orig/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n";
    const std::string changed = changing("proj.orig/d/x", "proj/d/x");
    const std::string patch = added + also_added + gone + changed;
    EXPECT_EQ(report({"d/x", "g"}, patch), "A d/n\nA m\nD g\nM d/x\n");
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"d", "m"}));
    EXPECT_EQ(report({"proj/d/x", "proj/g"}, patch),
              "A proj/d/n\nA proj/m\nD proj/g\nM proj/d/x\n");
    EXPECT_EQ(report({"proj.orig/d/x", "proj.orig/g"}, patch),
              "A proj.orig/d/n\nA proj.orig/m\nD proj.orig/g\nM proj.orig/d/x\n");
    EXPECT_EQ(report({"x"}, also_added), "A proj/m\n") << "nothing says otherwise";
    // The names of a git diff are those of the repository.
    const std::string git = "diff --git proj/m proj/m\nnew file mode 100644\n";
    EXPECT_EQ(report({"d/x"}, changed + git + also_added), "M d/x\nA proj/m\n");
}

// Whichever name is looked at, the rules are asked of it.
TEST_F(PatchTarget, issue_17_13_no_name_leads_past_the_rules) {
    tree({"ROOT/f=old\n", "ROOT/.env=old\n", "OUT/twin=old\n", "ROOT/l->../OUT"});
    read("f");
    const Unchanged inside(ws());
    const Unchanged outside(out());
    const auto code = [&](const std::string& before, const std::string& after) {
        return refused("patch", {{"patch", changing(before, after)}});
    };
    EXPECT_EQ(code("f", ".env"), "denied_by_rule");
    EXPECT_EQ(code(".env", "f"), "denied_by_rule");
    EXPECT_EQ(code("p.orig/.env", "p/.env"), "denied_by_rule");
    EXPECT_EQ(code("f", "../OUT/twin"), "path_escape");
    EXPECT_EQ(code("../OUT/twin", "f"), "path_escape");
    EXPECT_EQ(code("p.orig/../../OUT/twin", "p/../../OUT/twin"), "path_escape");
    EXPECT_EQ(code("p.orig/l/twin", "p/l/twin"), "path_escape");
    os_write(ws("unread"), "old\nunread\n");
    EXPECT_EQ(code("unread", "unread.new"), "not_read");
    ASSERT_EQ(std::filesystem::remove(ws("unread")), true);
}

}  // namespace
}  // namespace paddock::testing
