// What a patch keeps of the files that it renames, copies and removes besides their content.
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>

#include "escape/call_hook.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

constexpr uid_t kSomebody = 65534;

class PatchFiles : public Desk {
protected:
    struct stat status(std::string_view name) const {
        struct stat status = {};
        EXPECT_EQ(::lstat(ws(name).c_str(), &status), 0) << name;
        return status;
    }

    // A read file with an attribute, and somebody else's if this is root.
    void make(const std::string& name) {
        tree({"ROOT/" + name + "=1\n2\n3\n"});
        has_attributes_ = ::setxattr(ws(name).c_str(), "user.k", "v", 1, 0) == 0;
        const uid_t owner = is_root() ? kSomebody : ::geteuid();
        ASSERT_EQ(::chown(ws(name).c_str(), owner, static_cast<gid_t>(-1)), 0);
        ASSERT_EQ(::chmod(ws(name).c_str(), 0640), 0);
        read(name);
    }

    void expect_kept(const std::string& name) const {
        char value[2] = {};
        if (has_attributes_) {
            EXPECT_EQ(::getxattr(ws(name).c_str(), "user.k", value, sizeof value), 1) << name;
        }
        const auto now = status(name);
        EXPECT_EQ(now.st_uid, is_root() ? kSomebody : ::geteuid()) << name;
        EXPECT_EQ(now.st_mode & 07777U, 0640U) << name;
    }

    static std::string renaming(const std::string& from, const std::string& to) {
        return "diff --git a/" + from + " b/" + to + "\nsimilarity index 100%\nrename from " +
               from + "\nrename to " + to + "\n";
    }
    static std::string changing(const std::string& from, const std::string& to) {
        return "--- a/" + from + "\n+++ b/" + to + "\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n";
    }
    static std::string removing(const std::string& name) {
        return "--- a/" + name + "\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-1\n-2\n-3\n";
    }

private:
    bool has_attributes_ = false;
};

TEST_F(PatchFiles, a_removal_that_is_taken_back_gives_the_same_file) {
    for (const char* name : {"x", "y", "z"}) make(name);
    ASSERT_EQ(::link(ws("x").c_str(), ws("also-x").c_str()), 0);
    const auto before = status("x");
    const std::string patch = removing("x") + removing("y") + removing("z");
    // Of the first, the second or the last of them.
    for (int failing = 1; failing <= 3; ++failing) {
        int renames = 0;
        const CallHook hook([&](sys::Call call) {
            const bool fails = call == sys::Call::kRename && ++renames == failing;
            return sys::Fault{.error = fails ? EPERM : 0, .bytes_max = 0};
        });
        const std::string text = call("patch", {{"patch", patch}}).text();
        if (text.starts_with("Applied")) break;
        EXPECT_NE(text.find("Nothing was changed."), text.npos) << text;
        EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"also-x", "x", "y", "z"}));
        const auto now = status("x");
        EXPECT_EQ(now.st_ino, before.st_ino);
        EXPECT_EQ(now.st_nlink, 2U);
        for (const char* name : {"x", "y", "z"}) expect_kept(name);
    }
    for (const char* name : {"x", "y", "z"}) {
        if (!os_exists(ws(name))) return;  // taken although it could not be moved
    }
    (void)ok("patch", {{"patch", patch}});
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"also-x"});
}

TEST_F(PatchFiles, that_cannot_be_put_back_are_named_and_kept) {
    for (const char* name : {"x", "y"}) make(name);
    begin_journal();
    int renames = 0;
    std::string text;
    {
        const CallHook hook([&](sys::Call call) {
            const bool fails =
                call == sys::Call::kUnlink || (call == sys::Call::kRename && ++renames > 1);
            return sys::Fault{.error = fails ? EIO : 0, .bytes_max = 0};
        });
        text = call("patch", {{"patch", removing("x") + removing("y")}}).text();
    }
    const std::string aside = os_list(ws()).at(0);
    EXPECT_NE(text.find("could not be undone in 'x' (kept as '" + aside + "')"), text.npos) << text;
    EXPECT_EQ(os_read(ws(aside)), "1\n2\n3\n");
}

