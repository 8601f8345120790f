// Moving and copying: what is kept, what is replaced, and what is said of a part.
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stop_token>

#include "escape/call_hook.h"
#include "escape/operations.h"
#include "json/write.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

class Copy : public Desk {
protected:
    static json::Object paths(std::string_view from, std::string_view to, bool overwrite = false) {
        return {{"source", from}, {"destination", to}, {"overwrite", overwrite}};
    }

    std::string told(std::string_view tool, const json::Object& arguments) {
        const tools::Answer answer = call(tool, arguments);
        EXPECT_TRUE(answer.error) << answer.text();
        return answer.text();
    }

    unsigned mode_of(std::string_view name) const {
        struct stat status = {};
        EXPECT_EQ(::lstat(ws(name).c_str(), &status), 0) << name;
        return status.st_mode & 07777U;
    }

    void set_mode(std::string_view name, mode_t mode) const {
        ASSERT_EQ(::chmod(ws(name).c_str(), mode), 0) << name;
    }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST_F(Copy, directories_keep_their_permissions) {
    tree({"ROOT/d/private/f=x", "ROOT/d/shared/f=x", "ROOT/d/closed/in/f=x", "ROOT/set/"});
    set_mode("d/private", 0700);
    set_mode("d/shared", 02770);
    set_mode("d/closed/in", 0555);
    set_mode("d/closed", 0555);
    set_mode("d", 01755);
    (void)ok("copy_path", paths("d", "c"));
    EXPECT_EQ(mode_of("c"), 0755U);
    EXPECT_EQ(mode_of("c/private"), 0700U);
    EXPECT_EQ(mode_of("c/shared"), 0770U) << "setgid is not copied";
    EXPECT_EQ(mode_of("c/closed"), 0555U);
    EXPECT_EQ(mode_of("c/closed/in"), 0555U);
    EXPECT_EQ(os_read(ws("c/closed/in/f")), "x");
    // A merge changes nothing of a directory that is there.
    set_mode("c/private", 0710);
    tree({"ROOT/e/private/g=x"});
    (void)ok("copy_path", paths("e", "c", true));
    EXPECT_EQ(mode_of("c/private"), 0710U);
    // As everything that is made there.
    set_mode("set", 02755);
    (void)ok("copy_path", paths("d/private", "set/private"));
    (void)ok("copy_path", paths("e", "set/e"));
    EXPECT_EQ(mode_of("set/private"), 02700U);
    EXPECT_EQ(mode_of("set/e") & 02000U, 02000U);
    set_mode("d/closed", 0755);
    set_mode("d/closed/in", 0755);
    set_mode("c/closed", 0755);
    set_mode("c/closed/in", 0755);
}

TEST_F(Copy, nothing_is_readable_to_others_while_it_is_made) {
    tree({"ROOT/d/e/f=x"});
    bool seen = false;
    const CallHook hook([&](sys::Call) {
        struct stat status = {};
        if (::stat(ws("c").c_str(), &status) == 0 && !os_exists(ws("c/e/f"))) {
            seen = true;
            EXPECT_EQ(status.st_mode & 0077U, 0U);
        }
        return sys::Fault{};
    });
    (void)ok("copy_path", paths("d", "c"));
    EXPECT_TRUE(seen);
}

TEST_F(Copy, begins_nothing_that_it_may_not_finish) {
    tree({"ROOT/s/a=1", "ROOT/s/b=2", "ROOT/s/c=3", "ROOT/t/a=x", "ROOT/t/b=y", "ROOT/t/c=z"});
    read("t/a");
    read("t/b");
    for (const char* unread : {"t/c", "t/a", "t/b"}) {
        reopen();
        for (const char* name : {"t/a", "t/b", "t/c"}) {
            if (std::string_view(name) != unread) read(name);
        }
        const Unchanged inside(ws());
        const std::string text = told("copy_path", paths("s", "t", true));
        EXPECT_TRUE(text.starts_with("not_read: ")) << text;
        EXPECT_TRUE(has(text, "Nothing was copied.")) << text;
    }
    // What is in the way is seen before, too.
    tree({"ROOT/u/a/", "ROOT/u/b->a", "ROOT/v/c|", "ROOT/w=x"});
    tree({"ROOT/l/sub/f=1", "ROOT/l/z->sub", "ROOT/m/z=x", "ROOT/n/sub=x"});
    read("t/c");
    for (const char* to : {"u", "v", "w"}) {
        const Unchanged inside(ws());
        (void)refused("copy_path", paths("s", to, true));
    }
    for (const char* to : {"m", "n"}) {
        const Unchanged inside(ws());
        (void)refused("copy_path", paths("l", to, true));
    }
    set_mode("t/b", 0444);
    {
        const Unchanged inside(ws());
        EXPECT_EQ(refused("copy_path", paths("s", "t", true)), "permission_denied");
    }
    set_mode("t/b", 0644);
    read("t/a");
    read("t/b");
    (void)ok("copy_path", paths("s", "t", true));
    EXPECT_EQ(os_read(ws("t/c")), "3");
}

TEST_F(Copy, of_a_repository_leaves_nothing) {
    tree({"ROOT/in/b.git/HEAD=ref: refs/heads/m", "ROOT/in/b.git/objects/", "ROOT/in/b.git/refs/",
          "ROOT/in/b.git/config=x", "ROOT/in/b.git/hooks/pre-commit=x"});
    for (const char* from : {"in", "in/b.git"}) {
        const Unchanged inside(ws());
        EXPECT_EQ(refused("copy_path", paths(from, "sub/c.git")), "denied_by_rule") << from;
    }
    // Its parts alone are none.
    (void)ok("copy_path", paths("in/b.git/config", "notes/config"));
    (void)ok("copy_path", paths("in/b.git/hooks", "notes/of-hooks"));
}

// What is above does not have to be looked at again for each of them.
TEST_F(Copy, takes_as_many_calls_for_each_directory_however_deep) {
    if (root().resolver() == ResolverKind::kWalk) GTEST_SKIP() << "each name takes calls there";
    const auto calls = [&](int depth) {
        const std::string top = std::to_string(depth);
        std::string path = top;
        for (int i = 0; i < depth; ++i) path += "/a";
        EXPECT_TRUE(root().mkdir_all(path));
        return count_calls([&] { (void)ok("copy_path", paths(top, "to" + top)); });
    };
    // More than the walk holds open at once, in both cases.
    const int few = calls(200);
    EXPECT_LE(calls(400), 5 * few / 2);
}

TEST_F(Copy, ends_when_it_is_cancelled) {
    tree({"ROOT/d/a/f=x", "ROOT/d/b/f=x", "ROOT/d/c/f=x"});
    std::stop_source stop;
    const auto cancelled = [&](int made) {
        stop = {};
        const CallHook hook([&](sys::Call call) {
            if (call == sys::Call::kMkdir && os_exists(ws("to")) && made-- == 1)
                stop.request_stop();
            return sys::Fault{};
        });
        if (made == 0) stop.request_stop();
        const tools::Answer answer =
            tools::call(workspace(), "copy_path", json::to_text(paths("d", "to")),
                        {.cancel = stop.get_token()});
        EXPECT_EQ(answer.error, Code::kCancelled) << answer.text();
        return answer.text();
    };
    for (const int made : {0, 1}) {
        EXPECT_TRUE(has(cancelled(made), "Nothing was copied."));
        EXPECT_FALSE(root().exists("to").value());
    }
    EXPECT_TRUE(has(cancelled(2), "Before that"));
    EXPECT_EQ(os_list(ws("to")).size(), 2U);
}

// A file of many gigabytes, too.
TEST_F(Copy, issue_17_12_of_one_file_ends_when_it_is_cancelled) {
    os_write(ws("f"), std::string(40'000'000, 'x'));
    for (const bool in_kernel : {true, false}) {
        std::stop_source stop;
        int parts = 0;
        const CallHook hook([&](sys::Call call) {
            if (call == sys::Call::kCopyRange && !in_kernel)
                return sys::Fault{.error = EXDEV, .bytes_max = 0};
            const bool is_part = call == (in_kernel ? sys::Call::kCopyRange : sys::Call::kWrite);
            if (is_part && os_list(ws()).size() > 1 && ++parts == 2) stop.request_stop();
            return sys::Fault{};
        });
        const tools::Answer answer =
            tools::call(workspace(), "copy_path", json::to_text(paths("f", "to/f")),
                        {.cancel = stop.get_token()});
        EXPECT_EQ(answer.error, Code::kCancelled) << answer.text();
        EXPECT_FALSE(os_exists(ws("to")));
        EXPECT_LE(parts, in_kernel ? 2 : 20) << "the journal writes a few, too";
    }
}

TEST_F(Copy, of_what_gets_too_long_a_path_leaves_nothing) {
    const std::string name(200, 'n');
    std::string from = "s";
    ASSERT_EQ(::mkdir(ws(from).c_str(), 0755), 0);
    for (int i = 0; i < 8; ++i) {
        from += "/" + name;
        ASSERT_EQ(::mkdir(ws(from).c_str(), 0755), 0);
    }
    std::string to = "t";
    for (int i = 0; i < 13; ++i) to += "/" + name;
    const Unchanged inside(ws());
    EXPECT_EQ(refused("copy_path", paths("s", to)), "invalid_path");
}

TEST_F(Copy, that_fails_in_the_middle_says_what_was_made) {
    tree({"ROOT/s/d/a=1", "ROOT/s/d/b=2", "ROOT/s/d/c=3"});
    begin_journal();
    const auto copy = [&](int fails_at) {
        int renames = 0;
        const CallHook hook([&](sys::Call call) {
            const bool fails = call == sys::Call::kRename && ++renames == fails_at;
            return sys::Fault{.error = fails ? ENOSPC : 0, .bytes_max = 0};
        });
        return call("copy_path", paths("s", "t" + std::to_string(fails_at))).text();
    };
    const std::string none = copy(1);
    EXPECT_TRUE(has(none, "Nothing was copied.")) << none;
    EXPECT_FALSE(os_exists(ws("t1")));
    const std::string two = copy(3);
    EXPECT_TRUE(has(two, "2 files and 2 directories had been copied; the rest was not")) << two;
    EXPECT_EQ(os_list(ws("t3/d")).size(), 2U);
    const std::string all = copy(4);
    EXPECT_TRUE(all.starts_with("Copied ")) << all;
}

TEST_F(Copy, of_nothing_is_an_error) {
    tree({"ROOT/p|", "ROOT/out->@/OUT/secret", "ROOT/d/p|", "ROOT/d/out->../../OUT", "ROOT/d/f=x"});
    EXPECT_EQ(refused("copy_path", paths("p", "new/p")), "not_regular_file");
    EXPECT_EQ(refused("copy_path", paths("out", "new/out")), "path_escape");
    EXPECT_FALSE(os_exists(ws("new")));
    const std::string text = ok("copy_path", paths("d", "e"));
    EXPECT_TRUE(has(text, "Left out 2: ")) << text;
    EXPECT_TRUE(has(text, "'d/p' (a special file)")) << text;
    EXPECT_TRUE(has(text, "'d/out' (a link that leads outside)")) << text;
    EXPECT_EQ(os_list(ws("e")), std::vector<std::string>{"f"});
}

TEST_F(Copy, names_what_may_not_be_read) {
    if (is_root()) GTEST_SKIP() << "root may read everything";
    tree({"ROOT/d/closed/f=x", "ROOT/d/f=x", "ROOT/g/f=x", "ROOT/g/no=x"});
    set_mode("d/closed", 0300);
    set_mode("g/no", 0200);
    const std::string text = ok("copy_path", paths("d", "e"));
    EXPECT_TRUE(has(text, "'d/closed' (its content cannot be read)")) << text;
    EXPECT_EQ(refused("copy_path", paths("g", "h")), "permission_denied");
    EXPECT_FALSE(os_exists(ws("h")));
    set_mode("d/closed", 0700);
    set_mode("e/closed", 0700);
}

TEST_F(Copy, to_move_onto_another_name_of_the_same_file_leaves_one) {
    tree({"ROOT/a=x", "ROOT/b&ROOT/a", "ROOT/c=x"});
    EXPECT_EQ(refused("move_path", paths("a", "b")), "already_exists");
    read("b");
    EXPECT_EQ(ok("move_path", paths("a", "b", true)), "Moved a to b.");
    EXPECT_FALSE(os_exists(ws("a")));
    EXPECT_EQ(os_read(ws("b")), "x");
    for (const char* tool : {"move_path", "copy_path"}) {
        EXPECT_EQ(refused(tool, paths("c", "c", true)), "invalid_argument");
    }
    EXPECT_EQ(os_read(ws("c")), "x");
}

TEST_F(Copy, a_move_that_fails_makes_nothing) {
    tree({"ROOT/d/f=x", "ROOT/g=x"});
    {
        const Unchanged inside(ws());
        EXPECT_EQ(refused("move_path", paths("d", "d/q/r/s")), "invalid_argument");
    }
    const CallHook hook([&](sys::Call call) {
        return sys::Fault{.error = call == sys::Call::kRename ? EIO : 0, .bytes_max = 0};
    });
    EXPECT_EQ(refused("move_path", paths("g", "q/r/s")), "io_error");
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"d", "g"}));
}

