// Editing: what an edit may reach, what it may lose, and what it tells.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "escape/call_hook.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

class ToolsEdit : public Desk {
protected:
    // What an editor without a guard does: reads, replaces, writes back.
    void naive_edit(std::string_view path, std::string_view from, std::string_view to) const {
        std::string text = naive_read(path).value_or("");
        text.replace(text.find(from), from.size(), to);
        EXPECT_TRUE(naive_write(path, text));
    }

    static json::Object edit(std::string_view path, std::string_view from, std::string_view to) {
        return {{"path", path}, {"old_string", from}, {"new_string", to}};
    }

    static json::Object dry(json::Object arguments) {
        arguments["dry_run"] = true;
        return arguments;
    }
};

ATTACK_F(ToolsEdit, HL_05, one_of_several_names_is_changed) {
    tree({"ROOT/n=one\n", "ROOT/n2&ROOT/n"});
    naive_edit("n", "one", "two");
    EXPECT_EQ(os_read(ws("n2")), "two\n") << "the careless twin changes every name";

    const std::string diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+two\n";
    const std::string mode = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n";
    const std::pair<std::string_view, json::Object> changes[] = {
        {"edit_file", edit("f", "one", "two")},
        {"write_file", {{"path", "f"}, {"content", "two\n"}}},
        {"patch", {{"patch", diff}}},
        {"patch", {{"patch", mode}}}};
    for (const auto& [tool, arguments] : changes) {
        SCOPED_TRACE(tool);
        for (const char* name : {"f", "f2", "f3"}) ::unlink(ws(name).c_str());
        tree({"ROOT/f=one\n", "ROOT/f2&ROOT/f"});
        ASSERT_EQ(::chmod(ws("f").c_str(), 0644), 0);
        read("f");
        const std::string two = ok(tool, arguments);
        EXPECT_NE(two.find("had 2 names; the other keeps the old content"), two.npos) << two;
        EXPECT_EQ(os_read(ws("f2")), "one\n");

        // Afresh: of the old one the journal has a name.
        for (const char* name : {"f", "f2"}) ASSERT_EQ(::unlink(ws(name).c_str()), 0);
        tree({"ROOT/f=one\n", "ROOT/f2&ROOT/f", "ROOT/f3&ROOT/f"});
        read("f");
        const std::string three = ok(tool, arguments);
        EXPECT_NE(three.find("had 3 names; the others keep the old content"), three.npos) << three;

        for (const char* name : {"f", "f2", "f3"}) ::unlink(ws(name).c_str());
        tree({"ROOT/f=one\n"});
        read("f");
        EXPECT_EQ(ok(tool, arguments).find("old content"), std::string::npos);
    }
}

