// The tools as commands for people, in a pipe.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/utf8.h"
#include "cli/run.h"
#include "testing/jail.h"
#include "testing/shell.h"

namespace paddock::testing {
namespace {

class Commands : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
    }

    Ran run(std::vector<std::string> words, const std::string& input = {}) const {
        return paddock(words, {.directory = ws(), .input = input});
    }

    // What it prints; a test failure if it says more or does not end with 0.
    std::string ok(const std::vector<std::string>& words, const std::string& input = {}) const {
        const Ran ran = run(words, input);
        EXPECT_EQ(ran.exit_code, 0) << words[0] << ": " << ran.err;
        EXPECT_EQ(ran.err, "") << words[0];
        return ran.out;
    }

    // What it complains of; a test failure if it prints anything or ends otherwise.
    std::string refused(const std::vector<std::string>& words, int exit_code,
                        const std::string& input = {}) const {
        const Ran ran = run(words, input);
        EXPECT_EQ(ran.exit_code, exit_code) << words[0] << ": " << ran.out;
        EXPECT_EQ(ran.out, "") << words[0];
        EXPECT_TRUE(ran.err.starts_with("paddock: ")) << ran.err;
        return ran.err;
    }
};

TEST_F(Commands, errors_name_options_and_leave_names_of_files_alone) {
    tree({"ROOT/a=x\nx\n", "ROOT/overwrite=y", "ROOT/d/old_string=z", "ROOT/replace_all="});
    const auto says = [this](const std::vector<std::string>& words, std::string_view part,
                             int exit_code = 1) {
        const std::string text = refused(words, exit_code);
        EXPECT_NE(text.find(part), text.npos) << text;
    };
    says({"cp", "a", "overwrite"},
         "'overwrite' already exists. Choose another name, or set "
         "--overwrite.");
    says({"mv", "a", "overwrite"}, "or set --overwrite.");
    says({"rm", "d"}, "then set --recursive to remove all of it");
    says({"edit", "a", "--old", "x", "--new", "y"},
         "--old-string matches 2 places, at lines 1, 2. Add lines around it until it is unique, or "
         "set --replace-all.");
    says({"edit", "a", "--old", "x", "--new", "x"}, "--old-string and --new-string are equal", 2);
    says({"grep", "x", "--type", "nope"}, "Name the files instead, such as --glob '*.txt'.", 2);
    says({"cp", "a", "replace_all"}, "'replace_all' already exists");
    says({"rm", "old_string"}, "'old_string' does not exist");
    says({"cat", "old_string/"}, "'old_string/'");
    const Ran denied =
        paddock({"edit", "d/old_string", "--old", "x", "--new", "y"},
                {.directory = ws(), .variables = {{"PADDOCK_RULES", "deny old_string"}}});
    EXPECT_NE(denied.err.find("is protected by the workspace's rule 'old_string'."),
              std::string::npos)
        << denied.err;
}

TEST_F(Commands, cat_gives_the_text_and_keeps_remarks_apart) {
    tree({"ROOT/a=x", "ROOT/b=x", "ROOT/empty="});
    os_write(ws("a"), "one\n\ttwo\n\n[not a remark]\n");
    os_write(ws("b"), "1\n2\n3\n");
    EXPECT_EQ(ok({"cat", "a"}), "one\n\ttwo\n\n[not a remark]\n");
    EXPECT_EQ(ok({"cat", "a", "b", "--limit", "9"}), "one\n\ttwo\n\n[not a remark]\n1\n2\n3\n");
    EXPECT_EQ(ok({"cat", "-n", "b", "--offset=2"}), "     2\t2\n     3\t3\n");
    const Ran cut = run({"cat", "b", "--limit", "1"});
    EXPECT_EQ(cut.exit_code, 0);
    EXPECT_EQ(cut.out, "1\n");
    EXPECT_EQ(cut.err, "paddock: Lines 1-1 of 3; continue with --offset 2.\n");
    const Ran empty = run({"cat", "empty"});
    EXPECT_EQ(empty.exit_code, 0);
    EXPECT_EQ(empty.out, "");
    EXPECT_EQ(empty.err, "paddock: empty is empty.\n");
    EXPECT_NE(refused({"cat", "bb"}, 1).find("not_found: 'bb' does not exist."), std::string::npos);
    EXPECT_NE(refused({"cat", "."}, 1).find("Look into it with paddock ls."), std::string::npos);
    EXPECT_NE(refused({"cat", "read_file"}, 1).find("'read_file' does not exist"),
              std::string::npos);
    const Ran both = run({"cat", "none", "b"});
    EXPECT_EQ(both.exit_code, 1) << "the worst";
    EXPECT_EQ(both.out, "1\n2\n3\n") << "one that fails does not hide the others";
}