TEST_F(PatchFiles, a_pure_rename_is_one) {
    for (const char* name : {"x", "y", "a"}) make(name);
    ASSERT_EQ(::link(ws("x").c_str(), ws("also-x").c_str()), 0);
    const auto before = status("x");
    (void)ok("patch",
             {{"patch", renaming("x", "d/e/x") + renaming("y", "z") + renaming("z", "w")}});
    EXPECT_EQ(status("d/e/x").st_ino, before.st_ino);
    EXPECT_EQ(status("d/e/x").st_nlink, 2U);
    expect_kept("d/e/x");
    expect_kept("w");
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"a", "also-x", "d", "w"}));
    // It counts as read.
    (void)ok("patch", {{"patch", changing("w", "w")}});
    // What fails later takes it back.
    const auto old = status("a");
    bool had_its_name = false;
    const CallHook hook([&](sys::Call call) {
        const bool fails = (call == sys::Call::kUnlink || call == sys::Call::kRename) &&
                           os_exists(ws("b/c")) && os_exists(ws("w")) && !had_its_name;
        had_its_name = had_its_name || fails;
        return sys::Fault{.error = fails ? EIO : 0, .bytes_max = 0};
    });
    const std::string gone = "--- a/w\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-1\n-two\n-3\n";
    EXPECT_EQ(refused("patch", {{"patch", gone + renaming("a", "b/c")}}), "io_error");
    EXPECT_TRUE(had_its_name);
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"a", "also-x", "d", "w"}));
    EXPECT_EQ(status("a").st_ino, old.st_ino);
}

TEST_F(PatchFiles, renamed_with_a_change_or_copied_they_keep_owner_and_attributes) {
    for (const char* name : {"x", "y", "m"}) make(name);
    const std::string copy =
        "diff --git a/y b/copy\nsimilarity index 100%\ncopy from y\ncopy to copy\n";
    const std::string mode =
        "diff --git a/m b/n\nold mode 100640\nnew mode 100755\nsimilarity index 100%\n"
        "rename from m\nrename to n\n";
    (void)ok("patch", {{"patch", renaming("x", "w") + changing("x", "w") + copy + mode}});
    EXPECT_EQ(os_read(ws("w")), "1\ntwo\n3\n");
    expect_kept("w");
    expect_kept("copy");
    expect_kept("y");
    EXPECT_EQ(status("n").st_mode & 0777U, 0750U) << "others get nothing";
    EXPECT_EQ(status("n").st_uid, status("y").st_uid);
}

// Nobody may read a file because it becomes a program, and nobody executes what he cannot read.
TEST_F(PatchFiles, issue_17_13_a_mode_opens_no_file_to_others) {
    const auto turned = [](const std::string& name, bool on) {
        const std::string modes =
            on ? "old mode 100644\nnew mode 100755\n" : "old mode 100755\nnew mode 100644\n";
        return "diff --git a/" + name + " b/" + name + "\n" + modes;
    };
    for (const char* name : {"x", "y", "z"}) make(name);
    ASSERT_EQ(::chmod(ws("y").c_str(), 0751), 0);
    ASSERT_EQ(::chmod(ws("z").c_str(), 0600), 0);
    (void)ok("patch", {{"patch", turned("x", true) + turned("y", false) + turned("z", false)}});
    EXPECT_EQ(status("x").st_mode & 07777U, 0750U);
    EXPECT_EQ(status("y").st_mode & 07777U, 0640U);
    EXPECT_EQ(status("z").st_mode & 07777U, 0600U);
}

