// The tools that change files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

#include "tools/desk.h"

namespace paddock::testing {
namespace {

class Change : public Desk {};

TEST_F(Change, write_creates_parents_and_replaces_only_what_was_read) {
    EXPECT_EQ(ok("write_file", {{"path", "a/b/f"}, {"content", "one"}}),
              "Created a/b/f (3 bytes).");
    (void)ok("write_file", {{"path", "a/b/f"}, {"content", "two"}});  // a write counts as a read
    os_write(ws("g"), "theirs");
    EXPECT_EQ(refused("write_file", {{"path", "g"}, {"content", "mine"}}), "not_read");
    read("g");
    os_write(ws("g"), "changed");
    const std::string text = call("write_file", {{"path", "g"}, {"content", "mine"}}).text();
    EXPECT_TRUE(text.starts_with("stale_read: ")) << text;
    EXPECT_NE(text.find("-theirs\n"), std::string::npos) << text;
    EXPECT_NE(text.find("+changed\n"), std::string::npos) << text;
    EXPECT_EQ(os_read(ws("g")), "changed");
    read("g");
    (void)ok("write_file", {{"path", "g"}, {"content", "mine"}});
    EXPECT_EQ(os_read(ws("g")), "mine");
    EXPECT_NE(ok("write_file", {{"path", "g"}, {"content", "mine"}}).find("already has exactly"),
              std::string::npos);
}

TEST_F(Change, a_touched_file_with_the_same_content_is_not_stale) {
    tree({"ROOT/f=same"});
    read("f");
    ASSERT_EQ(::unlink(ws("f").c_str()), 0);
    os_write(ws("f"), "same");
    (void)ok("write_file", {{"path", "f"}, {"content", "new"}});
    EXPECT_EQ(os_read(ws("f")), "new");
}

TEST_F(Change, an_alias_does_not_dodge_the_tracker) {
    tree({"ROOT/d/f=x", "ROOT/link->d/f", "ROOT/hard&ROOT/d/f"});
    EXPECT_EQ(refused("write_file", {{"path", "link"}, {"content", "y"}}), "not_read");
    read("link");
    (void)ok("write_file", {{"path", "d/f"}, {"content", "y"}});
    EXPECT_EQ(os_read(ws("link")), "y");
}

TEST_F(Change, edit_is_exact_and_unique_or_nothing) {
    tree({"ROOT/f=x"});
    os_write(ws("f"), "one\r\ntwo\r\none\r\n");
    read("f");
    EXPECT_EQ(refused("edit_file", {{"path", "f"}, {"old_string", "one"}, {"new_string", "1"}}),
              "ambiguous_match");
    EXPECT_EQ(refused("edit_file", {{"path", "f"}, {"old_string", "three"}, {"new_string", "1"}}),
              "no_match");
    EXPECT_EQ(refused("edit_file", {{"path", "f"}, {"old_string", "one"}}), "invalid_argument");
    (void)ok("edit_file",
             {{"path", "f"}, {"old_string", "two\n"}, {"new_string", "2\n3\n"}, {"dry_run", true}});
    EXPECT_EQ(os_read(ws("f")), "one\r\ntwo\r\none\r\n");
    (void)ok("edit_file", {{"path", "f"}, {"oldText", "two\n"}, {"newText", "2\n3\n"}});
    EXPECT_EQ(os_read(ws("f")), "one\r\n2\r\n3\r\none\r\n");
    json::Array edits{json::Object{{"old_string", "2"}, {"new_string", "4"}},
                      json::Object{{"old_string", "nope"}, {"new_string", "5"}}};
    EXPECT_EQ(refused("edit_file", {{"path", "f"}, {"edits", edits}}), "no_match");
    EXPECT_EQ(os_read(ws("f")), "one\r\n2\r\n3\r\none\r\n");
}

TEST_F(Change, edit_keeps_the_encoding) {
    const std::string latin = "caf\xe9 one\n";
    tree({"ROOT/f=x"});
    os_write(ws("f"), latin);
    read("f");
    (void)ok("edit_file", {{"path", "f"}, {"old_string", "one"}, {"new_string", "two"}});
    EXPECT_EQ(os_read(ws("f")), "caf\xe9 two\n");
}

TEST_F(Change, move_copy_remove_lose_nothing_unasked) {
    tree({"ROOT/a=1", "ROOT/b=2", "ROOT/d/e/f=3", "ROOT/link->a", "ROOT/out->../OUT"});
    EXPECT_EQ(refused("move_path", {{"source", "a"}, {"destination", "b"}}), "already_exists");
    EXPECT_EQ(refused("copy_path", {{"source", "a"}, {"destination", "b"}}), "already_exists");
    (void)ok("move_path", {{"source", "a"}, {"destination", "new/dir/a"}});
    EXPECT_EQ(os_read(ws("new/dir/a")), "1");
    (void)ok("copy_path", {{"source", "d"}, {"destination", "d2"}});
    EXPECT_EQ(os_read(ws("d2/e/f")), "3");
    EXPECT_EQ(refused("copy_path", {{"source", "d"}, {"destination", "d/e/x"}}),
              "invalid_argument");
    EXPECT_EQ(refused("remove_path", {{"path", "d"}}), "already_exists");
    (void)ok("remove_path", {{"path", "d"}, {"recursive", true}});
    EXPECT_FALSE(os_exists(ws("d")));
    (void)ok("remove_path", {{"path", "out"}, {"recursive", true}});
    EXPECT_EQ(secret(), kSecret);
    for (const char* path : {".", "x/..", "/"}) {
        (void)refused("remove_path", {{"path", path}, {"recursive", true}});
        (void)refused("move_path", {{"source", path}, {"destination", "z"}});
    }
    EXPECT_TRUE(os_exists(ws("b")));
}

TEST_F(Change, a_protected_name_is_not_carried_away_with_its_directory) {
    tree({"ROOT/repo/.git/hooks/pre-commit=x", "ROOT/conf/.env=secret"});
    EXPECT_EQ(refused("move_path", {{"source", "repo"}, {"destination", "r2"}}), "denied_by_rule");
    EXPECT_EQ(refused("remove_path", {{"path", "repo"}, {"recursive", true}}), "denied_by_rule");
    EXPECT_EQ(refused("copy_path", {{"source", "conf"}, {"destination", "c2"}}), "denied_by_rule");
    EXPECT_FALSE(os_exists(ws("c2/.env")));
}

TEST_F(Change, patch_is_all_or_nothing) {
    tree({"ROOT/a=1\n", "ROOT/b=2\n", "ROOT/gone=3\n"});
    for (const char* path : {"a", "b", "gone"}) read(path);
    const std::string good =
        "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n"
        "--- /dev/null\n+++ b/n/new\n@@ -0,0 +1 @@\n+fresh\n"
        "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-3\n";
    const std::string bad = good + "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-nope\n+two\n";
    EXPECT_EQ(refused("patch", {{"patch", bad}}), "patch_failed");
    EXPECT_EQ(os_read(ws("a")), "1\n");
    EXPECT_FALSE(os_exists(ws("n")));
    EXPECT_TRUE(os_exists(ws("gone")));
    (void)ok("patch", {{"patch", good}, {"dry_run", true}});
    EXPECT_EQ(os_read(ws("a")), "1\n");
    (void)ok("patch", {{"patch", good}});
    EXPECT_EQ(os_read(ws("a")), "one\n");
    EXPECT_EQ(os_read(ws("n/new")), "fresh\n");
    EXPECT_FALSE(os_exists(ws("gone")));
    EXPECT_NE(ok("patch", {{"patch", good}}).find("already"), std::string::npos)
        << "the same patch again repairs or does nothing";
}

TEST_F(Change, patch_needs_a_read_and_respects_rules) {
    tree({"ROOT/a=1\n"});
    const auto patch = [](const std::string& name) {
        return "--- a/" + name + "\n+++ b/" + name + "\n@@ -1 +1 @@\n-1\n+2\n";
    };
    EXPECT_EQ(refused("patch", {{"patch", patch("a")}}), "not_read");
    EXPECT_EQ(refused("patch", {{"patch", patch("../OUT/secret")}}), "path_escape");
    EXPECT_EQ(refused("patch", {{"patch", patch(".git/config")}}), "denied_by_rule");
}

TEST_F(Change, renames_in_a_patch_keep_the_mode) {
    tree({"ROOT/old=text\n"});
    ASSERT_EQ(::chmod(ws("old").c_str(), 0755), 0);
    read("old");
    (void)ok("patch", {{"patch",
                        "diff --git a/old b/new\nsimilarity index 100%\nrename from old\n"
                        "rename to new\n"}});
    EXPECT_FALSE(os_exists(ws("old")));
    struct stat found = {};
    ASSERT_EQ(::stat(ws("new").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0755U);
}

// Whatever was accepted is in the result; the others were told that they came too late.
TEST_F(Change, sixty_four_threads_edit_one_file) {
    constexpr int kThreads = 64;
    std::string lines;
    for (int i = 0; i < kThreads; ++i) lines += "line " + std::to_string(i) + ";\n";
    tree({"ROOT/f=x"});
    os_write(ws("f"), lines);
    options.limits.calls_per_second.reset();
    options.limits.calls_in_flight.reset();
    read("f");
    std::vector<tools::Answer> answers(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            const std::string name = std::to_string(i);
            answers[static_cast<std::size_t>(i)] =
                call("edit_file", {{"path", "f"},
                                   {"old_string", "line " + name + ";"},
                                   {"new_string", "done " + name + ";"}});
        });
    }
    for (std::thread& thread : threads) thread.join();
    const std::string result = os_read(ws("f")).value_or("");
    int accepted = 0;
    for (int i = 0; i < kThreads; ++i) {
        const tools::Answer& answer = answers[static_cast<std::size_t>(i)];
        const bool is_in = result.find("done " + std::to_string(i) + ";") != std::string::npos;
        EXPECT_EQ(is_in, !answer.error) << answer.text();
        EXPECT_EQ(answer.error.value_or(Code::kStaleRead), Code::kStaleRead) << answer.text();
        accepted += answer.error ? 0 : 1;
    }
    EXPECT_GE(accepted, 1);
    EXPECT_EQ(os_list(ws()).size(), 1U) << "a temporary file was left";
}

}  // namespace
}  // namespace paddock::testing
