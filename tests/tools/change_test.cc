// The tools that change files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <paddock/limits.h>

#include "escape/call_hook.h"
#include "escape/in_memory.h"
#include "escape/operations.h"
#include "journal/prune.h"
#include "json/write.h"
#include "testing/secret_samples.h"
#include "tools/desk.h"
#include "tools/files.h"

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

// A disk without room for the last thing that is made.
TEST_F(Change, issue_17_9_a_change_that_fails_leaves_no_directories) {
    tree({"ROOT/from=x", "ROOT/tree/in/none/", "ROOT/tree/in/z=x"});
    const std::vector<std::pair<const char*, json::Object>> calls = {
        {"write_file", {{"path", "a/b/f"}, {"content", "x"}}},
        {"make_directory", {{"path", "a/b/c"}}},
        {"move_path", {{"source", "from"}, {"destination", "a/b/f"}}},
        {"copy_path", {{"source", "from"}, {"destination", "a/b/f"}}},
        {"copy_path", {{"source", "tree"}, {"destination", "a/b/tree"}}},
        {"patch", {{"patch", "--- /dev/null\n+++ b/a/b/f\n@@ -0,0 +1 @@\n+x\n"}}}};
    begin_journal();
    for (const auto& [tool, arguments] : calls) {
        for (const sys::Call failing :
             {sys::Call::kMkdir, sys::Call::kWrite, sys::Call::kRename, sys::Call::kCopyRange}) {
            for (int nth = 1, count = nth; count >= nth; ++nth) {
                count = 0;
                bool failed = false;
                {
                    const CallHook hook([&](sys::Call call) {
                        const bool fails = call == failing && ++count == nth;
                        return sys::Fault{.error = fails ? ENOSPC : 0, .bytes_max = 0};
                    });
                    failed = call(tool, arguments).error.has_value();
                }
                if (failed) {
                    EXPECT_FALSE(os_exists(ws("a"))) << tool << " " << nth;
                } else {
                    std::filesystem::remove_all(ws("a"));
                    os_write(ws("from"), "x");
                }
            }
        }
    }
}

TEST_F(Change, a_touched_file_with_the_same_content_is_not_stale) {
    tree({"ROOT/f=same"});
    read("f");
    ASSERT_EQ(::unlink(ws("f").c_str()), 0);
    os_write(ws("f"), "same");
    (void)ok("write_file", {{"path", "f"}, {"content", "new"}});
    EXPECT_EQ(os_read(ws("f")), "new");
}

// A hash gets memory that held another one, with something else written into it since.
TEST_F(Change, the_same_content_is_always_the_same) {
    const std::string content(3000, 'x');
    ReadTracker& reads = workspace().reads();
    std::vector<std::unique_ptr<ReadTracker::Passing>> others(16);
    std::vector<std::string> clutter(16);
    std::mt19937 random(1);
    for (int i = 0; i < 10'000; ++i) {
        others[random() % 16] = std::make_unique<ReadTracker::Passing>(reads);
        clutter[random() % 16] = std::string(random() % 1200, 'c');
        others[random() % 16].reset();
        reads.mark_read({}, "f", content);
        ASSERT_TRUE(reads.has_been_read({}, "f", content)) << i;
    }
}

TEST_F(Change, an_inode_that_is_used_again_confuses_nobody) {
    tree({"ROOT/a=1", "ROOT/b=2"});
    const auto identity = [&](const char* name) { return root().stat(name).value().identity; };
    ReadTracker& reads = workspace().reads();
    reads.mark_read(identity("a"), "a", "1");
    reads.mark_read(identity("b"), "b", "2");
    // "a" was replaced, and "c" has got its inode; "b" has that of nobody known.
    reads.mark_read(identity("a"), "c", "3");
    EXPECT_TRUE(reads.has_been_read(identity("a"), "a", "1"));
    EXPECT_TRUE(reads.has_been_read(identity("b"), "a", "1"));
    EXPECT_TRUE(reads.has_been_read(identity("b"), "c", "3"));
    EXPECT_FALSE(reads.has_been_read(identity("a"), "a", "2"));
    EXPECT_EQ(reads.last_read("a")->content, "1");
    EXPECT_FALSE(reads.last_read("d")) << "whoever has the inode of a file that was read";
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

TEST_F(Change, a_name_that_looks_quoted_is_that_file) {
    const std::string looks_quoted = R"("a\tb")";
    tree({"ROOT/a\tb=plain"});
    os_write(ws(looks_quoted), "quoted");
    const std::string path = R"("\"a\\tb\"")";
    read(path);
    (void)ok("edit_file", {{"path", path}, {"old_string", "quoted"}, {"new_string", "new"}});
    EXPECT_EQ(os_read(ws(looks_quoted)), "new");
    EXPECT_EQ(os_read(ws("a\tb")), "plain");
}

TEST_F(Change, an_unconfined_session_changes_what_it_read) {
    tree({"ROOT/f=old", "OUT/g=old"});
    options.unconfined = permit::Unconfined{"a test"};
    for (const std::string& path : {std::string("f"), out("g"), std::string("../OUT/g")}) {
        read(path);
        (void)ok("edit_file", {{"path", path}, {"old_string", "old"}, {"new_string", "new"}});
        (void)ok("edit_file", {{"path", path}, {"old_string", "new"}, {"new_string", "old"}});
    }
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
    EXPECT_FALSE(os_exists(ws("d/e/x"))) << "something was left of it";
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
    tree({"ROOT/conf/.env=secret", "ROOT/d/config.json={}"});
    for (const char* tool : {"move_path", "copy_path"}) {
        EXPECT_EQ(refused(tool, {{"source", "conf"}, {"destination", "c2"}}), "denied_by_rule");
    }
    EXPECT_FALSE(os_exists(ws("c2/.env")));
    (void)ok("move_path", {{"source", "d"}, {"destination", "docker"}});
}

// Repositories that are not the workspace's own can go where they like, and away.
TEST_F(Change, a_repository_inside_is_moved_and_removed) {
    tree({"ROOT/repo/.git/hooks/pre-commit=x", "ROOT/repo/.git/objects/", "ROOT/repo/.git/refs/"});
    (void)ok("move_path", {{"source", "repo"}, {"destination", "r2"}});
    EXPECT_EQ(refused("copy_path", {{"source", "r2"}, {"destination", "r3"}}), "denied_by_rule");
    (void)ok("remove_path", {{"path", "r2"}, {"recursive", true}});
    EXPECT_FALSE(os_exists(ws("r2")));
}

// The owner's "git init" would complete it.
TEST_F(Change, no_part_of_a_repository_is_made_before_it) {
    tree({"ROOT/x/hooks/pre-commit=x", "ROOT/n/", "ROOT/y/config=[core]\n\tfsmonitor = x\n"});
    for (const char* path : {"new/.git/hooks/pre-commit", "n/.git/hooks/pre-commit"}) {
        EXPECT_EQ(refused("write_file", {{"path", path}, {"content", "x"}}), "denied_by_rule");
    }
    for (const char* source : {"x", "y"}) {
        for (const char* tool : {"move_path", "copy_path"}) {
            EXPECT_EQ(refused(tool, {{"source", source}, {"destination", "n/.git"}}),
                      "denied_by_rule")
                << tool << ' ' << source;
        }
    }
    EXPECT_FALSE(os_exists(ws("n/.git/hooks/pre-commit")));
    EXPECT_FALSE(os_exists(ws("n/.git/config")));
}

TEST_F(Change, settings_of_git_are_judged_by_what_they_say) {
    tree({"ROOT/.git/objects/", "ROOT/.git/refs/", "ROOT/.git/config=[core]\n\tbare = false\n"});
    read(".git/config");
    const auto config = [](const std::string& text) {
        return json::Object{{"path", ".git/config"}, {"content", text}};
    };
    (void)ok("write_file", config("[core]\n\tbare = false\n[user]\n\tname = n\n"));
    const std::string text = call("write_file", config("[core]\n\tfsmonitor = evil\n")).text();
    EXPECT_NE(text.find("denied_by_rule: "), text.npos) << text;
    EXPECT_NE(text.find("core.fsmonitor"), text.npos) << text;
}

TEST_F(Change, dots_and_slashes_at_the_end_ask_for_a_directory) {
    tree({"ROOT/f=x", "ROOT/d/g=x", "ROOT/l->d"});
    const Unchanged inside(ws());
    for (const char* path : {"f/", "f/."}) {
        EXPECT_EQ(refused("read_file", {{"path", path}}), "not_a_directory") << path;
        EXPECT_EQ(refused("write_file", {{"path", path}, {"content", "y"}}), "not_a_directory");
    }
    for (const char* path : {"new/", "new/.", "d/", "d/.", "d/g/.."}) {
        EXPECT_EQ(refused("write_file", {{"path", path}, {"content", "y"}}), "is_a_directory");
    }
    for (const char* path : {"d/.", "d/g/..", "d/../d/."}) {
        EXPECT_EQ(refused("remove_path", {{"path", path}, {"recursive", true}}),
                  "invalid_argument");
        EXPECT_EQ(refused("move_path", {{"source", path}, {"destination", "n"}}),
                  "invalid_argument");
        EXPECT_EQ(refused("move_path", {{"source", "f"}, {"destination", path}}),
                  "invalid_argument");
        EXPECT_EQ(refused("copy_path", {{"source", "d"}, {"destination", "n/."}}),
                  "invalid_argument");
    }
    for (const char* tool : {"move_path", "copy_path"}) {
        EXPECT_EQ(refused(tool, {{"source", "f"}, {"destination", "d/"}}), "not_a_directory");
        EXPECT_EQ(refused(tool, {{"source", "f/"}, {"destination", "n"}}), "not_a_directory");
        EXPECT_EQ(refused(tool, {{"source", "d"}, {"destination", "f/"}}), "not_a_directory");
    }
    for (const char* path : {"f/", "l/"}) {
        EXPECT_EQ(refused("remove_path", {{"path", path}}), "not_a_directory") << path;
        EXPECT_EQ(refused("file_info", {{"path", path}}), "not_a_directory") << path;
    }
}