// The list of the directory decides, as for any new file.
TEST_F(PatchFiles, issue_17_13_a_new_file_gets_the_default_access_list) {
    const std::string added =
        "diff --git a/d/x b/d/x\nnew file mode 100755\n--- /dev/null\n+++ b/d/x\n"
        "@@ -0,0 +1 @@\n+x\n";
    // Version 2: owner rwx, group r, others none.
    const std::array<std::uint8_t, 28> list{2,   0,   0, 0, 1,   0,   7,   0,   255, 255,
                                            255, 255, 4, 0, 4,   0,   255, 255, 255, 255,
                                            32,  0,   0, 0, 255, 255, 255, 255};
    tree({"ROOT/d/"});
    if (::setxattr(ws("d").c_str(), "system.posix_acl_default", list.data(), list.size(), 0) != 0) {
        GTEST_SKIP() << "this file system has no access lists";
    }
    (void)ok("patch", {{"patch", added}});
    EXPECT_EQ(status("d/x").st_mode & 07777U, 0740U);
}

TEST_F(PatchFiles, a_copy_of_somebody_elses_counts_once) {
    if (!is_root()) GTEST_SKIP() << "nothing of somebody else's can be made";
    options.limits.bytes_written = 10;
    make("x");
    const CallHook hook([](sys::Call call) {
        return sys::Fault{.error = call == sys::Call::kChown ? EPERM : 0, .bytes_max = 0};
    });
    (void)ok("patch", {{"patch",
                        "diff --git a/x b/y\nsimilarity index 100%\ncopy from x\n"
                        "copy to y\n"}});
    EXPECT_EQ(os_read(ws("y")), "1\n2\n3\n");
    EXPECT_EQ(status("y").st_uid, ::geteuid());
    EXPECT_EQ(status("y").st_mode & 07777U, 0640U);
}

TEST_F(PatchFiles, names_that_are_exchanged_lose_no_content) {
    tree({"ROOT/a=1\n", "ROOT/b=2\n"});
    read("a");
    read("b");
    (void)ok("patch", {{"patch", renaming("a", "t") + renaming("b", "a") + renaming("t", "b")}});
    EXPECT_EQ(os_read(ws("a")), "2\n");
    EXPECT_EQ(os_read(ws("b")), "1\n");
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"a", "b"}));
}

TEST_F(PatchFiles, issue_17_6_names_in_a_circle) {
    for (const char* name : {"a", "b"}) make(name);
    os_write(ws("b"), "1\n2\nb\n");
    read("b");
    begin_journal();
    const auto a = status("a");
    const auto b = status("b");
    int renames = 0;
    {
        const CallHook hook([&](sys::Call call) {
            renames += call == sys::Call::kRename ? 1 : 0;
            return sys::Fault{};
        });
        (void)ok("patch", {{"patch", renaming("a", "b") + renaming("b", "a")}});
    }
    EXPECT_EQ(renames, 1) << "there is no moment between";
    EXPECT_EQ(status("a").st_ino, b.st_ino);
    EXPECT_EQ(status("b").st_ino, a.st_ino);
    expect_kept("b");
    // With a change, and of three.
    make("c");
    os_write(ws("c"), "1\n2\nc\n");
    read("c");
    (void)ok("patch", {{"patch", renaming("a", "b") +
                                     "--- a/a\n+++ b/b\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n b\n" +
                                     renaming("b", "c") + renaming("c", "a")}});
    EXPECT_EQ(os_read(ws("a")), "1\n2\nc\n");
    EXPECT_EQ(os_read(ws("b")), "1\ntwo\nb\n");
    EXPECT_EQ(os_read(ws("c")), "1\n2\n3\n");
    expect_kept("c");
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(PatchFiles, issue_17_6_a_name_that_is_left_later_can_be_taken) {
    tree({"ROOT/a=1\n", "ROOT/b=2\n", "ROOT/d=4\n", "ROOT/e=5\n"});
    for (const char* name : {"a", "b", "d", "e"}) read(name);
    const std::string gone =
        "diff --git a/e b/e\ndeleted file mode 100644\n--- a/e\n+++ /dev/null\n@@ -1 +0,0 @@\n-5\n";
    const std::string fresh = "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+new\n";
    EXPECT_EQ(refused("patch", {{"patch", fresh}}), "already_exists");
    (void)ok("patch", {{"patch", fresh + renaming("a", "b") + renaming("b", "c") +
                                     renaming("d", "e") + gone}});
    EXPECT_EQ(os_read(ws("a")), "new\n");
    EXPECT_EQ(os_read(ws("b")), "1\n");
    EXPECT_EQ(os_read(ws("c")), "2\n");
    EXPECT_EQ(os_read(ws("e")), "4\n");
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"a", "b", "c", "e"}));
}

