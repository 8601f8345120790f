// A second name for an inode: what is inside by name may be outside as well.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include <functional>

#include <string>

#include "escape/call_hook.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "escape/unprivileged.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

RootOptions rejecting_hardlinks() {
    RootOptions options;
    options.hardlinks = Hardlinks::kReject;
    return options;
}

// Whatever depends on how many names "h" has is attacked, and the file outside stays as it was.
using Attack = std::function<void(RootOptions, const std::function<bool(const Root&)>& act)>;
void expect_links_counted(const std::string& outside, const Attack& attack) {
    const Stat before = *Root::open(outside)->stat("secret");
    attack({}, [](const Root& jail) { return jail.chmod("h", 0666).has_value(); });
    attack({}, [](const Root& jail) {
        return jail.utimes("h", {.modified = std::chrono::seconds(1)}).has_value();
    });
    attack(rejecting_hardlinks(), [](const Root& jail) { return jail.read_file("h").has_value(); });
    const Stat after = *Root::open(outside)->stat("secret");
    EXPECT_EQ(before.mode, after.mode);
    EXPECT_EQ(before.modified, after.modified);
}

ATTACK(HL_01, read_of_a_second_name) {
    tree({"ROOT/h&OUT/secret", "ROOT/f=plain"});
    expect_naive_leak("h");
    EXPECT_EQ(root().read_file("h"), kSecret);
    EXPECT_EQ(root().stat("h")->links, 2U);
    EXPECT_EQ(root().open_file("h")->stat().links, 2U);

    const Root strict = root(rejecting_hardlinks());
    EXPECT_CODE(strict.read_file("h"), Code::kPermissionDenied);
    EXPECT_CODE(strict.open_file("h"), Code::kPermissionDenied);
    EXPECT_CODE(strict.copy_file("h", "copy"), Code::kPermissionDenied);
    EXPECT_FALSE(os_exists(ws("copy")));
    EXPECT_EQ(strict.read_file("f"), "plain");
}

ATTACK(HL_02, write_in_place) {
    tree({"ROOT/h&OUT/secret", "OUT/twin=old", "ROOT/t&OUT/twin"});
    ASSERT_TRUE(naive_write("t", "changed"));
    EXPECT_EQ(os_read(out("twin")), "changed");

    const Unchanged outside(out());
    EXPECT_CODE(root().open_file("h", kInPlace), Code::kPermissionDenied);
    EXPECT_CODE(root().open_file("h", kTruncating), Code::kPermissionDenied);
    EXPECT_CODE(root().create("h"), Code::kPermissionDenied);
    EXPECT_CODE(root(rejecting_hardlinks()).create("h"), Code::kPermissionDenied);
}

ATTACK(HL_03, atomic_replace) {
    tree({"ROOT/h&OUT/secret", "OUT/twin=old", "ROOT/t&OUT/twin", "ROOT/c&OUT/secret",
          "ROOT/f=new"});
    ASSERT_TRUE(naive_write("t", "changed"));
    EXPECT_EQ(os_read(out("twin")), "changed");

    EXPECT_OK(root().write_file("h", "new"));
    EXPECT_OK(root().copy_file("f", "c", true));
    EXPECT_EQ(secret(), kSecret);
    for (const char* name : {"h", "c"}) {
        EXPECT_EQ(os_read(ws(name)), "new");
        EXPECT_NE(os_stat(ws(name)).st_ino, os_stat(out("secret")).st_ino);
    }
    EXPECT_EQ(os_stat(out("secret")).st_nlink, 1U);
    EXPECT_TRUE(leftovers(base()).empty());
}

ATTACK(HL_04, append_truncate_and_metadata) {
    tree({"ROOT/h&OUT/secret", "OUT/twin=old", "ROOT/t&OUT/twin"});
    ASSERT_EQ(::chmod(ws("t").c_str(), 0777), 0);
    EXPECT_EQ(os_mode(out("twin")), 0777U);

    const Unchanged outside(out());
    Times epoch;
    epoch.modified = std::chrono::nanoseconds(0);
    EXPECT_CODE(root().append_file("h", "x"), Code::kPermissionDenied);
    EXPECT_CODE(root().open_file("h", kTruncating), Code::kPermissionDenied);
    EXPECT_CODE(root().chmod("h", 0777), Code::kPermissionDenied);
    EXPECT_CODE(root().utimes("h", epoch), Code::kPermissionDenied);
}

ATTACK(HL_05, two_names_inside) {
    tree({"ROOT/a=old", "ROOT/a2&ROOT/a"});
    EXPECT_CODE(root().append_file("a", "x"), Code::kPermissionDenied);
    EXPECT_EQ(root().stat("a")->links, 2U);
    EXPECT_OK(root().write_file("a", "new"));
    EXPECT_EQ(os_read(ws("a")), "new");
    EXPECT_EQ(os_read(ws("a2")), "old");
    EXPECT_EQ(root().stat("a")->links, 1U);
    EXPECT_EQ(root().stat("a2")->links, 1U);
}