TEST_F(Commands, cat_shows_what_an_agent_would_see) {
    tree({"ROOT/.env=x", "ROOT/f=x"});
    std::string token = "ghp_";
    for (int i = 0; i < 36; ++i) token += "aB3dE5gH7jK9mN"[i * 5 % 14];
    os_write(ws("f"), "t " + token + "\n");
    EXPECT_EQ(ok({"cat", "f"}).find(token), std::string::npos);
    EXPECT_NE(refused({"cat", ".env"}, 1).find("denied_by_rule"), std::string::npos);
    EXPECT_NE(refused({"cat", "../OUT/secret"}, 1).find("path_escape"), std::string::npos);
}

TEST_F(Commands, limits_of_the_workspace_hold) {
    tree({"ROOT/a=1", "ROOT/b=2", "ROOT/c=3"});
    const auto limited = [&](const char* limit, const char* value,
                             const std::vector<std::string>& words) {
        return paddock(words, {.directory = ws(), .variables = {{limit, value}}});
    };
    const std::string write = R"({"path": "new", "content": "12345"})";
    const Ran full = limited("PADDOCK_LIMITS_BYTES_ON_DISK", "4096", {"call", "write_file", write});
    EXPECT_EQ(full.exit_code, 1) << full.out;
    EXPECT_NE(full.err.find("quota_exceeded"), std::string::npos) << full.err;
    EXPECT_EQ(limited("PADDOCK_LIMITS_BYTES_ON_DISK", "4096", {"mkdir", "new"}).exit_code, 1);
    EXPECT_EQ(limited("PADDOCK_LIMITS_BYTES_WRITTEN", "4", {"call", "write_file", write}).exit_code,
              1);
    EXPECT_FALSE(os_exists(ws("new")));
    EXPECT_EQ(limited("PADDOCK_LIMITS_BYTES_READ", "2", {"cat", "a", "b", "c"}).out, "1\n2\n");
    EXPECT_EQ(limited("PADDOCK_LIMITS_CALLS_PER_SECOND", "1", {"cat", "a", "b", "c"}).out,
              "1\n2\n3\n")
        << "one command";
}

TEST_F(Commands, ls_gives_a_name_on_each_line) {
    tree(
        {"ROOT/d/f=12345", "ROOT/a=1", "ROOT/l->d/f", "ROOT/o->../OUT", "ROOT/p|", "ROOT/ x  9=1"});
    const std::string all = "d/\n\" x  9\"\na\nl -> d/f\no -> (outside the workspace)\np  (fifo)\n";
    EXPECT_EQ(ok({"ls"}), all);
    EXPECT_EQ(ok({"ls", "d"}), "f\n");
    EXPECT_EQ(ok({"ls", "-s", "d"}), "f  5\n");
    EXPECT_EQ(ok({"ls", "--root", ws("d")}), "f\n");
    EXPECT_EQ(ok({"ls", "--ignore=p", "--ignore", "*x*", "--ignore=[ol]", "--depth", "2"}),
              "d/\n  f\na\n");
    EXPECT_EQ(ok({"ls", "d", "."}), "d:\nf\n\n.:\n" + all);
    (void)refused({"ls", "none"}, 1);
}