ATTACK_F(ToolsEdit, SP_16, sparse_file_of_a_petabyte) {
    const UniqueFd file(::open(ws("big").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    off_t size = off_t{1} << 50;
    while (::ftruncate(file.get(), size) != 0 && size > off_t{1} << 36) size /= 2;
    ASSERT_GT(size, off_t{1} << 36) << "the file system takes no large file";

    const std::string diff = "--- a/big\n+++ b/big\n@@ -1 +1 @@\n-one\n+two\n";
    EXPECT_EQ(refused("edit_file", edit("big", "one", "two")), "too_large");
    EXPECT_EQ(refused("patch", {{"patch", diff}}), "too_large");
    EXPECT_EQ(refused("write_file", {{"path", "big"}, {"content", "two"}}), "too_large");
}

// The other process adds a line before each system call of the edit in turn. Its line is there in
// the end; without the edit, or on top of it if the edit was done by then.
ATTACK_F(ToolsEdit, RACE_17, file_changed_between_read_and_write_back) {
    tree({"ROOT/twin=mine\n"});
    const std::string seen = os_read(ws("twin")).value_or("");
    os_write(ws("twin"), "theirs\n");
    os_write(ws("twin"), seen + "edited\n");
    EXPECT_EQ(os_read(ws("twin")), "mine\nedited\n") << "the careless twin loses the update";

    int conflicts = 0;
    for (const bool in_place : {true, false}) {
        at_every_call(
            [&] {
                os_write(ws("f"), "one\ntwo\n");
                options.limits.calls_per_second.reset();
                reopen();
                read("f");
            },
            [&] {
                const std::string now = os_read(ws("f")).value_or("");
                const std::string path = in_place ? ws("f") : ws("new");
                os_write(path, now + "theirs\n");
                if (in_place) return;
                ASSERT_EQ(::rename(path.c_str(), ws("f").c_str()), 0);
            },
            [&] {
                const auto answer = call("edit_file", edit("f", "two", "2"));
                const std::string now = os_read(ws("f")).value_or("");
                if (!answer.error) {
                    EXPECT_TRUE(now == "one\n2\n" || now == "one\n2\ntheirs\n") << now;
                } else {
                    ++conflicts;
                    // Only an edit that was not made is stale; one that was replaced at once may be
                    // called a race.
                    const bool is_race = *answer.error == Code::kRace;
                    if (!is_race) {
                        EXPECT_EQ(code_name(*answer.error), code_name(Code::kStaleRead));
                    }
                    EXPECT_EQ(now, is_race ? "one\n2\ntheirs\n" : "one\ntwo\ntheirs\n");
                }
                EXPECT_TRUE(leftovers(ws()).empty());
            });
    }
    EXPECT_GT(conflicts, 10);
}

ATTACK_F(ToolsEdit, RACE_17, removal_by_a_patch) {
    const std::string gone = "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
    tree({"ROOT/f=one\n", "ROOT/g=one\n"});
    for (const char* path : {"f", "g"}) read(path);
    // The first look of the removal is at the second file, when the first is written already.
    bool moved = false;
    const CallHook hook([&](sys::Call call) {
        if (call == sys::Call::kRename && !moved) {
            moved = true;
            os_write(ws("f"), "theirs\n");
        }
        return sys::Fault{};
    });
    const std::string both = "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-one\n+two\n" + gone;
    EXPECT_EQ(refused("patch", {{"patch", both}}), "stale_read");
    EXPECT_TRUE(moved);
    EXPECT_EQ(os_read(ws("f")), "theirs\n");
    EXPECT_EQ(os_read(ws("g")), "one\n");
}

ATTACK_F(ToolsEdit, ED_02, fifo_or_device) {
    tree({"ROOT/p|", "ROOT/in->p", "ROOT/f=x"});
    const Unchanged inside(ws());
    for (const char* path : {"p", "in"}) {
        EXPECT_EQ(refused("edit_file", edit(path, "x", "y")), "not_regular_file");
        EXPECT_EQ(refused("edit_file", dry(edit(path, "x", "y"))), "not_regular_file");
        EXPECT_EQ(refused("write_file", {{"path", path}, {"content", "y"}}), "not_regular_file");
    }
}

ATTACK_F(ToolsEdit, ED_02, device) {
    if (::mknod(ws("zero").c_str(), S_IFCHR | 0666, ::makedev(1, 5)) != 0) {
        GTEST_SKIP() << "device nodes cannot be made here: " << std::strerror(errno);
    }
    EXPECT_EQ(refused("edit_file", edit("zero", "x", "y")), "not_regular_file");
    EXPECT_EQ(refused("write_file", {{"path", "zero"}, {"content", "y"}}), "not_regular_file");
}

ATTACK_F(ToolsEdit, ED_03, absent_file) {
    tree({"ROOT/d/"});
    const Unchanged inside(ws());
    for (const char* path : {"f", "d/f", "none/f"}) {
        EXPECT_EQ(refused("edit_file", edit(path, "x", "y")), "not_found");
        EXPECT_EQ(refused("edit_file", edit(path, "", "y")), "not_found");
    }
}

ATTACK_F(ToolsEdit, ED_04, link_to_an_outside_file) {
    tree({"ROOT/l->../OUT/secret", "ROOT/abs->@/OUT/secret", "ROOT/d->../OUT", "OUT/twin=old",
          "ROOT/twin->../OUT/twin"});
    expect_naive_leak("l");
    naive_edit("twin", "old", "changed");
    EXPECT_EQ(os_read(out("twin")), "changed");

    const Unchanged outside(out());
    const Unchanged inside(ws());
    options.track_reads = false;
    for (const char* path : {"l", "abs", "d/secret", "d/../l", "./l"}) {
        for (const json::Object& arguments :
             {edit(path, "outside", "x"), dry(edit(path, "outside", "x")), edit(path, "none", "x"),
              edit(path, "", "x")}) {
            const auto answer = call("edit_file", arguments);
            EXPECT_EQ(answer.error, Code::kPathEscape) << answer.text();
            EXPECT_EQ(answer.text().find("secret\n"), std::string::npos) << answer.text();
            EXPECT_EQ(answer.text().find("outside-"), std::string::npos) << answer.text();
        }
    }
}

ATTACK_F(ToolsEdit, ED_05, link_to_an_inside_file) {
    tree({"ROOT/d/f=old\n", "ROOT/in->d/f", "ROOT/abs->@/ROOT/d/f", "ROOT/twin=old\n",
          "ROOT/link->twin"});
    os_write(ws("new"), "new\n");
    ASSERT_EQ(::rename(ws("new").c_str(), ws("link").c_str()), 0);
    EXPECT_EQ(os_read(ws("twin")), "old\n") << "a careless rename replaces the link";

    for (const char* path : {"in", "abs"}) {
        os_write(ws("d/f"), "old\n");
        read(path);
        (void)ok("edit_file", edit(path, "old", "new"));
        EXPECT_EQ(os_read(ws("d/f")), "new\n");
        EXPECT_TRUE(S_ISLNK(os_stat(ws(path)).st_mode)) << path;
    }
}

ATTACK_F(ToolsEdit, ED_06, bytes_that_were_not_edited) {
    using namespace std::string_literals;
    struct Case {
        std::string before, after;
    };
    const std::string utf16 = "\xff\xfeo\0n\0e\0\r\0\n\0\xe9\0\r\0\n\0"s;
    const Case cases[] = {
        {"caf\xe9\none\nend", "caf\xe9\n1\nend"},  // Latin-1, no newline
        {"a\r\none\r\nb\r\n", "a\r\n1\r\nb\r\n"},  // CRLF
        {"a\none\r\nb\rc\n", "a\n1\r\nb\rc\n"},    // mixed
        {"\xef\xbb\xbfone\n\xc3\xa9",
         "\xef\xbb\xbf"
         "1\n\xc3\xa9"},  // UTF-8 with a mark
        {utf16,
         "\xff\xfe"
         "1\0\r\0\n\0\xe9\0\r\0\n\0"s},      // UTF-16
        {"  one \t\n\n\n", "  1 \t\n\n\n"},  // blanks at the ends
    };
    for (const Case& each : cases) {
        os_write(ws("f"), each.before);
        read("f");
        (void)ok("edit_file", edit("f", "one", "1"));
        EXPECT_EQ(os_read(ws("f")), each.after);
    }
}

ATTACK_F(ToolsEdit, ED_08, file_above_the_bound) {
    tree({"ROOT/big=one\n", "ROOT/f=one\n"});
    ASSERT_EQ(::truncate(ws("big").c_str(), off_t{limits::kReadFileBytesMax} + 1), 0);
    options.track_reads = false;
    const Unchanged outside(out());
    const struct stat before = os_stat(ws("big"));
    EXPECT_EQ(refused("edit_file", edit("big", "one", "1")), "too_large");
    EXPECT_EQ(refused("write_file", {{"path", "big"}, {"content", "1"}}), "too_large");
    EXPECT_EQ(refused("patch", {{"patch", "--- a/big\n+++ b/big\n@@ -1 +1 @@\n-one\n+1\n"}}),
              "too_large");
    EXPECT_EQ(os_stat(ws("big")).st_ino, before.st_ino);
    EXPECT_EQ(os_stat(ws("big")).st_size, before.st_size);

    os_write(ws("f"), std::string(limits::kTextBytesMax / 4096, 'x'));
    json::Object grow = edit("f", "x", std::string(8192, 'y'));
    grow["replace_all"] = true;
    EXPECT_EQ(refused("edit_file", grow), "too_large");
    EXPECT_EQ(os_stat(ws("f")).st_size, static_cast<off_t>(limits::kTextBytesMax / 4096));
}

// Permission bits count for root too: nothing here forces a write.
ATTACK_F(ToolsEdit, ED_09, read_only_file) {
    tree({"ROOT/f=one\n", "ROOT/twin=one\n"});
    for (const char* name : {"f", "twin"}) ASSERT_EQ(::chmod(ws(name).c_str(), 0444), 0);
    os_write(ws("new"), "changed\n");
    ASSERT_EQ(::rename(ws("new").c_str(), ws("twin").c_str()), 0);
    EXPECT_EQ(os_read(ws("twin")), "changed\n") << "a careless replace ignores the bits";

    read("f");
    const Unchanged inside(ws());
    EXPECT_EQ(refused("edit_file", edit("f", "one", "1")), "permission_denied");
    EXPECT_EQ(refused("write_file", {{"path", "f"}, {"content", "1"}}), "permission_denied");
    EXPECT_EQ(refused("patch", {{"patch", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n"}}),
              "permission_denied");
    EXPECT_EQ(refused("copy_path", {{"source", "twin"}, {"destination", "f"}, {"overwrite", true}}),
              "permission_denied");
}

ATTACK_F(ToolsEdit, ED_10, outdated_version) {
    tree({"ROOT/f=one\n", "ROOT/in->f", "ROOT/unread=one\n"});
    EXPECT_EQ(refused("edit_file", edit("unread", "one", "1")), "not_read");
    read("f");
    naive_edit("f", "one", "two");
    const Unchanged inside(ws());
    for (const char* path : {"f", "in", "./f", "d/../f"}) {
        const auto answer = call("edit_file", edit(path, "two", "2"));
        EXPECT_EQ(answer.error, Code::kStaleRead) << path;
        EXPECT_NE(answer.text().find("-one\n+two\n"), std::string::npos) << answer.text();
        EXPECT_EQ(refused("edit_file", dry(edit(path, "two", "2"))), "stale_read");
        EXPECT_EQ(refused("write_file", {{"path", path}, {"content", "2"}}), "stale_read");
    }
    EXPECT_EQ(refused("patch", {{"patch", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-two\n+2\n"}}),
              "stale_read");
}

ATTACK_F(ToolsEdit, ED_11, names_in_the_diff) {
    tree({"ROOT/d/f=one\n", "ROOT/abs->@/ROOT/d/f"});
    os_write(ws("d/a\x1b[2J\nb"), "one\n");
    const std::string spellings[] = {"d/f", ws("d/f"), "abs", ws("abs"), "./d//f"};
    for (const std::string& path : spellings) {
        os_write(ws("d/f"), "one\n");
        read(path);
        for (const json::Object& arguments :
             {dry(edit(path, "one", "1")), edit(path, "one", "1")}) {
            const std::string text = ok("edit_file", arguments);
            EXPECT_NE(text.find("--- a/d/f\n+++ b/d/f\n@@"), std::string::npos) << text;
            EXPECT_EQ(text.find(base()), std::string::npos) << text;
        }
    }
    const std::string odd = R"("d/a\033[2J\nb")";
    read(odd);
    const std::string text = ok("edit_file", edit(odd, "one", "1"));
    EXPECT_NE(text.find(R"(--- "a/d/a\033[2J\nb")"), std::string::npos) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

ATTACK_F(ToolsEdit, ED_12, one_of_fifty_edits_fails) {
    std::string lines;
    json::Array edits;
    for (int i = 1; i <= 50; ++i) {
        const std::string number = "<" + std::to_string(i) + ">";
        if (i != 37) lines += number + "\n";
        edits.push_back(json::Object{{"old_string", number}, {"new_string", "-"}});
    }
    os_write(ws("f"), lines);
    os_write(ws("twin"), lines);
    for (int i = 1; i < 37; ++i) naive_edit("twin", "<" + std::to_string(i) + ">", "-");
    EXPECT_NE(os_read(ws("twin")), lines) << "one after the other, 36 are made";

    read("f");
    const Unchanged inside(ws());
    const auto answer = call("edit_file", {{"path", "f"}, {"edits", edits}});
    EXPECT_EQ(answer.error, Code::kNoMatch) << answer.text();
    EXPECT_NE(answer.text().find("edit 37 of 50"), std::string::npos) << answer.text();
}

}  // namespace
}  // namespace paddock::testing