// Whatever step fails, all is as it was; and whatever is seen in between, no content is missing.
TEST_F(PatchFiles, issue_17_6_a_circle_is_taken_back) {
    const std::string patch =
        renaming("a", "b") + renaming("b", "c") + "--- a/b\n+++ b/c\n@@ -1 +1 @@\n-2\n+two\n" +
        renaming("c", "a") +
        "diff --git a/last b/last\n--- a/last\n+++ b/last\n@@ -1 +1 @@\n-9\n+nine\n";
    const auto contents = [&] {
        std::multiset<std::string> all;
        for (const std::string& name : os_list(ws())) all.insert(os_read(ws(name)).value_or(""));
        return all;
    };
    options.limits.calls_per_second.reset();
    int failed = 0;
    for (int n = 1, renames = n; renames >= n - 1; ++n) {
        for (const std::string& name : os_list(ws())) ASSERT_EQ(::unlink(ws(name).c_str()), 0);
        tree({"ROOT/a=1\n", "ROOT/b=2\n", "ROOT/c=3\n", "ROOT/last=9\n"});
        reopen();
        for (const char* name : {"a", "b", "c", "last"}) read(name);
        renames = 0;
        std::string text;
        {
            const CallHook hook([&](sys::Call call) {
                const auto all = contents();
                EXPECT_TRUE(all.contains("1\n") && all.contains("3\n"));
                EXPECT_TRUE(all.contains("2\n") || all.contains("two\n"));
                const bool fails = call == sys::Call::kRename && ++renames == n;
                return sys::Fault{.error = fails ? EIO : 0, .bytes_max = 0};
            });
            text = call("patch", {{"patch", patch}}).text();
        }
        if (text.starts_with("Applied")) continue;
        ++failed;
        EXPECT_EQ(os_read(ws("a")), "1\n") << text;
        EXPECT_EQ(os_read(ws("b")), "2\n") << text;
        EXPECT_EQ(os_read(ws("c")), "3\n") << text;
        EXPECT_EQ(os_read(ws("last")), "9\n") << text;
    }
    EXPECT_GE(failed, 4);
}

std::string adding(const std::string& name) {
    return "diff --git a/" + name + " b/" + name + "\nnew file mode 100644\n--- /dev/null\n+++ b/" +
           name + "\n@@ -0,0 +1 @@\n+new\n";
}

std::string gone(const std::string& name) {
    return "diff --git a/" + name + " b/" + name + "\ndeleted file mode 100644\n--- a/" + name +
           "\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-1\n-2\n-3\n";
}

// As git writes them: in the order of the names, whatever has to be done first.
TEST_F(PatchFiles, issue_17_13_a_file_becomes_a_directory) {
    for (const char* name : {"a", "b", "c"}) make(name);
    const auto b = status("b");
    (void)ok("patch", {{"patch", removing("a") + adding("a/x") + adding("a/y/z") +
                                     renaming("b", "b/deep/b") + adding("c/x") +
                                     renaming("c", "d") + changing("c", "d")}});
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"a", "b", "c", "d"}));
    EXPECT_EQ(os_read(ws("a/x")), "new\n");
    EXPECT_EQ(os_read(ws("a/y/z")), "new\n");
    EXPECT_EQ(status("b/deep/b").st_ino, b.st_ino);
    expect_kept("b/deep/b");
    EXPECT_EQ(os_read(ws("c/x")), "new\n");
    EXPECT_EQ(os_read(ws("d")), "1\ntwo\n3\n");
    expect_kept("d");
}