TEST_F(Commands, grep_prints_as_grep_does) {
    tree({"ROOT/a.c=x", "ROOT/b/c=needle\n", "ROOT/bin=x"});
    os_write(ws("a.c"), "one\nNeedle x\ntwo\n3\n4\nneedle\n");
    os_write(ws("bin"), std::string("needle\0needle\n", 14));
    EXPECT_EQ(ok({"grep", "needle", "a.c"}), "a.c:6:needle\n");
    EXPECT_EQ(ok({"grep", "-i", "-C1", "needle", "a.c"}),
              "a.c-1-one\na.c:2:Needle x\na.c-3-two\n--\na.c-5-4\na.c:6:needle\n");
    EXPECT_EQ(ok({"grep", "needle"}), "a.c:6:needle\nb/c:1:needle\nbin: binary file matches\n");
    EXPECT_EQ(ok({"grep", "-il", "needle", "--glob", "*.c"}), "a.c\n");
    EXPECT_EQ(ok({"grep", "-ci", "needle", "a.c"}), "a.c:2\n");
    EXPECT_NE(refused({"grep", "haystack"}, 1).find("No matches in 3 files"), std::string::npos);
    EXPECT_NE(refused({"grep", "("}, 2).find("invalid_argument"), std::string::npos);
    const Ran cut = run({"grep", "e", "a.c", "--head-limit=1"});
    EXPECT_EQ(cut.out, "a.c:1:one\n");
    EXPECT_NE(cut.err.find("continue with --offset 1"), std::string::npos) << cut.err;
}

TEST_F(Commands, issue_17_17_a_pipe_gets_all_that_is_found) {
    std::string text;
    for (int i = 0; i < 6000; ++i) text += "needle " + std::to_string(i) + "\n";
    const std::string wide = "needle" + std::string(3000, 'x') + "\n";
    os_write(ws("a"), text + wide);
    for (int i = 0; i < 120; ++i) os_write(ws("f" + std::to_string(i)), "");
    const std::string found = ok({"grep", "needle"});
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 6001);
    EXPECT_TRUE(found.ends_with(wide)) << "lines are whole too";
    const std::string files = ok({"glob", "f*"});
    EXPECT_EQ(std::count(files.begin(), files.end(), '\n'), 120);

    const Ran some = run({"grep", "needle", "--head-limit", "4500"});
    EXPECT_EQ(std::count(some.out.begin(), some.out.end(), '\n'), 4500);
    EXPECT_NE(some.err.find("continue with --offset 4500"), some.err.npos) << some.err;
    const Ran few = run({"glob", "f*", "--limit=100"});
    EXPECT_EQ(std::count(few.out.begin(), few.out.end(), '\n'), 100);

    const std::string agent =
        ok({"call", "grep", R"({"pattern":"needle","output_mode":"content"})"});
    EXPECT_NE(agent.find("continue with offset=250"), agent.npos) << "a model has no room for it";
}

TEST_F(Commands, flags_of_habit_are_taken_where_they_are_true) {
    tree({"ROOT/a=needle\n", "ROOT/.h=x", "ROOT/d/b=needle\n"});
    const std::string found = ok({"grep", "needle", "."});
    EXPECT_EQ(found, "a:1:needle\nd/b:1:needle\n");
    EXPECT_EQ(ok({"grep", "-n", "needle"}), found);
    EXPECT_EQ(ok({"grep", "-r", "needle", "."}), found);
    EXPECT_EQ(ok({"grep", "-rnHE", "needle|thread", "."}), found);
    EXPECT_EQ(ok({"ls", "-a"}), "d/\n.h\na\n");
    EXPECT_EQ(ok({"ls", "-la"}), ok({"ls", "--sizes"}));
    EXPECT_EQ(ok({"ls", "-l", "d"}), "b  7\n");
    (void)ok({"mkdir", "-p", "x/y"});
    (void)ok({"mkdir", "-p", "x/y"});
    (void)ok({"cp", "-r", "d", "x/y/d"});
    EXPECT_EQ(os_read(ws("x/y/d/b")), "needle\n");
    (void)refused({"cp", "-r", "a", "d/b"}, 1);
    (void)ok({"cp", "-f", "a", "d/b"});
    (void)refused({"rm", "-f", "x"}, 1);
    (void)ok({"rm", "-rf", "x"});
    EXPECT_FALSE(os_exists(ws("x")));
    (void)refused({"rm", "-rf", "x"}, 1);
    // It would not be done.
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"grep", "-v", "needle"},
                                               {"grep", "-P", "needle"},
                                               {"grep", "-R", "needle"},
                                               {"grep", "-o", "needle"},
                                               {"ls", "-R"},
                                               {"ls", "-t"},
                                               {"cp", "-a", "a", "n"},
                                               {"cp", "-p", "a", "n"},
                                               {"rm", "-i", "a"},
                                               {"mkdir", "-m", "700", "n"}}) {
        EXPECT_NE(refused(words, 2).find("unknown option '" + words[1] + "'"), std::string::npos);
    }
}