ATTACK(HL_06, dependency_tree_of_shared_inodes) {
    constexpr int kPackages = 49;
    tree({"ROOT/node_modules/p0/index.js=shared"});
    for (int i = 1; i < kPackages; ++i) {
        const std::string name = "ROOT/node_modules/p" + std::to_string(i) + "/index.js";
        tree({name + "&ROOT/node_modules/p0/index.js"});
    }
    int files = 0;
    EXPECT_OK(root().walk("node_modules", [&](const WalkEntry& entry) {
        if (entry.type == FileType::kRegular) {
            ++files;
            EXPECT_EQ(root().read_file(entry.path), "shared");
        }
        return WalkAction::kContinue;
    }));
    EXPECT_EQ(files, kPackages);
    EXPECT_EQ(root().list("node_modules")->entries.size(), static_cast<std::size_t>(kPackages));
    EXPECT_EQ(root().stat("node_modules/p7/index.js")->links, static_cast<unsigned>(kPackages));
}

ATTACK(HL_08, link_from_or_to_the_outside) {
    tree({"ROOT/f=inside", "ROOT/out->../OUT", "ROOT/abs->@/OUT"});
    ASSERT_EQ(::link(ws("../OUT/secret").c_str(), ws("naive").c_str()), 0);
    expect_naive_leak("naive");
    ASSERT_EQ(::unlink(ws("naive").c_str()), 0);

    const Unchanged outside(out());
    const Unchanged inside(ws());
    for (const std::string& from : {std::string("../OUT/secret"), out("secret"),
                                    std::string("out/secret"), std::string("abs/secret")}) {
        EXPECT_CODE(root().hard_link(from, "g"), Code::kPathEscape);
    }
    for (const std::string& to :
         {std::string("../OUT/g"), out("g"), std::string("out/g"), std::string("abs/g")}) {
        EXPECT_CODE(root().hard_link("f", to), Code::kPathEscape);
    }
}

ATTACK(HL_09, link_to_a_foreign_file) {
    if (!is_root()) GTEST_SKIP() << "only root can plant another user's file";
    if (os_read("/proc/sys/fs/protected_hardlinks") != "1\n") {
        GTEST_SKIP() << "fs.protected_hardlinks is off";
    }
    tree({"ROOT/foreign=not yours"});
    ASSERT_EQ(::chmod(ws("foreign").c_str(), 0600), 0);
    ASSERT_EQ(::chmod(ws().c_str(), 0777), 0);
    const Root jail = root();
    const Unprivileged nobody;
    EXPECT_OK(jail.write_file("mine", "x"));
    EXPECT_OK(jail.hard_link("mine", "second"));
    EXPECT_CODE(jail.hard_link("foreign", "planted"), Code::kPermissionDenied);
    EXPECT_EQ(jail.list(".")->entries.size(), 3U);
    EXPECT_EQ(jail.stat("foreign")->links, 1U);
}

ATTACK(HL_10, link_added_after_the_count_was_checked) {
    const std::string late = out("late");
    const auto add_link = [&] { EXPECT_EQ(::link(ws("f").c_str(), late.c_str()), 0); };
    const auto start_anew = [&] {
        ::unlink(late.c_str());
        ::unlink(ws("f").c_str());
        os_write(ws("f"), "old");
    };

    // Looks at the count first and opens the name then.
    start_anew();
    ASSERT_EQ(os_stat(ws("f")).st_nlink, 1U);
    add_link();
    ASSERT_TRUE(naive_write("f", "changed"));
    EXPECT_EQ(os_read(late), "changed");

    const Root jail = root();
    at_every_call(start_anew, add_link, [&] {
        EXPECT_OK(jail.write_file("f", "new"));
        if (os_exists(late) && os_stat(late).st_ino != os_stat(ws("f")).st_ino) {
            EXPECT_EQ(os_read(late), "old");
        }
    });

    // In place: the open file itself is asked once more, just before it is changed.
    start_anew();
    const CallHook hook([&](sys::Call call) {
        if (call == sys::Call::kAccess) add_link();
        return sys::Fault{};
    });
    EXPECT_CODE(jail.open_file("f", kTruncating), Code::kPermissionDenied);
    EXPECT_EQ(os_read(late), "old");
}