TEST_F(PatchFiles, issue_17_13_a_directory_becomes_a_file) {
    for (const char* name : {"a/x", "a/y/z", "b/in/b", "c/one"}) make(name);
    tree({"ROOT/a/empty/"});
    const auto b = status("b/in/b");
    const std::string patch = adding("a") + removing("a/x") + removing("a/y/z") +
                              renaming("b/in/b", "b") + renaming("c/one", "d/c") + adding("c");
    EXPECT_EQ(ok("patch", {{"patch", patch}, {"dry_run", true}}),
              "Would apply cleanly:\nA a\nD a/x\nD a/y/z\nR b  (from b/in/b)\n"
              "R d/c  (from c/one)\nA c\n");
    (void)ok("patch", {{"patch", patch}});
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"a", "b", "c", "d"}));
    EXPECT_EQ(os_read(ws("a")), "new\n");
    EXPECT_EQ(status("b").st_ino, b.st_ino);
    expect_kept("b");
    expect_kept("d/c");
    // The same patch again finds all of it made.
    EXPECT_EQ(ok("patch", {{"patch", adding("a") + removing("a/x")}}),
              "Applied:\n= a  (already there)\n= a/x  (already gone)\n");
}

TEST_F(PatchFiles, issue_17_13_what_stays_is_in_the_way) {
    for (const char* name : {"a", "d/x", "d/y"}) make(name);
    tree({"ROOT/.env=SECRET=1\n", "ROOT/e/.env=SECRET=1\n", "ROOT/l->d"});
    make("e/x");
    const Unchanged inside(ws());
    const auto expect_refused = [&](const std::string& patch, std::string_view code) {
        for (const bool dry_run : {true, false})
            EXPECT_EQ(refused("patch", {{"patch", patch}, {"dry_run", dry_run}}), code) << patch;
    };
    expect_refused(adding("a/b"), "not_a_directory");
    expect_refused(adding("a/b") + changing("a", "a"), "not_a_directory");
    expect_refused(adding("n") + adding("n/b"), "not_a_directory");
    expect_refused(adding("d"), "is_a_directory");
    expect_refused(adding("d") + removing("d/x"), "is_a_directory");
    expect_refused(adding("d") + removing("d/x") + changing("d/y", "d/y"), "is_a_directory");
    expect_refused(adding("d") + removing("d/x") + removing("d/y") + adding("d/z"),
                   "not_a_directory");
    // A link is none.
    expect_refused(adding("l") + removing("d/x") + removing("d/y"), "is_a_directory");
    // Nor does a rule let go what it protects.
    expect_refused(adding("e") + removing("e/x"), "is_a_directory");
    expect_refused(removing(".env") + adding(".env/x"), "denied_by_rule");
}