TEST_F(Commands, glob_and_info) {
    tree({"ROOT/[id]=1", "ROOT/d/e.c=12"});
    EXPECT_EQ(ok({"glob", "*.c"}), "d/e.c\n");
    EXPECT_EQ(ok({"glob", "\\[id\\]"}), "[id]\n") << "looks like a remark";
    EXPECT_NE(refused({"glob", "*.h"}, 1).find("No files match."), std::string::npos);
    EXPECT_NE(ok({"info", "d/e.c"}).find("type: file\nsize: 2\n"), std::string::npos);
}

TEST_F(Commands, changing_needs_no_read_before) {
    tree({"ROOT/a=one two\n"});
    EXPECT_EQ(ok({"write", "n/f"}, "text\n"), "Created n/f (5 bytes).\n");
    EXPECT_EQ(os_read(ws("n/f")), "text\n");
    (void)ok({"write", "n/f"}, "other\n");
    EXPECT_EQ(os_read(ws("n/f")), "other\n");
    EXPECT_NE(ok({"edit", "a", "--old", "one", "--new", "1", "-n"}).find("Would change"),
              std::string::npos);
    EXPECT_EQ(os_read(ws("a")), "one two\n");
    (void)ok({"edit", "a", "--old", "one ", "--new="});
    EXPECT_EQ(os_read(ws("a")), "two\n");
    const std::string diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-two\n+three\n";
    EXPECT_EQ(ok({"patch", "--dry-run"}, diff), "Would apply cleanly:\nM a\n");
    EXPECT_EQ(ok({"patch"}, diff), "Applied:\nM a\n");
    os_write(out("p"), "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-three\n+four\n");
    (void)ok({"patch", out("p")});
    EXPECT_EQ(os_read(ws("a")), "four\n") << "a patch is a file of one's own";
    (void)ok({"mkdir", "x/y", "z"});
    (void)ok({"cp", "a", "z/b"});
    (void)ok({"mv", "z/b", "c"});
    (void)refused({"mv", "a", "c"}, 1);
    (void)refused({"rm", "n"}, 1);
    (void)ok({"rm", "-r", "n", "x", "z", "c"});
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"a"});
}

TEST_F(Commands, a_call_is_a_session_too) {
    tree({"ROOT/a=one\n"});
    EXPECT_EQ(ok({"call", "read_file", R"({"path":"a"})"}), "     1\tone\n");
    (void)ok({"call", "edit_file", "-"}, R"({"path":"a","old_string":"one","new_string":"two"})");
    EXPECT_EQ(os_read(ws("a")), "two\n");
    const Setting read_only{.directory = ws(), .variables = {{"READ_ONLY", "1"}}};
    const Ran refused_there = paddock({"mkdir", "new"}, read_only);
    EXPECT_EQ(refused_there.exit_code, 1);
    EXPECT_NE(refused_there.err.find("the workspace, which is read-only"), std::string::npos);
    EXPECT_NE(refused({"call", "write_file", R"({"path":"a","content":""})", "--read-only"}, 1)
                  .find("not_available"),
              std::string::npos);
    for (const char* words : {"edit", "write", "patch", "call"}) {
        std::string help = ok({words, "--help"});
        std::replace(help.begin(), help.end(), '\n', ' ');
        EXPECT_NE(help.find("is its own session"), std::string::npos) << words;
    }
}

TEST_F(Commands, names_that_are_not_text_can_be_given) {
    const std::string odd = "a\xff\x1b[31m";
    os_write(ws(odd), "content\n");
    EXPECT_EQ(ok({"ls"}), "\"a\\377\\033[31m\"\n");
    EXPECT_EQ(ok({"cat", odd}), "content\n");
    EXPECT_EQ(ok({"cat", R"("a\377\033[31m")"}), "content\n") << "as ls shows it";
    EXPECT_EQ(ok({"grep", "-l", "content"}), "\"a\\377\\033[31m\"\n");
    (void)ok({"mv", odd, "b\xfe"});
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"b\xfe"});
}

TEST_F(Commands, bytes_that_are_not_text_are_refused_not_damaged) {
    tree({"ROOT/a=one\n"});
    EXPECT_NE(refused({"write", "f"}, 2, "caf\xe9").find("not text in UTF-8"), std::string::npos);
    EXPECT_FALSE(os_exists(ws("f")));
    EXPECT_NE(refused({"edit", "a", "--old", "one", "--new", "\xe9"}, 2).find("--new"),
              std::string::npos);
    EXPECT_NE(refused({"grep", "\xe9"}, 2).find("PATTERN"), std::string::npos);
}