TEST_F(Change, what_is_no_directory_is_named_with_what_to_do) {
    tree({"ROOT/f=x", "ROOT/d/g=x", "ROOT/l->d/g", "ROOT/p|"});
    const Unchanged inside(ws());
    const auto says = [this](const char* tool, const json::Object& arguments,
                             const std::string& expected) {
        EXPECT_EQ(call(tool, arguments).text(), expected) << tool;
    };
    const std::string is_file =
        " is a file, not a directory. Read it with read_file, look at it with file_info, or give "
        "its directory: ";
    for (const std::string path : {"f", "f/", "f/."}) {
        const std::string told = "not_a_directory: '" + path + "'" + is_file + "'.'.";
        says("list_directory", {{"path", path}}, told);
        says("glob", {{"pattern", "*"}, {"path", path}}, told);
    }
    says("list_directory", {{"path", "l"}}, "not_a_directory: 'l'" + is_file + "'d'.");
    says("list_directory", {{"path", "p"}},
         "not_a_directory: 'p' is a fifo, not a directory. Look at it with file_info, or give its "
         "directory: '.'.");
    says("list_directory", {{"path", "f/x"}},
         "not_a_directory: 'f/x' is not a directory, or goes through something that is not a "
         "directory. Check each part of the path.");
    says("make_directory", {{"path", "f"}},
         "already_exists: 'f' already exists and is a file, not a directory. Choose another name.");
    const std::string stays =
        "not_a_directory: 'f' is not a directory and cannot be replaced by one. Choose another "
        "destination, or remove it first.";
    const json::Object onto{{"source", "d"}, {"destination", "f"}, {"overwrite", true}};
    says("move_path", onto, stays);
    says("copy_path", onto, stays + " Nothing was copied.");
}

TEST_F(Change, a_directory_that_must_not_be_named_twice_is_not_advised) {
    tree({"ROOT/d/d/f=x", "ROOT/e/"});
    const Unchanged inside(ws());
    for (const char* tool : {"move_path", "copy_path"}) {
        EXPECT_EQ(refused(tool, {{"source", "d"}, {"destination", "d"}}), "invalid_argument");
        const std::string up = call(tool, {{"source", "d/d"}, {"destination", "d"}}).text();
        EXPECT_TRUE(up.ends_with("already exists. Choose another name.")) << up;
        const std::string in = call(tool, {{"source", "d"}, {"destination", "e"}}).text();
        EXPECT_TRUE(in.ends_with("Name the new path in it: 'e/d'.")) << in;
    }
}

TEST_F(Change, overwriting_needs_a_read) {
    tree({"ROOT/new=new", "ROOT/old=old", "ROOT/d/f=new", "ROOT/e/f=old"});
    const std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0\x90wS\xde", 33);
    os_write(ws("picture"), png);
    const json::Object onto_old{{"source", "new"}, {"destination", "old"}, {"overwrite", true}};
    EXPECT_EQ(refused("copy_path", onto_old), "not_read");
    EXPECT_EQ(refused("move_path", onto_old), "not_read");
    EXPECT_EQ(refused("copy_path", {{"source", "d"}, {"destination", "e"}, {"overwrite", true}}),
              "not_read");
    EXPECT_EQ(refused("write_file", {{"path", "picture"}, {"content", "x"}}), "not_read");
    read("old");
    read("picture");
    (void)ok("move_path", onto_old);
    EXPECT_EQ(os_read(ws("old")), "new");
    (void)ok("write_file", {{"path", "picture"}, {"content", "x"}});
    EXPECT_EQ(os_read(ws("e/f")), "old");
}

TEST_F(Change, issue_17_15_what_is_known_needs_no_read) {
    tree({"ROOT/read=known\n", "ROOT/copy=known\n", "ROOT/empty=", "ROOT/other=unknown\n"});
    (void)ok("write_file", {{"path", "empty"}, {"content", "x"}});
    EXPECT_EQ(refused("write_file", {{"path", "copy"}, {"content", "x"}}), "not_read");
    read("read");
    (void)ok("copy_path", {{"source", "read"}, {"destination", "by-tool"}});
    for (const char* path : {"copy", "by-tool"}) {
        (void)ok("edit_file", {{"path", path}, {"old_string", "known"}, {"new_string", "new"}});
    }
    const std::string text = call("write_file", {{"path", "other"}, {"content", "x"}}).text();
    EXPECT_TRUE(text.starts_with("not_read: ")) << text;
    EXPECT_NE(text.find("The output of a command does not count."), text.npos) << text;
    // A change of what was read stays one, whatever it became.
    for (const char* now : {"", "known\n"}) {
        os_write(ws("f"), "mine");
        read("f");
        os_write(ws("f"), now);
        EXPECT_EQ(refused("write_file", {{"path", "f"}, {"content", "x"}}), "stale_read");
    }
}

TEST_F(Change, to_restore_what_has_gone_is_stale) {
    tree({"ROOT/f=old"});
    const Root linkless = root().linkless();
    const auto rules = policy::PathRules::compile({}, {}).value();
    policy::Meter meter({});
    tools::DiskUse disk(root(), ".", std::nullopt);
    tools::Recorder recorder({linkless, {}, linkless, true, {}});
    tools::HiddenFiles hidden(
        root(), {}, linkless, rules, {},
        {.made = [](const Stat&) { return false; }, .written = [](const Stat&) { return false; }});
    const tools::Files files({.root = root(),
                              .linkless = linkless,
                              .base = {},
                              .rules = rules,
                              .recorder = recorder,
                              .hidden = hidden,
                              .meter = meter,
                              .disk = disk});
    const auto change = files.prepare("f");
    ASSERT_TRUE(change);
    ASSERT_TRUE(files.commit(*change, "new"));
    std::filesystem::remove(ws("f"));
    const auto restored = files.restore(*change, "new");
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, Code::kStaleRead);
}

// Close to the least: four names in ".git", the config, the entries of hooks.
TEST_F(Change, looks_at_each_part_of_a_repository_once) {
    if (root().resolver() == ResolverKind::kWalk) GTEST_SKIP() << "each name takes calls there";
    tree({"ROOT/first=old", "ROOT/plain/f=old", "ROOT/repository/f=old",
          "ROOT/repository/.git/HEAD=x", "ROOT/repository/.git/config=[core]\n\tbare = false\n",
          "ROOT/repository/.git/hooks/"});
    std::string content;
    const auto calls = [&](const std::string& path) {
        read(path);
        content += "x";
        return count_calls([&] { (void)ok("write_file", {{"path", path}, {"content", content}}); });
    };
    (void)calls("first");  // opens the journal
    const auto plain = calls("plain/f");
    EXPECT_LE(calls("repository/f"), plain + 11);
}

TEST_F(Change, leaves_a_hook_of_a_bare_repository_and_nothing_beside_it) {
    tree({"ROOT/srv/HEAD=x", "ROOT/srv/objects/", "ROOT/srv/refs/", "ROOT/srv/hooks/update=mine"});
    read("srv/hooks/update");
    EXPECT_EQ(refused("write_file", {{"path", "srv/hooks/update"}, {"content", "evil"}}),
              "denied_by_rule");
    EXPECT_EQ(refused("write_file", {{"path", "srv/hooks/d/new"}, {"content", "evil"}}),
              "denied_by_rule");
    EXPECT_EQ(os_list(ws("srv/hooks")), std::vector<std::string>{"update"});
    EXPECT_EQ(os_read(ws("srv/hooks/update")), "mine");
}

TEST_F(Change, leaves_hooks_of_a_repository_behind_a_link) {
    tree({"ROOT/.git->lnk/git", "ROOT/lnk->real", "ROOT/real/git/objects/", "ROOT/real/git/refs/",
          "ROOT/real/git/HEAD=x", "ROOT/real/git/config=[core]\n hooksPath = hk\n"});
    EXPECT_EQ(refused("write_file", {{"path", "hk/pre-commit"}, {"content", "evil"}}),
              "denied_by_rule");
    (void)ok("write_file", {{"path", "other/pre-commit"}, {"content", "x"}});
}

TEST_F(Change, leaves_hooks_that_a_config_names_from_the_home_of_the_user) {
    tree({"ROOT/.git/HEAD=x", "ROOT/.git/config=[core]\n hooksPath = ~/ROOT/hk\n"});
    const json::Object hook = {{"path", "hk/pre-commit"}, {"content", "evil"}};
    options.host_environment = {"HOME=" + base()};
    EXPECT_EQ(refused("write_file", hook), "denied_by_rule");
    options.host_environment.clear();
    reopen();
    (void)ok("write_file", hook);
}

class Meanwhile : public InMemoryOf<Change> {
protected:
    Meanwhile() { options.limits.calls_per_second.reset(); }
};

class DeepTree : public InMemoryOf<Change> {};