TEST_F(Copy, a_move_replaces_no_more_than_a_write) {
    tree({"ROOT/a=x", "ROOT/protected=x", "ROOT/p|", "ROOT/l->a", "ROOT/dangling->none",
          "ROOT/d/f=x"});
    set_mode("protected", 0444);
    for (const bool tracked : {true, false}) {
        options.track_reads = tracked;
        reopen();
        read("protected");
        const Unchanged inside(ws());
        for (const char* tool : {"move_path", "copy_path"}) {
            EXPECT_EQ(refused(tool, paths("a", "protected", true)), "permission_denied") << tool;
            for (const char* to : {"p", "l", "dangling"}) {
                EXPECT_EQ(refused(tool, paths("a", to, true)), "not_regular_file") << tool << to;
            }
            EXPECT_EQ(refused(tool, paths("a", "d", true)), "is_a_directory") << tool;
        }
    }
}

TEST_F(Copy, issue_17_9_that_meets_a_mount_makes_nothing) {
    tree({"ROOT/s/a/f=1", "ROOT/s/m/", "ROOT/s/z=2", "ROOT/t/f=3"});
    const pid_t child = ::fork();
    if (child == 0) {
        std::string why;
        if (!enter_private_mounts(why) ||
            ::mount("none", ws("s/m").c_str(), "tmpfs", 0, nullptr) != 0 ||
            ::mount(ws("t/f").c_str(), ws("s/z").c_str(), nullptr, MS_BIND, nullptr) != 0)
            ::_exit(77);
        const std::string text = call("copy_path", paths("s", "new/t")).text();
        ::umount(ws("s/m").c_str());
        const std::string file = call("copy_path", paths("s", "new/t")).text();
        const bool refused =
            text.starts_with("mount_crossing: ") && file.starts_with("mount_crossing: ");
        ::_exit(refused && !os_exists(ws("new")) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "nothing can be mounted here";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

// In a process of its own, which may mount.
TEST_F(Copy, a_mount_is_not_called_missing) {
    tree({"ROOT/m/"});
    const pid_t child = ::fork();
    if (child == 0) {
        std::string why;
        if (!enter_private_mounts(why) ||
            ::mount("none", ws("m").c_str(), "tmpfs", 0, nullptr) != 0)
            ::_exit(77);
        bool good = true;
        for (const char* tool : {"move_path", "copy_path"}) {
            good = good && call(tool, paths("m", "n")).text().starts_with("mount_crossing: ");
        }
        const auto removed = call("remove_path", {{"path", "m"}, {"recursive", true}});
        ::_exit(good && removed.text().starts_with("mount_crossing: ") ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "nothing can be mounted here";
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace paddock::testing