// JSON has no bytes: the patch does not pass through it. What is said of it is text.
TEST_F(Commands, issue_17_13_a_diff_of_a_file_in_latin_1) {
    const std::string token = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8";
    os_write(ws("caf\xe9"), "caf\xe9\nth\xe9\ntoken = " + token + "\n");
    const auto diff = [](const std::string& before, const std::string& after) {
        return "--- a/caf\xe9\n+++ b/caf\xe9\n@@ -1,2 +1,2 @@\n-" + before + "\n+" + after +
               "\n th\xe9\n";
    };
    EXPECT_EQ(ok({"patch"}, diff("caf\xe9", "\xe9t\xe9")), "Applied:\nM \"caf\\351\"\n");
    EXPECT_EQ(os_read(ws("caf\xe9")), "\xe9t\xe9\nth\xe9\ntoken = " + token + "\n");
    os_write(out("p"), diff("\xe9t\xe9", "caf\xe9"));
    EXPECT_EQ(text_of(run({"patch", out("p"), "--json"}).json().at("message")),
              "Applied:\nM \"caf\\351\"\n");
    EXPECT_TRUE(is_utf8(run({"log", "--json"}).out));
    EXPECT_NE(ok({"log"}).find("patch"), std::string::npos);
    // What it does not match is shown, but for the secret.
    const std::string wrong = "@@ -2,2 +2,2 @@\n th\xe8\n-token = x\n+token = y\n";
    for (const char* output : {"", "--json"}) {
        const std::vector<std::string> words{"patch", *output == '\0' ? "--dry-run" : output};
        const Ran ran = run(words, "--- a/caf\xe9\n+++ b/caf\xe9\n" + wrong);
        EXPECT_EQ(ran.exit_code, 1);
        const std::string said = ran.out + ran.err;
        EXPECT_NE(said.find("does not match"), said.npos) << said;
        EXPECT_TRUE(is_utf8(said)) << said;
        EXPECT_EQ(said.find(token), said.npos) << said;
    }
}

TEST_F(Commands, a_root_that_is_none_is_told) {
    tree({"ROOT/file=x", "ROOT/d/in=x", "ROOT/link->d"});
    EXPECT_NE(refused({"ls", "--root", "none"}, 2).find("'none': does not exist"),
              std::string::npos);
    EXPECT_NE(refused({"ls", "--root", "file"}, 2).find("not_a_directory"), std::string::npos);
    EXPECT_EQ(ok({"ls", "--root", "link"}), "in\n") << "the operator may name it by a link";
}

TEST_F(Commands, a_directory_that_may_not_be_written_is_told) {
    if (is_root()) GTEST_SKIP() << "root may write anywhere";
    tree({"ROOT/d/"});
    ASSERT_EQ(::chmod(ws("d").c_str(), 0555), 0);
    EXPECT_NE(refused({"write", "d/new"}, 1, "x").find("permission_denied"), std::string::npos);
}