TEST_F(DeepTree, issue_17_12_is_moved_removed_and_pruned) {
    make_deep_tree(ws("x"), 20'000);
    (void)ok("move_path", {{"source", "x"}, {"destination", "d/y"}});
    EXPECT_FALSE(os_exists(ws("x")));
    (void)ok("remove_path", {{"path", "d/y"}, {"recursive", true}});
    EXPECT_EQ(os_list(ws("d")), std::vector<std::string>());
    reopen();
    const auto later = std::chrono::system_clock::now() + std::chrono::hours(24 * 31);
    EXPECT_EQ(journal::prune(root().fd(), later, {}).value().sessions, 1U);
}

TEST_F(DeepTree, issue_17_12_is_removed_where_nothing_is_recorded) {
    options.unconfined = permit::Unconfined{"a test"};
    make_deep_tree(out("x"), 20'000);
    (void)ok("remove_path", {{"path", out("x")}, {"recursive", true}});
    EXPECT_FALSE(os_exists(out("x")));
}

// However deep it lies.
TEST_F(DeepTree, issue_17_12_stays_where_a_rule_protects_something_in_it) {
    options.rules = {{"top/**/own-?.txt", PathAccess::kReadOnly}};
    const auto expect_kept = [&](int levels, const char* leaf) {
        make_deep_tree(ws("top"), levels, leaf);
        const json::Object to_y{{"source", "top"}, {"destination", "y"}};
        EXPECT_EQ(refused("remove_path", {{"path", "top"}, {"recursive", true}}), "denied_by_rule");
        EXPECT_EQ(refused("move_path", to_y), "denied_by_rule") << levels << leaf;
        EXPECT_OK(root().remove_all("top"));
    };
    for (const int levels : {10, 1000}) {
        for (const char* leaf : {".env", ".ENV~", "own-1.txt"}) expect_kept(levels, leaf);
    }
    expect_kept(20'000, "own-1.txt");
    make_deep_tree(ws("x"), 500, "own-1.txt");
    EXPECT_EQ(refused("move_path", {{"source", "x"}, {"destination", "top"}}), "denied_by_rule");
    (void)ok("move_path", {{"source", "x"}, {"destination", "y"}});
}

// What has to be judged by its whole path, and where a rule means every name.
TEST_F(DeepTree, issue_17_12_is_refused_where_too_much_would_be_judged) {
    options.rules = {{"other/*", PathAccess::kReadOnly}};
    make_deep_tree(ws("x"), 1000);
    (void)ok("move_path", {{"source", "x"}, {"destination", "y"}});
    (void)ok("remove_path", {{"path", "y"}, {"recursive", true}});
    make_deep_tree(ws("x"), 7000);
    EXPECT_EQ(refused("remove_path", {{"path", "x"}, {"recursive", true}}), "limit_reached");
    EXPECT_OK(root().remove_all("x"));
}

// At whatever moment. What is recorded goes as a whole or not at all.
TEST_F(Meanwhile, issue_17_12_a_removal_or_move_ends_when_it_is_cancelled) {
    options.unconfined = permit::Unconfined{"a test"};
    const auto cancelled_at = [&](int n, const std::string& tool, const json::Object& arguments) {
        std::stop_source stop;
        int calls = 0;
        const CallHook hook([&](sys::Call) {
            if (++calls == n) stop.request_stop();
            return sys::Fault{};
        });
        return tools::call(workspace(), tool, json::to_text(arguments),
                           {.cancel = stop.get_token()});
    };
    for (const std::string& at : {ws(), out()}) {
        const std::string d = at + "/d";
        const std::pair<std::string, json::Object> calls[] = {
            {"remove_path", {{"path", d}, {"recursive", true}}},
            {"move_path", {{"source", d}, {"destination", at + "/to/e"}}}};
        for (const auto& [tool, arguments] : calls) {
            int whole = 0;
            int partly = 0;
            for (int n = 1;; ++n) {
                tree({"ROOT/d/a/f=x", "ROOT/d/b/f=x", "OUT/d/a/f=x", "OUT/d/b/f=x"});
                const tools::Answer answer = cancelled_at(n, tool, arguments);
                if (!answer.error) break;
                EXPECT_EQ(answer.error, Code::kCancelled) << answer.text();
                const bool is_whole = os_exists(d + "/a/f") && os_exists(d + "/b/f");
                const bool warns = answer.text().find("may be removed") != std::string::npos;
                EXPECT_TRUE(is_whole || warns) << tool << n << ": " << answer.text();
                EXPECT_FALSE(os_exists(at + "/to"));
                ++(is_whole ? whole : partly);
            }
            EXPECT_FALSE(os_exists(d));
            std::filesystem::remove_all(at + "/to");
            EXPECT_GT(whole, 10) << tool << " " << at;
            EXPECT_EQ(partly > 0, tool == "remove_path" && at == out()) << tool << " " << at;
        }
    }
}

TEST_F(Meanwhile, a_copy_replaces_only_what_was_read) {
    const auto set_up = [&] {
        os_write(ws("new"), "new");
        os_write(ws("old"), "old");
        read("old");
    };
    bool was_changed = false;
    const auto change = [&] {
        os_write(ws("old"), "theirs");
        was_changed = true;
    };
    const json::Object onto_old{{"source", "new"}, {"destination", "old"}, {"overwrite", true}};
    at_every_call(set_up, change, [&] {
        was_changed = false;
        const tools::Answer answer = call("copy_path", onto_old);
        EXPECT_EQ(os_read(ws("old")), was_changed ? "theirs" : "new") << answer.text();
    });
}

// The file has been judged and only has to go. The edit must wait; how long it is given does not
// matter.
TEST_F(Meanwhile, a_removal_takes_no_change_with_it) {
    tree({"ROOT/f=old"});
    read("f");
    // The journal of the session is there: its own renames are over.
    (void)ok("make_directory", {{"path", "other"}});
    std::atomic<bool> is_begun = false;
    std::future<tools::Answer> edit;
    const CallHook hook([&](sys::Call which) {
        if (which == sys::Call::kRename && !is_begun.exchange(true)) {
            edit = std::async(std::launch::async, [&] {
                return call("edit_file",
                            {{"path", "f"}, {"old_string", "old"}, {"new_string", "new"}});
            });
            (void)edit.wait_for(std::chrono::milliseconds(100));
        }
        return sys::Fault{};
    });
    (void)ok("patch", {{"patch", "*** Begin Patch\n*** Delete File: f\n*** End Patch\n"}});
    const tools::Answer answer = edit.get();
    EXPECT_TRUE(answer.error) << answer.text();
    EXPECT_FALSE(os_exists(ws("f")));
}

// Where names ignore case, "f" and "F" are the same name: what looks at either finds the file.
TEST_F(Meanwhile, a_move_to_another_case_loses_nothing) {
    tree({"ROOT/f=old"});
    bool was_moved = false;
    const auto is_called = [&](const char* name, const char* other) {
        if (os_exists(ws(other))) std::filesystem::rename(ws(other), ws(name));
    };
    int looks = 0;
    const CallHook hook([&](sys::Call which) {
        if (was_moved && which == sys::Call::kStat) {
            ++looks % 2 == 1 ? is_called("f", "F") : is_called("F", "f");
        }
        if (was_moved && which == sys::Call::kUnlink) is_called("f", "F");
        was_moved = was_moved || which == sys::Call::kRename;
        return sys::Fault{};
    });
    (void)call("move_path", {{"source", "f"}, {"destination", "F"}, {"overwrite", true}});
    EXPECT_TRUE(os_read(ws("f")) == "old" || os_read(ws("F")) == "old");
    EXPECT_GE(looks, 2);
}

// A patch that removes two files sets the first one aside until all else is done.
TEST_F(Meanwhile, issue_17_7_a_file_set_aside_is_dropped_as_it_was_read) {
    const std::string patch =
        "*** Begin Patch\n*** Delete File: f\n*** Delete File: g\n*** End Patch\n";
    const auto contents = [&] {
        std::multiset<std::string> all;
        for (const std::string& name : os_list(ws())) all.insert(os_read(ws(name)).value_or(""));
        return all;
    };
    for (const bool replaces : {false, true}) {
        int n = 0;
        int calls = 0;
        int kept = 0;
        do {
            tree({"ROOT/f=old", "ROOT/g=x"});
            ::unlink(ws("new").c_str());
            read("f");
            read("g");
            const UniqueFd file(::open(ws("f").c_str(), O_WRONLY | O_CLOEXEC));
            bool was_changed = false;
            ++n;
            calls = 0;
            tools::Answer answer;
            {
                const CallHook hook([&](sys::Call) {
                    if (++calls != n) return sys::Fault{};
                    if (replaces && os_exists(ws("f"))) {
                        os_write(ws("new"), "theirs");
                        was_changed = ::rename(ws("new").c_str(), ws("f").c_str()) == 0;
                    } else if (!replaces && contents().contains("old")) {
                        was_changed = ::pwrite(file.get(), "theirs", 6, 0) == 6;
                    }
                    return sys::Fault{};
                });
                answer = call("patch", {{"patch", patch}});
            }
            const bool is_there = contents().contains("theirs");
            EXPECT_EQ(is_there, was_changed) << n << ": " << answer.text();
            EXPECT_EQ(answer.error.has_value(), was_changed) << n << ": " << answer.text();
            for (const std::string& name : os_list(ws()))
                EXPECT_FALSE(name.starts_with(".paddock-")) << n << ": " << answer.text();
            kept += is_there ? 1 : 0;
        } while (calls >= n);
        EXPECT_GT(kept, 20) << replaces;
    }
}

// A patch that renames a file means the one that was read.
TEST_F(Meanwhile, issue_17_7_a_rename_takes_only_what_was_read) {
    const std::string patch =
        "diff --git a/f b/moved\nsimilarity index 100%\nrename from f\nrename to moved\n";
    const auto set_up = [&] {
        tree({"ROOT/f=old"});
        ::unlink(ws("moved").c_str());
        read("f");
    };
    bool was_changed = false;
    const auto change = [&] {
        if (!os_exists(ws("f"))) return;
        os_write(ws("new"), "theirs");
        was_changed = ::rename(ws("new").c_str(), ws("f").c_str()) == 0;
    };
    int refused = 0;
    at_every_call(set_up, change, [&] {
        was_changed = false;
        const tools::Answer answer = call("patch", {{"patch", patch}});
        EXPECT_EQ(answer.error.has_value(), was_changed) << answer.text();
        EXPECT_EQ(os_read(ws(was_changed ? "f" : "moved")), was_changed ? "theirs" : "old");
        EXPECT_FALSE(os_exists(ws(was_changed ? "moved" : "f")));
        refused += was_changed ? 1 : 0;
    });
    EXPECT_GT(refused, 10);
}

// Between the last look at a file and its removal nobody can be kept out.
TEST_F(Meanwhile, a_removal_takes_only_what_was_read) {
    tree({"ROOT/r/.git/HEAD=x", "ROOT/r/.git/config=", "ROOT/r/d/"});
    int n = 0;
    int calls = 0;
    do {
        os_write(ws("r/d/f"), "old");
        read("r/d/f");
        bool was_changed = false;
        ++n;
        calls = 0;
        const CallHook hook([&](sys::Call which) {
            if (++calls == n && which != sys::Call::kUnlink) {
                os_write(ws("r/d/f"), "theirs");
                was_changed = true;
            }
            return sys::Fault{};
        });
        const tools::Answer answer =
            call("patch", {{"patch", "*** Begin Patch\n*** Delete File: r/d/f\n*** End Patch\n"}});
        EXPECT_EQ(os_exists(ws("r/d/f")), was_changed) << n << ": " << answer.text();
    } while (calls >= n);
    EXPECT_GT(n, 20);
}

TEST_F(Meanwhile, a_directory_that_went_is_not_made_again) {
    const auto set_up = [&] {
        tree({"ROOT/d/f=old"});
        read("d/f");
    };
    const auto go = [&] { std::filesystem::remove_all(ws("d")); };
    at_every_call(set_up, go, [&] {
        const tools::Answer answer = call("write_file", {{"path", "d/f"}, {"content", "new"}});
        EXPECT_FALSE(answer.error && os_exists(ws("d"))) << answer.text();
    });
}

// What an earlier call replaced is kept, whatever fails later.
TEST_F(Change, that_fails_takes_nothing_from_the_journal) {
    tree({"ROOT/c=old", "ROOT/d/x=x", "ROOT/x=x", "ROOT/y=y"});
    const auto kept = [this] {
        const std::string sessions = ws(".paddock");
        std::vector<std::string> names;
        for (const auto& each : std::filesystem::directory_iterator(sessions)) {
            if (each.is_directory()) names = os_list(each.path().string() + "/kept");
        }
        return names;
    };
    read("c");
    (void)ok("write_file", {{"path", "c"}, {"content", "new"}});
    const auto before = kept();
    EXPECT_EQ(before.size(), 1U);
    read("y");
    EXPECT_EQ(refused("move_path", {{"source", "x"}, {"destination", "y"}}), "already_exists");
    EXPECT_EQ(refused("copy_path", {{"source", "x"}, {"destination", "y"}}), "already_exists");
    {
        const CallHook hook([](sys::Call which) {
            return sys::Fault{.error = which == sys::Call::kRename ? EIO : 0, .bytes_max = 0};
        });
        EXPECT_TRUE(call("write_file", {{"path", "y"}, {"content", "new"}}).error);
        EXPECT_TRUE(call("write_file", {{"path", "new"}, {"content", "new"}}).error);
        const json::Object over{{"source", "x"}, {"destination", "y"}, {"overwrite", true}};
        EXPECT_TRUE(call("move_path", over).error);
    }
    EXPECT_EQ(kept(), before);
}

TEST_F(Change, a_link_that_stays_inside_is_followed_and_stays) {
    tree({"ROOT/f=one\n", "ROOT/l->f", "ROOT/d/", "ROOT/gone->d/new", "ROOT/lost->none/new",
          "ROOT/out->../OUT/none"});
    read("l");
    (void)ok("edit_file", {{"path", "l"}, {"old_string", "one"}, {"new_string", "two"}});
    EXPECT_EQ(os_read(ws("f")), "two\n");
    read("l");
    (void)ok("write_file", {{"path", "l"}, {"content", "three\n"}});
    EXPECT_EQ(os_read(ws("f")), "three\n");
    (void)ok("write_file", {{"path", "gone"}, {"content", "made\n"}});
    EXPECT_EQ(os_read(ws("d/new")), "made\n") << "what it names is created";
    for (const char* link : {"l", "gone"}) {
        EXPECT_TRUE(std::filesystem::is_symlink(ws(link))) << link;
    }
    EXPECT_EQ(refused("write_file", {{"path", "lost"}, {"content", "x"}}), "not_found");
    EXPECT_EQ(refused("write_file", {{"path", "out"}, {"content", "x"}}), "path_escape");
    (void)ok("copy_path", {{"source", "l"}, {"destination", "copy"}});
    (void)ok("move_path", {{"source", "l"}, {"destination", "moved"}});
    (void)ok("remove_path", {{"path", "gone"}});
    for (const char* link : {"copy", "moved"}) {
        EXPECT_TRUE(std::filesystem::is_symlink(ws(link))) << link;
    }
    EXPECT_EQ(os_read(ws("d/new")), "made\n");
}

TEST_F(Change, what_a_replacement_does_to_encoding_and_line_endings_is_told) {
    const std::string utf16(
        "\xFF\xFE"
        "a\0\r\0\n\0",
        8);
    const auto write = [&](std::string_view before, const std::string& after) {
        os_write(ws("f"), before);
        read("f");
        const std::string text = ok("write_file", {{"path", "f"}, {"content", after}});
        return text.substr(std::min(text.find(").") + 2, text.size()));
    };
    EXPECT_EQ(write(utf16, "b\n"),
              "\n"
              "[The file was UTF-16 LE with BOM and is UTF-8 now. Its lines ended in CRLF and end "
              "in LF now. Use edit_file to keep them.]");
    EXPECT_EQ(write("\xEF\xBB\xBF"
                    "a\n",
                    "b\n"),
              "\n[The file was UTF-8 with BOM and is UTF-8 now. Use edit_file to keep them.]");
    EXPECT_EQ(write("caf\xE9\n", "b\n"),
              "\n[The file was Latin-1 and is UTF-8 now. Use edit_file to keep them.]");
    EXPECT_EQ(write("a\r\nb\r\n", "b\n"),
              "\n[Its lines ended in CRLF and end in LF now. Use edit_file to keep them.]");
    EXPECT_EQ(write("a\r\nb\n", "b\n"),
              "\n[Its lines ended in LF and CRLF and end in LF now. Use edit_file to keep them.]");
    EXPECT_EQ(write("a\r\n", "b\r\nc\r\n"), "");
    EXPECT_EQ(write("a\r\n", "b"), "") << "no line ends";
    EXPECT_EQ(write("\xEF\xBB\xBF"
                    "a\n",
                    "\xEF\xBB\xBF"
                    "b\n"),
              "");
    EXPECT_EQ(write("", "b\n"), "");
}

TEST_F(Change, unconfined_files_are_changed_where_they_are) {
    tree({"ROOT/f=one\n", "OUT/g=one\n"});
    options.unconfined = permit::Unconfined{"a test"};
    for (const std::string& path : {std::string("f"), std::string("../OUT/g"), out("g")}) {
        read(path);
        const std::string text =
            ok("edit_file", {{"path", path}, {"old_string", "one"}, {"new_string", "two"}});
        EXPECT_NE(text.find("+two\n"), text.npos) << text;
        read(path);
        (void)ok("write_file", {{"path", path}, {"content", "one\n"}});
    }
    (void)ok("patch", {{"patch", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+2\n"}});
    EXPECT_EQ(os_read(ws("f")), "2\n");
}

TEST_F(Change, unconfined_refusals_name_what_was_given) {
    tree({"ROOT/.env=x", "ROOT/d/e/", "ROOT/f=x", "OUT/.env=x", "OUT/d/e/"});
    options.unconfined = permit::Unconfined{"a test"};
    const auto names = [&](std::string_view tool, const json::Object& arguments,
                           const std::string& path) {
        const std::string text = call(tool, arguments).text();
        EXPECT_NE(text.find("'" + path + "'"), text.npos) << tool << ": " << text;
    };
    for (const std::string& at : {std::string(), std::string("../OUT/"), out() + "/"}) {
        for (const std::string& path : {at + ".env", at + "d"}) {
            names("read_file", {{"path", path}}, path);
            names("write_file", {{"path", path}, {"content", "y"}}, path);
        }
        names("list_directory", {{"path", at + ".env"}}, at + ".env");
        names("file_info", {{"path", at + "none/f"}}, at + "none/f");
    }
    // Where a link or dots led, the resolved name.
    for (const std::string& at : {std::string(), out() + "/"}) {
        names("copy_path", {{"source", "f"}, {"destination", at + "d"}, {"overwrite", true}},
              at + "d");
        names("move_path", {{"source", "f"}, {"destination", at + "d"}}, at + "d");
        names("read_files", {{"paths", json::Array{at + "d"}}}, at + "d");
    }
}

// Whatever a name looks like, it is not taken as quoted once it has been resolved.
TEST_F(Change, a_name_that_looks_quoted_is_another_file) {
    os_write(ws("\"a\\tb\""), "quotes\n");
    os_write(ws("a\tb"), "tab\n");
    const std::string quotes = R"("\"a\\tb\"")";
    read(quotes);
    (void)ok("edit_file", {{"path", quotes}, {"old_string", "quotes"}, {"new_string", "new"}});
    EXPECT_EQ(os_read(ws("\"a\\tb\"")), "new\n");
    EXPECT_EQ(os_read(ws("a\tb")), "tab\n");
}

TEST_F(Change, a_refusal_for_git_quotes_the_name) {
    tree({"ROOT/a\nb/objects/", "ROOT/a\nb/refs/", "ROOT/a\nb/HEAD=ref: refs/heads/m"});
    const std::string text = call("write_file", {{"path", "a\nb/config"}, {"content", "x"}}).text();
    EXPECT_NE(text.find("'\"a\\nb/config\"' is read-only"), text.npos) << text;
    EXPECT_EQ(text.find('\n'), text.npos) << text;
}

TEST_F(Change, no_repository_is_made_that_git_would_obey) {
    const auto write = [](std::string_view path, std::string_view text = "x") {
        return json::Object{{"path", path}, {"content", text}};
    };
    // Names of git's that make no repository are like any other.
    for (const char* path : {"config", "src/hooks/use.ts", "src/HEAD", "a/refs/x"}) {
        (void)ok("write_file", write(path));
    }
    tree({"ROOT/bare/objects/", "ROOT/bare/refs/", "ROOT/bare/HEAD=ref: refs/heads/m",
          "ROOT/few/objects/", "ROOT/few/config=[core]\nfsmonitor = evil\n",
          "ROOT/dir/x=", "ROOT/hooked/refs/", "ROOT/hooked/hooks/pre-commit=x"});
    for (const char* path :
         {"bare/config", "bare/hooks/pre-commit", "bare/hooks/a/b", "bare/config.worktree"}) {
        EXPECT_EQ(refused("write_file", write(path)), "denied_by_rule") << path;
        EXPECT_FALSE(os_exists(ws(path)));
    }
    (void)ok("write_file", write("bare/config", "[core]\n\tbare = true\n"));
    EXPECT_EQ(refused("make_directory", {{"path", "few/refs/heads"}}), "denied_by_rule");
    EXPECT_EQ(refused("make_directory", {{"path", "hooked/objects"}}), "denied_by_rule");
    for (const char* tool : {"move_path", "copy_path"}) {
        EXPECT_EQ(refused(tool, {{"source", "dir"}, {"destination", "few/refs"}}),
                  "denied_by_rule");
    }
    EXPECT_FALSE(os_exists(ws("few/refs")));
    options.rules = {{"/bare", PathAccess::kAllow}};
    reopen();
    read("bare/config");
    (void)ok("write_file", write("bare/config"));
}

// Whatever the tool, and however the name reaches it.
class Obeyed : public Change {
protected:
    void expect_unwritten(const std::string& path) {
        const bool was_there = os_exists(ws(path));
        if (was_there) read(path);
        EXPECT_EQ(refused("write_file", {{"path", path}, {"content", "evil"}}), "denied_by_rule")
            << path;
        const json::Object onto = {{"source", "evil"}, {"destination", path}, {"overwrite", true}};
        EXPECT_EQ(refused("move_path", onto), "denied_by_rule") << path;
        EXPECT_EQ(refused("copy_path", onto), "denied_by_rule") << path;
        EXPECT_EQ(os_exists(ws(path)), was_there) << path;
        EXPECT_TRUE(!was_there || os_read(ws(path)) == "mine\n") << path;
    }
};

TEST_F(Obeyed, is_what_a_config_names) {
    tree({"ROOT/evil=evil", "ROOT/r/.git/objects/", "ROOT/r/.git/refs/", "ROOT/r/.git/HEAD=x",
          "ROOT/r/.git/config=[core]\nhooksPath = tools/git\n[include]\npath = ../team.conf\n",
          "ROOT/r/tools/git/pre-commit=mine\n", "ROOT/r/tools/x=mine\n",
          "ROOT/r/team.conf=[include]\npath = more.conf\n", "ROOT/r/later/git/pre-push=evil"});
    for (const char* path :
         {"r/tools/git/pre-commit", "r/tools/git/new", "r/tools/git/a/b", "r/more.conf"}) {
        expect_unwritten(path);
    }
    (void)ok("write_file", {{"path", "r/tools/y"}, {"content", "x"}});
    (void)ok("remove_path", {{"path", "r/tools/x"}});
    // One that is not there yet, brought with the directory above it.
    std::filesystem::remove_all(ws("r/tools"));
    EXPECT_EQ(refused("move_path", {{"source", "r/later"}, {"destination", "r/tools"}}),
              "denied_by_rule");
    EXPECT_EQ(refused("copy_path", {{"source", "r/later"}, {"destination", "r/tools"}}),
              "denied_by_rule");
    EXPECT_FALSE(os_exists(ws("r/tools/git")));
    options.rules = {{"r/tools/git", PathAccess::kAllow}};
    reopen();
    (void)ok("write_file", {{"path", "r/tools/git/pre-commit"}, {"content", "x"}});
}

TEST_F(Obeyed, is_where_links_of_hooks_and_pointers_lead) {
    tree({"ROOT/evil=evil", "ROOT/r/.git/HEAD=x", "ROOT/r/.git/config=",
          "ROOT/r/.git/hooks/pre-commit->../../scripts/check", "ROOT/r/scripts/check=mine\n",
          "ROOT/w/.git=gitdir: ../store\n", "ROOT/store/config=[core]\nhooksPath = h\n",
          "ROOT/w/h/pre-push=mine\n", "ROOT/l/.git/hooks->../shared", "ROOT/l/shared/x=mine\n"});
    for (const char* path : {"r/scripts/check", "w/h/pre-push", "l/shared/x"}) {
        expect_unwritten(path);
    }
    (void)ok("write_file", {{"path", "r/scripts/other"}, {"content", "x"}});
}

// What is made there has the name at once.
TEST_F(Obeyed, is_where_links_would_lead) {
    tree({"ROOT/evil=evil", "ROOT/dir/check=evil", "ROOT/r/.git/HEAD=x",
          "ROOT/r/.git/config->../conf", "ROOT/r/.git/hooks/pre-commit->../../scripts/check",
          "ROOT/r/.git/hooks/pre-push->../../way", "ROOT/r/way->push", "ROOT/r/push=mine\n",
          "ROOT/l/.git/hooks->../shared/hooks"});
    for (const char* path : {"r/scripts/check", "r/conf", "l/shared/hooks/pre-commit"}) {
        expect_unwritten(path);
        const std::string added =
            "--- /dev/null\n+++ b/" + std::string(path) + "\n@@ -0,0 +1 @@\n+x\n";
        EXPECT_EQ(refused("patch", {{"patch", added}}), "denied_by_rule") << path;
    }
    for (const char* tool : {"move_path", "copy_path"}) {
        EXPECT_EQ(refused(tool, {{"source", "dir"}, {"destination", "r/scripts"}}),
                  "denied_by_rule");
    }
    expect_unwritten("r/push");
    (void)ok("write_file", {{"path", "r/scripts/other"}, {"content", "x"}});
}

TEST_F(Obeyed, is_told_before_anything_is_changed) {
    tree({"ROOT/r/.git/HEAD=x", "ROOT/r/.git/config=[core]\nhooksPath = tools/git\n",
          "ROOT/r/tools/git/pre-commit=mine\n", "ROOT/r/a=1\n"});
    read("r/a");
    read("r/tools/git/pre-commit");
    const std::string changes = "--- a/r/a\n+++ b/r/a\n@@ -1 +1 @@\n-1\n+2\n";
    const auto before = root().stat("r/a").value().identity;
    for (const std::string& obeyed :
         {std::string("--- /dev/null\n+++ b/r/tools/git/new\n@@ -0,0 +1 @@\n+x\n")}) {
        for (const bool dry_run : {true, false}) {
            EXPECT_EQ(refused("patch", {{"patch", changes + obeyed}, {"dry_run", dry_run}}),
                      "denied_by_rule")
                << obeyed;
        }
    }
    EXPECT_EQ(root().stat("r/a").value().identity, before) << "it was changed and changed back";
    EXPECT_EQ(refused("edit_file", {{"path", "r/tools/git/pre-commit"},
                                    {"old_string", "mine"},
                                    {"new_string", "x"},
                                    {"dry_run", true}}),
              "denied_by_rule");
}

// A link has no name below its own, but what it leads to has.
TEST_F(Obeyed, is_what_a_link_brings) {
    tree({"ROOT/r/.git/HEAD=x", "ROOT/r/.git/config=[core]\nhooksPath = tools/git\n",
          "ROOT/r/evil/git/pre-commit=evil", "ROOT/r/l->evil", "ROOT/r/d/tools->../evil"});
    std::filesystem::create_symlink("evil", ws("r/tools"));
    EXPECT_TRUE(os_exists(ws("r/tools/git/pre-commit"))) << "the plain OS makes a hook of it";
    std::filesystem::remove(ws("r/tools"));
    const Unchanged inside(ws());
    for (const char* from : {"r/l", "r/d/tools"}) {
        for (const char* tool : {"move_path", "copy_path"}) {
            EXPECT_EQ(refused(tool, {{"source", from}, {"destination", "r/tools"}}),
                      "denied_by_rule")
                << tool << " " << from;
        }
    }
}

TEST_F(Obeyed, is_a_bare_repository_as_it_is) {
    tree({"ROOT/evil=evil", "ROOT/d/b.git/objects/", "ROOT/d/b.git/refs/heads/",
          "ROOT/d/b.git/HEAD=mine\n", "ROOT/d/b.git/config=[core]\nhooksPath = own\n",
          "ROOT/d/b.git/hooks/pre-receive=mine\n", "ROOT/d/b.git/own/update=mine\n",
          "ROOT/d/b.git/description=x"});
    for (const char* path : {"d/b.git/own/update", "d/b.git/hooks/pre-receive", "d/b.git/config"}) {
        if (std::string_view(path) != "d/b.git/config") expect_unwritten(path);
        read(path);
        EXPECT_EQ(refused("write_file", {{"path", path}, {"content", "evil"}}), "denied_by_rule");
    }
    (void)ok("write_file", {{"path", "d/b.git/info"}, {"content", "x"}});
    (void)ok("remove_path", {{"path", "d/b.git"}, {"recursive", true}});
}

// Where the names of its other parts are too long to be asked for.
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

// A patch that changes, makes, renames and removes files, in directories that are there and not.
class Rollback : public InMemoryOf<Change> {
protected:
    static constexpr const char* kPatch =
        "--- a/changed\n+++ b/changed\n@@ -1 +1 @@\n-1\n+one\n"
        "--- /dev/null\n+++ b/new/deep/er\n@@ -0,0 +1 @@\n+fresh\n"
        "--- /dev/null\n+++ b/new/other\n@@ -0,0 +1 @@\n+fresh\n"
        "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-4\n"
        "diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n"
        "--- a/mode\n+++ b/mode\n@@ -1 +1 @@\n-2\n+two\n"
        "diff --git a/from b/d/to\nsimilarity index 100%\nrename from from\nrename to d/to\n";

    Rollback() { options.limits.calls_per_second.reset(); }

    void set_up() {
        std::filesystem::remove_all(ws());
        tree({"ROOT/changed=1\n", "ROOT/mode=2\n", "ROOT/from=3\n", "ROOT/gone=4\n", "ROOT/d/"});
        ASSERT_EQ(::chmod(ws("mode").c_str(), 0644), 0);
        reopen();
        for (const char* path : {"changed", "mode", "from", "gone"}) read(path);
    }

    // Every name with its mode and content.
    std::string state() const {
        std::set<std::string> entries;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(ws())) {
            if (is_of_journal(entry.path())) continue;
            const auto mode = static_cast<unsigned>(entry.status().permissions());
            entries.insert(entry.path().lexically_relative(ws()).string() + " " +
                           std::to_string(mode) + " " + os_read(entry.path()).value_or("") + "\n");
        }
        std::string text;
        for (const std::string& entry : entries) text += entry;
        return text;
    }
};

TEST_F(Rollback, after_any_call_that_fails) {
    constexpr int kCallsMax = 2000;
    int taken_back = 0;
    for (int n = 1, calls = n; n <= kCallsMax && calls >= n - 1; ++n) {
        set_up();
        const std::string before = state();
        tools::Answer answer;
        bool renamed = false;
        {
            calls = 0;
            const CallHook hook([&](sys::Call call) {
                const bool fails = ++calls == n;
                renamed |= calls < n && call == sys::Call::kRename;
                return sys::Fault{.error = fails ? EIO : 0, .bytes_max = 0};
            });
            answer = call("patch", {{"patch", kPatch}});
        }
        if (!answer.error) continue;
        EXPECT_EQ(state(), before) << "call " << n << ": " << answer.text();
        taken_back += renamed ? 1 : 0;
    }
    EXPECT_GT(taken_back, 30) << "nothing failed in the middle";
}

TEST_F(Rollback, is_not_refused_by_a_limit) {
    bool was_cut_short = false;
    constexpr std::uint64_t kEnough = 100;
    for (std::uint64_t bytes = 0; bytes < kEnough; ++bytes) {
        options.limits.bytes_written = bytes;
        set_up();
        const std::string before = state();
        const tools::Answer answer = call("patch", {{"patch", kPatch}});
        if (!answer.error) break;
        ASSERT_EQ(*answer.error, Code::kQuotaExceeded) << answer.text();
        EXPECT_EQ(state(), before) << bytes << ": " << answer.text();
        was_cut_short |= bytes > 6;
    }
    EXPECT_TRUE(was_cut_short);
}

TEST_F(Rollback, that_is_impossible_is_told) {
    set_up();
    begin_journal();
    int renames = 0;
    tools::Answer answer;
    {
        // The disk fails for good when two files have been made and one changed.
        const CallHook hook([&](sys::Call call) {
            const bool fails = call == sys::Call::kRename && ++renames > 3;
            return sys::Fault{.error = fails ? EIO : 0, .bytes_max = 0};
        });
        answer = call("patch", {{"patch", kPatch}});
    }
    ASSERT_TRUE(answer.error);
    const bool changed = os_read(ws("changed")) != "1\n";
    EXPECT_TRUE(changed);
    EXPECT_NE(answer.text().find("could not be undone in 'changed'"), std::string::npos)
        << answer.text();
    EXPECT_EQ(answer.text().find("Nothing was changed"), std::string::npos) << answer.text();
}

TEST_F(Rollback, leaves_what_somebody_else_has_written) {
    const std::string patch =
        "--- /dev/null\n+++ b/fresh\n@@ -0,0 +1 @@\n+fresh\n"
        "--- a/changed\n+++ b/changed\n@@ -1 +1 @@\n-1\n+one\n"
        "--- a/mode\n+++ b/mode\n@@ -1 +1 @@\n-2\n+two\n";
    int taken_back = 0;
    for (const char* theirs : {"fresh", "changed"}) {
        int n = 0;
        int calls = 0;
        do {
            set_up();
            bool has_failed = false;
            bool was_written = false;
            tools::Answer answer;
            ++n;
            calls = 0;
            {
                const CallHook hook([&](sys::Call call) {
                    if (++calls == n && call != sys::Call::kUnlink) {
                        os_write(ws(theirs), "theirs");
                        was_written = true;
                        taken_back += has_failed ? 1 : 0;
                    }
                    // The last step fails when the others have been made.
                    const bool fails = !has_failed && !was_written && call == sys::Call::kRename &&
                                       os_read(ws("fresh")) == "fresh\n" &&
                                       os_read(ws("changed")) == "one\n";
                    has_failed = has_failed || fails;
                    return sys::Fault{.error = fails ? EIO : 0, .bytes_max = 0};
                });
                answer = call("patch", {{"patch", patch}});
            }
            if (was_written) {
                EXPECT_EQ(os_read(ws(theirs)), "theirs") << n << ": " << answer.text();
            }
        } while (calls >= n);
    }
    EXPECT_GT(taken_back, 10) << "nothing was taken back";
}

// Whatever part of it a killed process has made.
TEST_F(Change, the_same_patch_again_completes_it) {
    const std::string twins = "one {\n  x;\n}\ntwo {\n  x;\n}\n";
    const std::string patch =
        "--- a/end\n+++ b/end\n@@ -1 +1,2 @@\n last\n+added\n"
        "--- a/filled\n+++ b/filled\n@@ -0,0 +1 @@\n+line\n"
        "--- a/twins\n+++ b/twins\n@@ -2 +2 @@\n-  x;\n+  y;\n"
        "diff --git a/mode b/mode\nold mode 100644\nnew mode 100755\n"
        "--- a/mode\n+++ b/mode\n@@ -1 +1 @@\n-m\n+n\n"
        "diff --git a/from b/to\nsimilarity index 50%\nrename from from\nrename to to\n"
        "--- a/from\n+++ b/to\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
        "diff --git a/source b/copy\nsimilarity index 50%\ncopy from source\ncopy to copy\n"
        "--- a/source\n+++ b/copy\n@@ -1,2 +1,2 @@\n s\n-t\n+u\n"
        "--- a/source\n+++ b/source\n@@ -1,2 +1,2 @@\n s\n-t\n+v\n"
        "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n"
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n";
    using Tree = std::map<std::string, std::string>;
    const Tree before{{"end", "last\n"},  {"filled", ""},       {"twins", twins}, {"mode", "m\n"},
                      {"from", "a\nb\n"}, {"source", "s\nt\n"}, {"gone", "g\n"}};
    const Tree after{{"end", "last\nadded\n"},
                     {"filled", "line\n"},
                     {"twins", "one {\n  y;\n}\ntwo {\n  x;\n}\n"},
                     {"mode", "n\n"},
                     {"to", "a\nc\n"},
                     {"copy", "s\nu\n"},
                     {"source", "s\nv\n"},
                     {"new", "n\n"}};
    // In the order in which it is made: new files, changes, removals.
    const std::vector<std::string> steps = {"to",    "copy", "new",    "end",  "filled",
                                            "twins", "mode", "source", "from", "gone"};
    for (std::size_t done = 0; done <= steps.size(); ++done) {
        reopen();
        for (const std::string& name : os_list(ws())) ASSERT_EQ(::unlink(ws(name).c_str()), 0);
        for (const auto& [name, content] : before) os_write(ws(name), content);
        for (std::size_t i = 0; i < done; ++i) {
            const auto made = after.find(steps[i]);
            if (made == after.end()) {
                ASSERT_EQ(::unlink(ws(steps[i]).c_str()), 0);
            } else {
                os_write(ws(steps[i]), made->second);
            }
        }
        for (const std::string& name : os_list(ws())) read(name);
        (void)ok("patch", {{"patch", patch}});
        Tree found;
        for (const std::string& name : os_list(ws())) found[name] = os_read(ws(name)).value();
        EXPECT_EQ(found, after) << done << " steps were made before";
        struct stat mode = {};
        ASSERT_EQ(::stat(ws("mode").c_str(), &mode), 0);
        EXPECT_EQ(mode.st_mode & 0777U, 0755U) << done;
    }
}

// What a repository obeys could be any file then.
// What a hunk without any line beside its change leaves may have been there all along.
std::string begin_patch(const std::string& name, const std::string& hunk) {
    return "*** Begin Patch\n*** Update File: " + name + "\n@@\n" + hunk + "*** End Patch\n";
}

std::string github_token() {
    return "ghp_" +
           Chance(3).text("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789", 36);
}

std::string utf16(std::string_view ascii) {
    std::string bytes = "\xff\xfe";
    for (const char c : ascii) bytes += {c, '\0'};
    return bytes;
}

// Two names for a file that is not there yet: diff -N writes so with a time that is not the epoch.
TEST_F(Change, issue_17_13_a_file_that_a_patch_makes_is_reported_as_new) {
    const std::string patch = "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+1\n";
    EXPECT_EQ(ok("patch", {{"patch", patch}, {"dry_run", true}}), "Would apply cleanly:\nA x\n");
    EXPECT_FALSE(os_exists(ws("x")));
    EXPECT_EQ(ok("patch", {{"patch", patch}}), "Applied:\nA x\n");
    EXPECT_EQ(ok("patch", {{"patch", patch}}), "Applied:\n= x  (already has this change)\n");
    os_write(ws("x"), "");
    read("x");
    EXPECT_EQ(ok("patch", {{"patch", patch}}), "Applied:\nM x\n");
}

// It is for an empty one, and makes none.
TEST_F(Change, issue_17_13_a_patch_for_an_empty_file) {
    tree({"ROOT/empty=", "ROOT/full=old\n"});
    for (const char* name : {"empty", "full"}) read(name);
    const auto git = [](const std::string& name, const std::string& index) {
        return "diff --git a/" + name + " b/" + name + "\n" + index + "--- a/" + name + "\n+++ b/" +
               name + "\n@@ -0,0 +1 @@\n+1\n";
    };
    const std::string of_empty = "index e69de29..d00491f 100644\n";
    EXPECT_EQ(refused("patch", {{"patch", git("full", of_empty)}}), "patch_failed");
    EXPECT_EQ(refused("patch", {{"patch", git("full", "")}}), "patch_failed");
    EXPECT_EQ(os_read(ws("full")), "old\n");
    EXPECT_EQ(refused("patch", {{"patch", git("missing", of_empty)}}), "not_found");
    EXPECT_EQ(ok("patch", {{"patch", git("empty", of_empty)}}), "Applied:\nM empty\n");
    EXPECT_EQ(ok("patch", {{"patch", git("empty", of_empty)}}),
              "Applied:\n= empty  (already has this change)\n");
    (void)ok("patch", {{"patch", git("full", "index 3367afd..1111111 100644\n")}});
    EXPECT_EQ(os_read(ws("full")), "1\nold\n");
}

TEST_F(Change, a_patch_leaves_the_byte_order_mark_first) {
    const std::string mark = "\xEF\xBB\xBF";
    const auto patched = [&](const std::string& hunk) {
        os_write(ws("f"), mark + "one\ntwo\n");
        EXPECT_NE(ok("read_file", {{"path", "f"}}).find("UTF-8 with BOM"), std::string::npos);
        EXPECT_EQ(ok("patch", {{"patch", begin_patch("f", hunk)}}), "Applied:\nM f\n");
        return os_read(ws("f"));
    };
    EXPECT_EQ(patched("+zero\n one\n"), mark + "zero\none\ntwo\n");
    EXPECT_EQ(patched("-one\n+uno\n two\n"), mark + "uno\ntwo\n");
    EXPECT_EQ(patched("-" + mark + "one\n+one\n two\n"), "one\ntwo\n") << "it says so itself";
    os_write(ws("f"), mark + "one\n");
    read("f");
    (void)ok("patch", {{"patch", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"}});
    EXPECT_FALSE(os_exists(ws("f")));
}

TEST_F(Change, a_patch_speaks_the_encoding_of_the_file) {
    os_write(ws("wide"), utf16("one\ntwo\n"));
    os_write(ws("latin"), "caf\xe9\n");
    read("wide");
    read("latin");
    (void)ok("patch", {{"patch", begin_patch("wide", " one\n+more\n two\n")}});
    EXPECT_EQ(os_read(ws("wide")), utf16("one\nmore\ntwo\n"));
    (void)ok("patch", {{"patch", begin_patch("latin", " caf\u00E9\n+th\u00E9\n")}});
    EXPECT_EQ(os_read(ws("latin")), "caf\xe9\nth\xe9\n");
    EXPECT_EQ(refused("patch", {{"patch", begin_patch("latin", "+\u4E2D\n th\u00E9\n")}}),
              "unsupported_encoding");
    EXPECT_EQ(refused("edit_file", {{"path", "latin"},
                                    {"old_string", "\u00E9"},
                                    {"new_string", "\u00C3\u00A9"},
                                    {"replace_all", true}}),
              "unsupported_encoding")
        << "it would be UTF-8 then";
    const std::string image("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    os_write(ws("image"), image);
    (void)call("read_file", {{"path", "image"}});
    EXPECT_EQ(refused("patch", {{"patch", begin_patch("image", "+text\n")}}), "binary_file");
    EXPECT_EQ(os_read(ws("image")), image);
}

TEST_F(Change, no_answer_shows_a_secret_of_a_file_in_another_encoding) {
    const std::string token = github_token();
    const auto hides = [&](const std::string& text) {
        EXPECT_NE(text.find("[REDACTED:"), std::string::npos) << text;
        std::string plain;
        std::remove_copy(text.begin(), text.end(), std::back_inserter(plain), '\0');
        EXPECT_EQ(plain.find(token), std::string::npos) << text;
    };
    os_write(ws("f"), utf16("one\ntoken " + token + "\nthree\n"));
    read("f");
    hides(call("patch", {{"patch", begin_patch("f", " one\n-token x\n three\n")}}).text());
    os_write(ws("f"), utf16("uno\ntoken " + token + "\nthree\n"));
    hides(call("write_file", {{"path", "f"}, {"content", "x"}}).text());
    hides(call("edit_file", {{"path", "f"}, {"old_string", "a"}, {"new_string", "b"}}).text());
}

TEST_F(Change, an_edit_means_the_text_that_was_shown) {
    const std::string before = "caf\xc3\xa9 th\xc3\xa9\nbad \xff\nold\n";
    const std::string far(10'000, 'x');
    for (const std::string& beginning : {std::string(), far + "\n"}) {
        os_write(ws("f"), beginning + before);
        EXPECT_NE(ok("read_file", {{"path", "f"}}).find("UTF-8, malformed"), std::string::npos);
        (void)ok("edit_file",
                 {{"path", "f"}, {"old_string", "th\u00E9"}, {"new_string", "na\u00EFf"}});
        EXPECT_EQ(os_read(ws("f")), beginning + "caf\xc3\xa9 na\xc3\xaf\x66\nbad \xff\nold\n");
    }
}

TEST_F(Change, a_read_that_shows_no_line_counts_for_nothing) {
    for (const std::string& content : {std::string("one\ntwo\n"), std::string(10'000, '\n')}) {
        os_write(ws("f"), content);
        EXPECT_EQ(refused("read_file", {{"path", "f"}, {"offset", 99'999}}), "invalid_argument");
        EXPECT_EQ(refused("write_file", {{"path", "f"}, {"content", "x"}}), "not_read");
    }
    os_write(ws("empty"), "");
    read("empty");
    (void)ok("write_file", {{"path", "empty"}, {"content", "x"}});
}

TEST_F(Change, a_link_is_not_moved_onto_what_it_leads_to) {
    tree({"ROOT/a=content", "ROOT/l->a"});
    read("a");
    EXPECT_EQ(refused("move_path", {{"source", "l"}, {"destination", "a"}, {"overwrite", true}}),
              "invalid_argument");
    EXPECT_EQ(os_read(ws("a")), "content");
    EXPECT_TRUE(os_exists(ws("l")));
}

TEST_F(Change, a_hunk_that_fits_in_several_places_is_not_taken_for_done) {
    const std::string before =
        "f\n  import os\n  run()\ng\n  import os\n  run()\nh\n  import os\n  import sys\n  run()\n";
    os_write(ws("f"), before);
    read("f");
    EXPECT_EQ(
        refused("patch", {{"patch", begin_patch("f", "   import os\n+  import sys\n   run()\n")}}),
        "patch_failed");
    os_write(ws("once"), "foo\n");
    read("once");
    (void)ok("patch", {{"patch", begin_patch("once", "+foo\n")}});
    EXPECT_EQ(os_read(ws("once")), "foo\nfoo\n");
}

TEST_F(Change, lines_that_are_replaced_keep_their_endings_one_by_one) {
    os_write(ws("f"), "a\r\nb\nc\r\nd\n");
    read("f");
    (void)ok("patch", {{"patch", begin_patch("f", " a\n-b\n-c\n+B\n+C\n+D\n d\n")}});
    EXPECT_EQ(os_read(ws("f")), "a\r\nB\nC\r\nD\r\nd\n");
}

TEST_F(Change, no_patch_puts_the_mark_of_a_secret_in_its_place) {
    const std::string before = "token = \"" + github_token() + "\"\n";
    os_write(ws("f"), before);
    read("f");
    EXPECT_EQ(refused("patch", {{"patch",
                                 "*** Begin Patch\n*** Delete File: f\n*** Add File: f\n"
                                 "+token = \"[REDACTED:github-token]\"\n*** End Patch\n"}}),
              "invalid_argument");
    EXPECT_EQ(os_read(ws("f")), before);
}

TEST_F(Change, issue_17_8_no_patch_loses_a_secret_under_another_name) {
    const std::string before = "token = \"" + github_token() + "\"\n";
    const std::string gone = "*** Delete File: d\n";
    const std::string come = "*** Add File: d2\n+token = \"[REDACTED:token]\"\n";
    os_write(ws("d"), before);
    read("d");
    for (const std::string& patch : {gone + come, come + gone}) {
        EXPECT_EQ(refused("patch", {{"patch", "*** Begin Patch\n" + patch + "*** End Patch\n"}}),
                  "invalid_argument");
        EXPECT_EQ(os_read(ws("d")), before);
        EXPECT_FALSE(os_exists(ws("d2")));
    }
    EXPECT_EQ(refused("patch", {{"patch",
                                 "*** Begin Patch\n*** Update File: d\n*** Move to: d2\n@@\n"
                                 "+token = \"[REDACTED:token]\"\n*** End Patch\n"}}),
              "invalid_argument");
    // A text about such marks, and a file without that secret.
    tree({"ROOT/plain=text\n"});
    read("plain");
    (void)ok("patch", {{"patch", "*** Begin Patch\n*** Delete File: plain\n" + come +
                                     "*** Add File: d3\n+x\n" + "*** End Patch\n"}});
    EXPECT_TRUE(os_exists(ws("d2")));
}

TEST_F(Change, issue_17_8_another_mark_beside_one_takes_no_secret) {
    const std::string before = "shown as [REDACTED:token]\ntoken = \"" + github_token() + "\"\n";
    os_write(ws("f"), before);
    os_write(ws("doc"), "shown as [REDACTED:token]\n");
    read("f");
    read("doc");
    const std::string more = "shown as [REDACTED:token]\ntoken = \"[REDACTED:token]\"\n";
    EXPECT_EQ(refused("write_file", {{"path", "f"}, {"content", more}}), "invalid_argument");
    EXPECT_EQ(os_read(ws("f")), before);
    (void)ok("write_file", {{"path", "doc"}, {"content", more}});
}

TEST_F(Change, nothing_is_written_that_stands_for_a_secret_where_none_was) {
    tree({"ROOT/f=old\n"});
    read("f");
    EXPECT_EQ(
        refused("edit_file",
                {{"path", "f"}, {"old_string", "old"}, {"new_string", "copy=[REDACTED:token]"}}),
        "invalid_argument");
    EXPECT_EQ(refused("patch", {{"patch", begin_patch("f", " old\n+copy=[REDACTED:token]\n")}}),
              "invalid_argument");
    EXPECT_EQ(os_read(ws("f")), "old\n");
}

TEST_F(Change, cancelled_changes_write_nothing) {
    tree({"ROOT/f=old"});
    read("f");
    std::stop_source cancel;
    cancel.request_stop();
    const tools::CallOptions cancelled{.cancel = cancel.get_token()};
    const auto answer = [&](const char* tool, const json::Object& arguments) {
        return tools::call(workspace(), tool, json::to_text(arguments), cancelled).text();
    };
    EXPECT_TRUE(answer("edit_file", {{"path", "f"}, {"old_string", "old"}, {"new_string", "new"}})
                    .starts_with("cancelled: "));
    EXPECT_TRUE(
        answer("patch", {{"patch", begin_patch("f", "-old\n+new\n")}}).starts_with("cancelled: "));
    EXPECT_EQ(os_read(ws("f")), "old");
}

TEST_F(Change, a_patch_whose_result_is_elsewhere_is_not_taken_for_done) {
    tree({"ROOT/f=f:\nreturn 0;\ng:\nreturn 2;\n"});
    read("f");
    const std::string hunk = "-return 1;\n+return 0;\n";
    for (const std::string& patch :
         {"--- a/f\n+++ b/f\n@@ -4,1 +4,1 @@\n" + hunk,
          "*** Begin Patch\n*** Update File: f\n@@\n" + hunk + "*** End Patch"}) {
        EXPECT_EQ(refused("patch", {{"patch", patch}}), "patch_failed") << patch;
    }
}

TEST_F(Change, a_patch_indents_as_the_file_does) {
    const auto patched = [&](const std::string& content, const std::string& hunk) {
        os_write(ws("f"), content);
        read("f");
        const tools::Answer answer =
            call("patch",
                 {{"patch", "*** Begin Patch\n*** Update File: f\n@@\n" + hunk + "*** End Patch"}});
        return answer.error ? std::string(code_name(*answer.error)) : os_read(ws("f"));
    };
    tree({"ROOT/f="});
    EXPECT_EQ(patched("if x:\n        run()\n", "-  run()\n+  stop()\n+    # deeper\n"),
              "if x:\n        stop()\n          # deeper\n");
    EXPECT_EQ(patched("\tif x:\n\t\trun()\n", " if x:\n-    run()\n+    stop()\n+end\n"),
              "\tif x:\n\t\tstop()\n\tend\n");
    EXPECT_EQ(patched("\tif x:\n\t\trun()\n", " if x:\n-    run()\n+        stop()\n"),
              "patch_failed");
}

TEST_F(Change, a_patch_that_removes_what_never_was_is_refused) {
    tree({"ROOT/file=x\n"});
    const auto removal = [](const std::string& name) {
        return json::Object{
            {"patch", "*** Begin Patch\n*** Delete File: " + name + "\n*** End Patch\n"}};
    };
    const tools::Answer answer = call("patch", removal("fiel"));
    EXPECT_EQ(answer.error, Code::kNotFound) << answer.text();
    EXPECT_NE(answer.text().find("Did you mean 'file'"), std::string::npos) << answer.text();
    read("file");
    (void)ok("patch", removal("file"));
    EXPECT_NE(ok("patch", removal("file")).find("already gone"), std::string::npos);
}

// A hunk that only removes leaves nothing by which a file that has had it could be told.
TEST_F(Change, a_patch_that_finds_nothing_to_remove_is_refused) {
    const std::string unified = "--- a/f\n+++ b/f\n";
    const std::string begin = "*** Begin Patch\n*** Update File: f\n@@\n";
    const std::string end = "*** End Patch\n";
    for (const std::string& patch :
         {unified + "@@ -1 +0,0 @@\n-gone\n", unified + "@@ -2 +1,0 @@\n-gone\n",
          begin + "-gone\n" + end, begin + " a\n-gone\n" + end, begin + "-gone\n b\n" + end}) {
        os_write(ws("f"), "a\nb\n");
        read("f");
        EXPECT_EQ(refused("patch", {{"patch", patch}}), "patch_failed") << patch;
        // Elsewhere than the header says, but there.
        os_write(ws("f"), "x\ny\na\ngone\nb\n");
        read("f");
        (void)ok("patch", {{"patch", patch}});
        EXPECT_EQ(os_read(ws("f")), "x\ny\na\nb\n") << patch;
    }
    const std::string between = begin + " a\n-gone\n b\n" + end;
    EXPECT_NE(ok("patch", {{"patch", between}}).find("already has this change"), std::string::npos);
}

// What the filter sees of a key that is shown in parts is lines of digits, which are no secret.
TEST_F(Change, the_text_of_a_failed_patch_shows_no_lines_of_a_key) {
    std::vector<std::string> lines;
    for (std::uint32_t i = 0; i < 6; ++i) {
        lines.push_back(
            Chance(i).text("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", 64));
    }
    std::string key =
        "-----BEGIN RSA PRIVATE"
        " KEY-----\n";
    for (const std::string& line : lines) key += line + "\n";
    os_write(ws("f"), "one\n" + key +
                          "-----END RSA PRIVATE"
                          " KEY-----\ntwo\n");
    const std::string near =
        "--- a/f\n+++ b/f\n@@ -4,2 +4 @@\n-" + lines[2] + "x\n-" + lines[3] + "x\n+none\n";
    const auto shown = [&] {
        reopen();
        read("f");
        const std::string text = call("patch", {{"patch", near}}).text();
        EXPECT_TRUE(text.starts_with("patch_failed: ")) << text;
        return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
            return text.find(line + "\n") != text.npos;
        });
    };
    EXPECT_EQ(shown(), 0);
    options.redact_secrets = false;
    EXPECT_GT(shown(), 0) << "they would have been shown";
}

TEST_F(Change, what_changed_since_a_read_shows_no_lines_of_a_key) {
    const std::string last = Chance(7).text("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRST", 64);
    std::string key =
        "-----BEGIN RSA PRIVATE"
        " KEY-----\n";
    for (std::uint32_t i = 0; i < 6; ++i) {
        key += Chance(i).text("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRST", 64) + "\n";
    }
    key += last +
           "\n-----END RSA PRIVATE"
           " KEY-----\n";
    const auto told = [&] {
        reopen();
        os_write(ws("f"), key + "behind\n");
        read("f");
        os_write(ws("f"), key + "changed\n");
        return call("write_file", {{"path", "f"}, {"content", "x"}}).text();
    };
    const std::string text = told();
    EXPECT_TRUE(text.starts_with("stale_read: ")) << text;
    EXPECT_NE(text.find("-behind\n+changed\n"), text.npos) << text;
    EXPECT_EQ(text.find(last), text.npos) << text;
    options.redact_secrets = false;
    EXPECT_NE(told().find(last), text.npos) << "it would have been shown";
}

TEST_F(Change, a_patch_with_the_mark_of_a_secret_says_what_that_is) {
    const std::string secret = Chance(1).text("abcdefghijkmnpqrstuvwxyz23456789", 24) + "4x";
    os_write(ws("f"), "a\nPASSWORD=" + secret + "\nb\n");
    ASSERT_NE(ok("read_file", {{"path", "f"}}).find("[REDACTED:password]"), std::string::npos);
    const std::string text = call("patch", {{"patch",
                                             "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n"
                                             "-PASSWORD=[REDACTED:password]\n+PASSWORD=\n b\n"}})
                                 .text();
    EXPECT_NE(text.find("stands for a secret in the file"), std::string::npos) << text;
    EXPECT_EQ(text.find(secret), std::string::npos) << text;
}

TEST_F(Change, a_write_does_not_put_the_mark_of_a_secret_in_its_place) {
    const std::string secret = Chance(1).text("abcdefghijkmnpqrstuvwxyz23456789", 24) + "4x";
    const std::string old = "PASSWORD=" + secret + "\nb\n";
    const std::string marked = "PASSWORD=[REDACTED:password]\nc\n";
    os_write(ws("f"), old);
    read("f");
    const tools::Answer answer = call("write_file", {{"path", "f"}, {"content", marked}});
    EXPECT_EQ(answer.error, Code::kInvalidArgument) << answer.text();
    EXPECT_NE(answer.text().find("edit_file"), std::string::npos) << answer.text();
    EXPECT_EQ(os_read(ws("f")), old);
    ok("write_file", {{"path", "doc"}, {"content", marked}});
    ok("write_file", {{"path", "doc"}, {"content", marked + "d\n"}});
    EXPECT_EQ(os_read(ws("doc")), marked + "d\n") << "a text about such marks";
}

// What is left of a token after its beginning was replaced has no shape.
TEST_F(Change, the_diff_of_an_edit_shows_no_part_of_a_secret) {
    const std::string rest = Chance(3).text("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUV", 36);
    os_write(ws("f"), "one\ntoken: ghp_" + rest + "\ntwo\n");
    const auto shown = [&](const json::Object& edit) {
        reopen();
        read("f");
        json::Object arguments = edit;
        arguments.append("path", "f");
        arguments.append("dry_run", true);
        return ok("edit_file", arguments);
    };
    const json::Object beheads{{"old_string", "token: ghp_"}, {"new_string", "t"}};
    EXPECT_EQ(shown(beheads).find(rest), std::string::npos) << shown(beheads);
    constexpr std::string_view kParted = "onetkw";
    json::Array apart;
    for (const char c : kParted) {
        apart.push_back(json::Object{{"old_string", std::string(1, c)},
                                     {"new_string", std::string(1, c) + "."},
                                     {"replace_all", true}});
    }
    std::string parted;
    for (const char c : rest) {
        parted += c;
        if (kParted.find(c) != kParted.npos) parted += '.';
    }
    ASSERT_NE(parted, rest);
    EXPECT_EQ(shown({{"edits", apart}}).find(parted), std::string::npos);
    const std::string beside = shown({{"old_string", "one"}, {"new_string", "1"}});
    EXPECT_NE(beside.find("-one\n+1\n token: [REDACTED:"), std::string::npos) << beside;
    options.redact_secrets = false;
    EXPECT_NE(shown(beheads).find(rest), std::string::npos) << "it would have been shown";
    EXPECT_NE(shown({{"edits", apart}}).find(parted), std::string::npos);
}

// A line of a patch can stand for a file of megabytes.
TEST_F(Change, patch_holds_no_more_than_its_bound) {
    options.track_reads = false;
    os_write(ws("large"), std::string(std::size_t{60} << 20, 'x'));
    const auto copies = [](int count, bool dry_run) {
        std::string patch;
        for (int i = 0; i < count; ++i) {
            const std::string name = "copy" + std::to_string(i);
            patch += "diff --git a/large b/" + name + "\nsimilarity index 100%\ncopy from large\n" +
                     "copy to " + name + "\n";
        }
        return json::Object{{"patch", patch}, {"dry_run", dry_run}};
    };
    (void)ok("patch", copies(2, true));
    EXPECT_EQ(refused("patch", copies(3, true)), "limit_reached");
    EXPECT_EQ(refused("patch", copies(25, false)), "limit_reached");
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"large"});
}

TEST_F(Change, a_patch_looks_no_more_often_than_an_edit) {
    tree({"ROOT/d/a=1\n", "ROOT/d/b=1\n"});
    (void)ok("write_file", {{"path", "d/first"}, {"content", "opens the journal"}});
    read("d/a");
    read("d/b");
    const int by_edit = count_calls([&] {
        (void)ok("edit_file", {{"path", "d/a"}, {"old_string", "1"}, {"new_string", "2"}});
    });
    const int by_patch = count_calls([&] {
        (void)ok("patch", {{"patch", "--- a/d/b\n+++ b/d/b\n@@ -1 +1 @@\n-1\n+2\n"}});
    });
    EXPECT_EQ(by_patch, by_edit);
}

TEST_F(Change, patch_needs_a_read_and_respects_rules) {
    tree({"ROOT/a=1\n"});
    const auto patch = [](const std::string& name) {
        return "--- a/" + name + "\n+++ b/" + name + "\n@@ -1 +1 @@\n-1\n+2\n";
    };
    EXPECT_EQ(refused("patch", {{"patch", patch("a")}}), "not_read");
    EXPECT_EQ(refused("patch", {{"patch", patch("../OUT/secret")}}), "path_escape");
    EXPECT_EQ(refused("patch", {{"patch", patch(".vscode")}}), "denied_by_rule");
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

class Crowd : public Change {
protected:
    static constexpr std::size_t kThreads = 64;

    Crowd() {
        std::string lines;
        for (std::size_t i = 0; i < kThreads; ++i) lines += line(i, false);
        os_write(ws("f"), lines);
        options.limits.calls_per_second.reset();
        options.limits.calls_in_flight.reset();
    }

    static std::string line(std::size_t i, bool edited) {
        return (edited ? "done " : "line ") + std::to_string(i) + ";\n";
    }

    static tools::Answer edit(const Workspace& by, std::size_t i) {
        return tools::call(
            by, "edit_file",
            json::to_text(json::Object{
                {"path", "f"}, {"old_string", line(i, false)}, {"new_string", line(i, true)}}));
    }

    static constexpr const char* kPatch =
        R"({"patch": "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-line 0;\n+done 0;\n"})";

    // What a patch of the first line leaves.
    static std::string patched() {
        std::string lines;
        for (std::size_t i = 0; i < kThreads; ++i) lines += line(i, i == 0);
        return lines;
    }

    // Each has read "f".
    std::vector<Workspace> readers() {
        options.root = ws();
        options.paths.resolver = resolver_under_test();
        std::vector<Workspace> sessions;
        for (std::size_t i = 0; i < kThreads; ++i) {
            sessions.push_back(Workspace::open(options).value());
            (void)tools::call(sessions.back(), "read_file", R"({"path": "f"})");
        }
        return sessions;
    }

    static void all_at_once(const std::function<void(std::size_t)>& act) {
        std::barrier start(static_cast<std::ptrdiff_t>(kThreads));
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                start.arrive_and_wait();
                act(i);
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
};

// Each half alone is a file like any other.
TEST_F(Crowd, makes_no_repository_of_two_halves) {
    options.limits.bytes_written.reset();
    (void)workspace();
    for (int round = 0; round < 40; ++round) {
        const std::string place = "r" + std::to_string(round) + "/";
        tree({"ROOT/" + place + "objects/", "ROOT/" + place + "refs/"});
        all_at_once([&](std::size_t i) {
            const json::Object file = {{"path", place + (i % 2 == 0 ? "HEAD" : "config")},
                                       {"content", "x"}};
            (void)tools::call(workspace(), "write_file", json::to_text(file));
        });
        EXPECT_NE(os_exists(ws(place + "HEAD")), os_exists(ws(place + "config"))) << place;
    }
}

// Whatever was accepted is in the result, and nothing else; the others were told that they came too
// late.
TEST_F(Crowd, edits_one_file_in_one_session) {
    read("f");
    std::vector<tools::Answer> answers(kThreads);
    all_at_once([&](std::size_t i) { answers[i] = edit(workspace(), i); });
    std::string wanted;
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < kThreads; ++i) {
        const std::optional<Code> error = answers[i].error;
        EXPECT_EQ(error.value_or(Code::kStaleRead), Code::kStaleRead) << answers[i].text();
        wanted += line(i, !error);
        accepted += error ? 0U : 1U;
    }
    EXPECT_EQ(os_read(ws("f")), wanted);
    EXPECT_GE(accepted, 1U);
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"f"}) << "a temporary file was left";
}

// Each in a session of its own, reading again until its edit is accepted: none is lost.
TEST_F(Crowd, edits_one_file_in_many_sessions) {
    const std::vector<Workspace> sessions = readers();
    std::atomic<int> late = 0;
    std::atomic<int> wrong = 0;
    all_at_once([&](std::size_t i) {
        for (;;) {
            const tools::Answer answer = edit(sessions[i], i);
            if (!answer.error) return;
            ++(*answer.error == Code::kStaleRead ? late : wrong);
            if (wrong > 0) return;
            (void)tools::call(sessions[i], "read_file", R"({"path": "f"})");
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_GE(late, static_cast<int>(kThreads) - 1);
    std::string wanted;
    for (std::size_t i = 0; i < kThreads; ++i) wanted += line(i, true);
    EXPECT_EQ(os_read(ws("f")), wanted);
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"f"}) << "a temporary file was left";
}

// Those that come too late take nothing back, although what is there is what they would have made.
TEST_F(Crowd, makes_one_patch_in_many_sessions) {
    const std::vector<Workspace> sessions = readers();
    std::vector<tools::Answer> answers(kThreads);
    all_at_once([&](std::size_t i) { answers[i] = tools::call(sessions[i], "patch", kPatch); });
    std::size_t accepted = 0;
    for (const tools::Answer& answer : answers) {
        EXPECT_EQ(answer.error.value_or(Code::kStaleRead), Code::kStaleRead) << answer.text();
        accepted += answer.error ? 0U : 1U;
    }
    EXPECT_EQ(accepted, 1U);
    EXPECT_EQ(os_read(ws("f")), patched());
}

TEST_F(Crowd, makes_one_patch_in_one_session) {
    read("f");
    std::vector<tools::Answer> answers(kThreads);
    all_at_once([&](std::size_t i) { answers[i] = tools::call(workspace(), "patch", kPatch); });
    for (const tools::Answer& answer : answers) {
        EXPECT_EQ(answer.error.value_or(Code::kStaleRead), Code::kStaleRead) << answer.text();
    }
    EXPECT_EQ(os_read(ws("f")), patched());
}

}  // namespace
}  // namespace paddock::testing