ATTACK(HL_12, link_to_a_link) {
    tree({"ROOT/f=inside", "ROOT/live->f", "ROOT/dangling->missing", "ROOT/out->../OUT/secret"});
    ASSERT_EQ(
        ::linkat(AT_FDCWD, ws("out").c_str(), AT_FDCWD, ws("naive").c_str(), AT_SYMLINK_FOLLOW), 0);
    expect_naive_leak("naive");
    ASSERT_EQ(::unlink(ws("naive").c_str()), 0);

    const Unchanged outside(out());
    for (const std::string name : {"live", "dangling", "out"}) {
        EXPECT_OK(root().hard_link(name, name + "2"));
        EXPECT_EQ(os_stat(ws(name)).st_ino, os_stat(ws(name + "2")).st_ino);
        EXPECT_EQ(root().readlink(name)->text, root().readlink(name + "2")->text);
    }
    EXPECT_FALSE(os_exists(ws("missing")));
    EXPECT_EQ(os_stat(ws("f")).st_nlink, 1U);
    EXPECT_EQ(os_stat(out("secret")).st_nlink, 1U);
}

ATTACK(HL_13, temporary_file_onto_a_taken_name) {
    tree({"ROOT/f=old"});
    const int unnamed = ::open(ws().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0) {
        const std::string magic = "/proc/self/fd/" + std::to_string(unnamed);
        EXPECT_EQ(::linkat(AT_FDCWD, magic.c_str(), AT_FDCWD, ws("f").c_str(), AT_SYMLINK_FOLLOW),
                  -1);
        EXPECT_EQ(errno, EEXIST);
        ::close(unnamed);
    }
    const auto temp = root().temp_file();
    ASSERT_TRUE(temp);
    EXPECT_CODE(root().hard_link(temp->path(), "f"), Code::kAlreadyExists);
    EXPECT_CODE(root().rename(temp->path(), "f", RenameMode::kNoReplace), Code::kAlreadyExists);
    EXPECT_EQ(os_read(ws("f")), "old");
    EXPECT_OK(root().rename(temp->path(), "f"));
    EXPECT_EQ(os_read(ws("f")), "");
}

ATTACK(HL_14, objects_shared_by_a_local_clone) {
    tree({"OUT/origin/objects/ab/cdef=blob",
          "ROOT/.git/objects/ab/cdef&OUT/origin/objects/ab/cdef"});
    ASSERT_EQ(::chmod(ws(".git/objects/ab/cdef").c_str(), 0444), 0);
    EXPECT_EQ(root().read_file(".git/objects/ab/cdef"), "blob");
    EXPECT_EQ(root().list(".git/objects/ab")->entries.at(0).name, "cdef");
}

// The count of links is asked for after the file was opened. If the inside name goes away in
// between, a count of 1 is that of the outside name.
ATTACK(HL_04, name_that_goes_away_before_the_links_are_counted) {
    const auto attack = [&](RootOptions options, const std::function<bool(const Root&)>& act) {
        const Root jail = root(options);
        ASSERT_EQ(::link(out("secret").c_str(), ws("h").c_str()), 0);
        bool opened = false;
        bool gone = false;
        const CallHook hook([&](sys::Call call) {
            const bool opens = call == sys::Call::kOpenat || call == sys::Call::kOpenat2;
            if (opened && !gone && call == sys::Call::kStat) gone = ::unlink(ws("h").c_str()) == 0;
            opened = opened || opens;
            return sys::Fault{};
        });
        EXPECT_FALSE(act(jail));
        EXPECT_TRUE(gone) << "the attack did not take place";
    };
    expect_links_counted(out(), attack);
}

// The same, and the name is back whenever it is looked up.
ATTACK(HL_04, name_that_is_away_only_while_the_links_are_counted) {
    const auto attack = [&](RootOptions options, const std::function<bool(const Root&)>& act) {
        const Root jail = root(options);
        const auto link = [&] { return ::link(out("secret").c_str(), ws("h").c_str()) == 0; };
        bool there = link();
        int turns = 0;
        {
            const CallHook hook([&](sys::Call call) {
                const bool counts = call == sys::Call::kStat;
                if (counts && there && turns++ % 2 == 0) there = ::unlink(ws("h").c_str()) != 0;
                if (!counts && !there) there = link();
                return sys::Fault{};
            });
            EXPECT_FALSE(act(jail));
        }
        EXPECT_GT(turns, 0) << "the attack did not take place";
        (void)::unlink(ws("h").c_str());
    };
    expect_links_counted(out(), attack);
}

// A name that goes while the new content is written does not come back through such a handle.
TEST_F(Jail, without_create_makes_no_name_that_went_meanwhile) {
    tree({"ROOT/f=old"});
    const Root jail = root().without_create();
    const CallHook hook([&](sys::Call call) {
        if (call == sys::Call::kSync) (void)::unlink(ws("f").c_str());
        return sys::Fault{};
    });
    EXPECT_CODE(jail.write_file("f", "new"), Code::kReadOnly);
    EXPECT_TRUE(os_list(ws()).empty());
}

}  // namespace
}  // namespace paddock::testing