TEST_F(Commands, json_is_one_document_for_each_call) {
    tree({"ROOT/a=one\n", "ROOT/d/ b=12", "ROOT/empty="});
    const auto result = [this](const std::vector<std::string>& words) {
        return run(words).json().at("result");
    };
    const auto cat = run({"cat", "a", "--json"}).json();
    EXPECT_EQ(text_of(cat.at("tool")), "read_file");
    EXPECT_EQ(text_of(cat.at("result").at("lines").at(0).at("text")), "one");
    EXPECT_EQ(cat.at("result").at("lines").at(0).at("number").as_int64(), 1);
    EXPECT_EQ(text_of(run({"cat", "empty", "--json"}).json().at("message")), "empty is empty.");
    const auto listed = result({"ls", "--depth=2", "--json"});
    EXPECT_EQ(text_of(listed.at("entries").at(1).at("path")), "\"d/ b\"");
    EXPECT_EQ(listed.at("entries").at(1).at("size").as_int64(), 2);
    const auto found = result({"grep", "one", "--json"});
    EXPECT_EQ(text_of(found.at("files").at(0).at("lines").at(0).at("text")), "one");
    EXPECT_EQ(text_of(result({"glob", "a", "--json"}).at("paths").at(0)), "a");
    EXPECT_EQ(text_of(result({"info", "a", "--json"}).at("type")), "file");
    EXPECT_EQ(result({"info", "a", "--json"}).at("size").as_int64(), 4);
    EXPECT_EQ(text_of(run({"rm", "a", "--json"}).json().at("message")), "Removed a.");
    const Ran none = run({"grep", "one", "--json"});
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_TRUE(none.json().at("result").at("files").as_array().empty());
    EXPECT_TRUE(text_of(none.json().at("message")).starts_with("No matches in "));
    const Ran two = run({"info", "d", "none", "--json"});
    EXPECT_EQ(std::count(two.out.begin(), two.out.end(), '\n'), 2);
    EXPECT_GE(run({"tools", "--json"}).json().at("tools").as_array().size(), 14U);
    EXPECT_EQ(text_of(result({"call", "read_file", R"({"path":"d/ b"})", "--json"})
                          .at("content")
                          .at(0)
                          .at("text")),
              "     1\t12\n");
    EXPECT_EQ(run({"call", "grep", R"({"pattern":"none"})", "--json"}).exit_code,
              run({"call", "grep", R"({"pattern":"none"})"}).exit_code);
}

TEST_F(Commands, json_has_the_same_members_for_every_command_and_for_errors) {
    tree({"ROOT/a=one\ntwo\n", "ROOT/b=x", "ROOT/d/"});
    const auto check = [this](const std::vector<std::string>& given, const char* path,
                              const char* error, bool has_message, bool has_result) {
        std::vector<std::string> words = given;
        words.emplace_back("--json");
        const auto document = run(words, "text").json();
        std::vector<std::string> names;
        for (const auto& member : document.as_object()) names.emplace_back(member.key());
        EXPECT_EQ(names, (std::vector<std::string>{"tool", "path", "error", "message", "result"}))
            << words[0];
        const auto is = [&](const char* name, const char* expected) {
            const auto& value = document.at(name);
            if (expected == nullptr) {
                EXPECT_TRUE(value.is_null()) << words[0] << " " << name;
            } else {
                EXPECT_EQ(text_of(value), expected) << words[0];
            }
        };
        is("path", path);
        is("error", error);
        EXPECT_EQ(document.at("message").is_string(), has_message) << words[0];
        EXPECT_EQ(document.at("result").is_object(), has_result) << words[0];
    };
    check({"cat", "a"}, "a", nullptr, false, true);
    check({"cat", "a", "--limit", "1"}, "a", nullptr, true, true);
    check({"ls"}, ".", nullptr, false, true);
    check({"grep", "one"}, ".", nullptr, false, true);
    check({"glob", "*", "d"}, "d", nullptr, true, true);
    check({"info", "d"}, "d", nullptr, false, true);
    check({"write", "new"}, "new", nullptr, true, false);
    check({"edit", "a", "--old", "one", "--new", "1"}, "a", nullptr, true, false);
    check({"mkdir", "d/e"}, "d/e", nullptr, true, false);
    check({"cp", "a", "c"}, nullptr, nullptr, true, false);
    check({"mv", "c", "e"}, nullptr, nullptr, true, false);
    check({"rm", "e"}, "e", nullptr, true, false);
    check({"call", "read_file", R"({"path":"a"})"}, "a", nullptr, false, true);
    check({"cat", "none"}, "none", "not_found", true, false);
    check({"grep", "("}, ".", "invalid_argument", true, false);
    check({"patch"}, nullptr, "invalid_argument", true, false);
    check({"mv", "a", "b"}, nullptr, "already_exists", true, false);
    check({"call", "read_file", R"({"path":"none"})"}, "none", "not_found", true, true);
    check({"call", "nothing"}, nullptr, "not_available", true, true);
    const auto cut = run({"cat", "a", "--limit", "1", "--json"}).json();
    EXPECT_EQ(text_of(cut.at("message")), "Lines 1-1 of 2; continue with --offset 2.");
    const auto directory = run({"cat", "d", "--json"}).json();
    EXPECT_EQ(text_of(directory.at("message")),
              "'d' is a directory. Look into it with paddock ls.");
    const Ran refused_there =
        paddock({"mkdir", "n", "--json"}, {.directory = ws(), .variables = {{"READ_ONLY", "1"}}});
    EXPECT_EQ(refused_there.exit_code, 1);
    EXPECT_EQ(text_of(refused_there.json().at("error")), "read_only");
    EXPECT_EQ(refused_there.err, "");
}