// Whatever step fails, all is as it was; and whatever is seen in between, no content is missing.
TEST_F(PatchFiles, issue_17_13_files_and_directories_are_taken_back) {
    const std::string patch = adding("a") + renaming("a/x", "f/x") + gone("a/in/y") + gone("f") +
                              adding("f/g/h") + renaming("g", "g/g");
    const auto all = [&] {
        std::map<std::string, std::string> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(ws())) {
            const std::string path = entry.path();
            if (is_of_journal(path)) continue;
            const mode_t mode = os_mode(path);
            files[path] = std::to_string(mode) + os_read(path).value_or("");
        }
        return files;
    };
    options.limits.calls_per_second.reset();
    int failed = 0;
    for (const sys::Call failing : {sys::Call::kRename, sys::Call::kUnlink, sys::Call::kMkdir}) {
        bool has_failed = true;
        for (int n = 1; has_failed; ++n) {
            std::filesystem::remove_all(ws("a"));
            for (const std::string& name : os_list(ws())) std::filesystem::remove_all(ws(name));
            tree({"ROOT/a/x=x\n", "ROOT/a/in/y=1\n2\n3\n", "ROOT/f=1\n2\n3\n", "ROOT/g=g\n"});
            ASSERT_EQ(::chmod(ws("a/in").c_str(), 0750), 0);
            reopen();
            for (const char* name : {"a/x", "a/in/y", "f", "g"}) read(name);
            const auto before = all();
            int calls = 0;
            has_failed = false;
            std::string text;
            {
                const CallHook hook([&](sys::Call call) {
                    const bool is_step = call == sys::Call::kRename || call == sys::Call::kUnlink ||
                                         call == sys::Call::kMkdir;
                    if (!is_step) return sys::Fault{};
                    const bool fails = call == failing && ++calls == n;
                    has_failed = has_failed || fails;
                    std::string contents;
                    for (const auto& [path, content] : all()) contents += content;
                    EXPECT_NE(contents.find("x\n"), contents.npos);
                    EXPECT_NE(contents.find("g\n"), contents.npos);
                    return sys::Fault{.error = fails ? EIO : 0, .bytes_max = 0};
                });
                text = call("patch", {{"patch", patch}}).text();
            }
            // A removed file may be left beside: the last step of all is to drop it.
            const bool is_left =
                text.find("Everything else was changed as requested.") != text.npos;
            if (is_left || text.starts_with("Applied")) {
                auto names = os_list(ws());
                const auto left = std::erase_if(names, [&](const auto& name) {
                    return name.starts_with(".paddock-") && text.find(name) != text.npos;
                });
                EXPECT_EQ(left, is_left ? 1U : 0U) << text;
                EXPECT_EQ(names, (std::vector<std::string>{"a", "f", "g"}));
                continue;
            }
            ++failed;
            EXPECT_NE(text.find("Nothing was changed."), text.npos) << text;
            EXPECT_EQ(all(), before) << text;
        }
    }
    EXPECT_GE(failed, 8);
}

TEST_F(PatchFiles, one_that_is_renamed_to_itself_stays) {
    make("x");
    for (const std::string& patch : {renaming("x", "x"), renaming("x", "./x")}) {
        const tools::Answer answer = call("patch", {{"patch", patch}});
        EXPECT_EQ(answer.error, Code::kInvalidArgument) << answer.text();
        EXPECT_EQ(os_read(ws("x")), "1\n2\n3\n");
    }
}

// Only the very file that the patch makes shows that it was made before.
TEST_F(PatchFiles, one_that_is_renamed_to_a_name_that_is_taken_stays) {
    make("x");
    tree({"ROOT/y=other\n2\nthree\n"});
    read("y");
    const std::string patch =
        "diff --git a/x b/y\nsimilarity index 50%\nrename from x\nrename to y\n"
        "--- a/x\n+++ b/y\n@@ -3 +3 @@\n-3\n+three\n";
    EXPECT_EQ(call("patch", {{"patch", patch}}).error, Code::kAlreadyExists);
    EXPECT_EQ(os_read(ws("x")), "1\n2\n3\n");
    os_write(ws("y"), "1\n2\nthree\n");
    read("y");
    const std::string text = ok("patch", {{"patch", patch}});
    EXPECT_NE(text.find("D x\n= y  (already renamed)"), text.npos) << text;
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"y"});
}

TEST_F(PatchFiles, a_link_is_not_taken_for_its_file) {
    make("a");
    tree({"ROOT/l->a", "ROOT/d/", "ROOT/e->d"});
    {
        const Unchanged inside(ws());
        for (const std::string& patch :
             {std::string("*** Begin Patch\n*** Delete File: l\n*** End Patch\n"), removing("l"),
              renaming("l", "m"), renaming("l", "m") + changing("l", "m")}) {
            EXPECT_EQ(refused("patch", {{"patch", patch}}), "not_regular_file") << patch;
        }
    }
    // A change goes through it, and a directory may be one.
    (void)ok("patch", {{"patch", changing("l", "l")}});
    EXPECT_EQ(os_read(ws("a")), "1\ntwo\n3\n");
    make("d/f");
    (void)ok("patch", {{"patch", removing("e/f")}});
    EXPECT_FALSE(os_exists(ws("d/f")));
}

}  // namespace
}  // namespace paddock::testing