TEST_F(Commands, a_reader_that_goes_away_ends_it_quietly) {
    std::string lines;
    for (int i = 0; i < 1700; ++i) lines += "a line of some length\n";
    os_write(ws("f"), lines);
    EXPECT_EQ(run_shell(ws(), std::string("(") + PADDOCK_BINARY +
                                  " grep line --head-limit 2000; echo $? >code) 2>err | head -n 1 "
                                  ">out && test ! -s err && grep -qE \"^(0|141)$\" code"),
              0);
}

TEST_F(Commands, a_list_of_tools_is_the_one_that_an_agent_gets) {
    const Ran info = run({"call", "workspace_info"});
    EXPECT_NE(info.out.find("bash"), std::string::npos) << info.out;
    EXPECT_NE(run({"call", "no_such_tool"}).err.find("bash"), std::string::npos);
}

// It would be ended with the session at once, and nobody could read what it prints.
TEST_F(Commands, call_bash_starts_nothing_that_ends_with_the_call) {
    for (const char* argument : {"run_in_background", "background", "terminal", "tty"}) {
        const std::string arguments =
            R"({"command": "echo > made", ")" + std::string(argument) + R"(": true})";
        EXPECT_NE(refused({"call", "bash", arguments}, 2).find("paddock run"), std::string::npos);
        EXPECT_NE(
            run({"call", "bash", arguments, "--json"}).out.find(R"("error":"invalid_argument")"),
            std::string::npos);
    }
    EXPECT_TRUE(os_list(ws()).empty());
    EXPECT_NE(run({"call", "bash", R"({"command": "exit 3", "terminal": false})"}).exit_code, 2);
}

TEST_F(Commands, call_bash_ends_with_the_exit_code_of_the_command) {
    tree({"ROOT/a=x"});
    const auto call = [this](const std::string& arguments, const std::vector<std::string>& more) {
        std::vector<std::string> words{"call", "bash", arguments};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    const std::vector<std::string> json{"--json"};
    const Ran failed = call(R"({"command": "echo x > b; exit 7"})", json);
    if (failed.out.find("sandbox_unavailable") != failed.out.npos) GTEST_SKIP() << failed.out;
    EXPECT_EQ(failed.exit_code, 7) << failed.out;
    EXPECT_NE(failed.out.find(R"("command":{"id":"b1","running":false,"exit_code":7,"signal":null,)"
                              R"("duration_ms":)"),
              failed.out.npos)
        << failed.out;
    EXPECT_NE(failed.out.find(R"("ended_by":null,"changes":)"), failed.out.npos) << failed.out;
    if (failed.out.find(R"("changes":null)") == failed.out.npos) {
        EXPECT_NE(failed.out.find(R"("files":[{"change":"made","path":"b"}],"more":0})"),
                  failed.out.npos)
            << failed.out;
    }
    EXPECT_NE(failed.out.find(R"("denials":[],"more_denials":false})"), failed.out.npos)
        << failed.out;
    EXPECT_EQ(call(R"({"command": "exit 7"})", {}).exit_code, 7);
    EXPECT_EQ(call(R"({"command": "true"})", json).exit_code, 0);
    const Ran killed = call(R"({"command": "kill -9 $$"})", json);
    EXPECT_EQ(killed.exit_code, 137);
    EXPECT_NE(killed.out.find(R"("exit_code":null,"signal":"SIGKILL")"), killed.out.npos);
    const Ran late = call(R"({"command": "sleep 1000", "timeout_ms": 100})", json);
    EXPECT_EQ(late.exit_code, 137) << "as with paddock run";
    EXPECT_NE(late.out.find(R"("ended_by":"timeout")"), late.out.npos) << late.out;
    EXPECT_EQ(call(R"({"command": "true", "cwd": "none"})", json).exit_code, 1);
    EXPECT_EQ(call(R"({"comand": "true"})", json).exit_code, 2);
    EXPECT_EQ(run({"call", "read_file", R"({"path": "a"})", "--json"}).out.find("\"command\""),
              std::string::npos);
}

}  // namespace
}  // namespace paddock::testing
