// The root itself: what may become one, and that later only the held directory counts, whatever
// happens to its name.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "escape/child.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "escape/unprivileged.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using namespace std::string_literals;
using Names = std::vector<std::string>;

// Default options, but only for the directory that `identity` names.
RootOptions expecting(const Identity& identity) {
    RootOptions options;
    options.expected = identity;
    return options;
}

ATTACK(ROOT_01, renamed_and_its_name_reused) {
    tree({"ROOT/f=inside"});
    const Root held = root();
    ASSERT_EQ(::rename(ws().c_str(), (base() + "/moved").c_str()), 0);
    tree({"ROOT/f=outside-secret", "ROOT/only-new=outside-secret"});
    expect_naive_leak("f");
    const Unchanged watch(ws());
    EXPECT_EQ(held.read_file("f"), "inside");
    EXPECT_EQ(held.read_file(ws("f")), "inside");
    EXPECT_OK(held.write_file("g", "made"));
    EXPECT_OK(held.mkdir_all(ws("d/e")));
    EXPECT_CODE(held.read_file("only-new"), Code::kNotFound);
    EXPECT_CODE(held.read_file(ws("only-new")), Code::kNotFound);
    EXPECT_CODE(held.read_file("../ROOT/f"), Code::kPathEscape);
    EXPECT_EQ(os_list(base() + "/moved"), (Names{"d", "f", "g"}));
}

ATTACK(ROOT_02, replaced_by_a_link) {
    tree({"ROOT/f=inside", "ROOT/abs->@/ROOT/f", "OUT/f=outside-secret"});
    const Root held = root();
    ASSERT_EQ(::rename(ws().c_str(), (base() + "/moved").c_str()), 0);
    tree({"ROOT->OUT"});
    expect_naive_leak("f");
    const Unchanged watch(out());
    for (const std::string& path : {"f"s, "abs"s, ws("f")}) {
        EXPECT_EQ(held.read_file(path), "inside") << path;
    }
    EXPECT_CODE(held.read_file("secret"), Code::kNotFound);
    EXPECT_OK(held.write_file("g", "made"));
    EXPECT_OK(held.remove_all("f"));
    EXPECT_EQ(os_list(base() + "/moved"), (Names{"abs", "g"}));
}

ATTACK(ROOT_03, removed_while_in_use) {
    const Root held = root();
    ASSERT_EQ(::rmdir(ws().c_str()), 0);
    {
        const Unchanged watch(base());
        EXPECT_EQ(held.list(".")->entries.size(), 0U);
        EXPECT_OK(held.walk(".", [](const WalkEntry&) { return WalkAction::kContinue; }));
        for (const auto& failed : {held.write_file("f", "x"), held.append_file("f", "x"),
                                   held.mkdir("d"), held.mkdir_all("a/b"),
                                   held.write_file("a/b", "x", {.make_parents = true, .mode = {}}),
                                   held.symlink("f", "l")}) {
            EXPECT_CODE(failed, Code::kNotFound);
        }
        EXPECT_CODE(held.create("f"), Code::kNotFound);
        EXPECT_CODE(held.temp_file("."), Code::kNotFound);
        EXPECT_CODE(held.read_file("f"), Code::kNotFound);
        EXPECT_CODE(held.read_file(".."), Code::kPathEscape);
        EXPECT_CODE(held.list(".."), Code::kPathEscape);
        EXPECT_CODE(held.read_file("../OUT/secret"), Code::kPathEscape);
    }
    tree({"ROOT/f=outside-secret"});
    expect_naive_leak("f");
    EXPECT_CODE(held.read_file("f"), Code::kNotFound);
    EXPECT_CODE(held.read_file(ws("f")), Code::kNotFound);
    EXPECT_OK(held.remove_all("f"));
    EXPECT_EQ(naive_read("f"), kSecret);
}

ATTACK(ROOT_04, a_root_that_is_a_link) {
    tree({"ROOT/f=inside", "link->ROOT", "OUT/f=outside-secret"});
    const auto held = open_root(base() + "/link");
    ASSERT_TRUE(held);
    ASSERT_EQ(::unlink((base() + "/link").c_str()), 0);
    tree({"link->OUT"});
    expect_naive_leak(base() + "/link/f");
    EXPECT_EQ(held->read_file("f"), "inside");
    EXPECT_EQ(held->read_file(base() + "/link/f"), "inside");
}

ATTACK(ROOT_04, a_root_that_is_a_link_can_be_refused) {
    tree({"link->ROOT", "ROOT/f=inside"});
    RootOptions strict;
    strict.follow_root_link = false;
    const Unchanged watch(base());
    for (const char* end : {"", "/", "//", "/.", "/./", "/.//"}) {
        EXPECT_CODE(open_root(base() + "/link" + end, strict), Code::kNotADirectory);
        EXPECT_OK(open_root(ws() + end, strict));
    }
}

ATTACK(ROOT_05, what_cannot_be_a_root) {
    tree({"file=x", "pipe|", "dangling->absent", "tofile->file", "loop->loop"});
    const Unchanged watch(base());
    for (const char* name : {"file", "pipe", "tofile", "file/.", "file/x"}) {
        EXPECT_CODE(open_root(base() + "/" + name), Code::kNotADirectory);
    }
    for (const char* name : {"missing", "missing/deeper", "dangling", "missing/../ROOT"}) {
        EXPECT_CODE(open_root(base() + "/" + name), Code::kNotFound);
    }
    EXPECT_CODE(open_root(base() + "/loop"), Code::kLimitReached);
    EXPECT_CODE(open_root(""), Code::kInvalidPath);
    EXPECT_CODE(open_root(base() + "/" + std::string(256, 'n')), Code::kInvalidPath);
    for (const char* literal : {"~", "$HOME", "%2e", ". ", "\xef\xbc\x8e"}) {
        EXPECT_CODE(open_root(base() + "/" + literal), Code::kNotFound);
        EXPECT_CODE(open_root(literal), Code::kNotFound);
    }
    const std::string message = open_root(base() + "/missing").error().message();
    EXPECT_TRUE(message.ends_with("Check the name by listing its directory.")) << message;
}

ATTACK(ROOT_06, the_whole_file_system) {
    const auto whole = open_root("/");
    ASSERT_TRUE(whole);
    for (const char* path : {"..", "../", "etc/../../x", "/..", "/../etc/passwd", "a/../.."}) {
        EXPECT_CODE(whole->read_file(path), Code::kPathEscape);
        EXPECT_CODE(whole->list(path), Code::kPathEscape);
    }
    EXPECT_EQ(whole->list("/")->entries.size(), os_list("/").size());
    EXPECT_CODE(whole->read_file("proc/self/environ"), Code::kMountCrossing);
    struct stat file;
    struct stat top;
    ASSERT_TRUE(::stat("/etc/passwd", &file) == 0 && ::stat("/", &top) == 0);
    if (file.st_dev != top.st_dev) GTEST_SKIP() << "/etc/passwd is on a mount of its own";
    const auto expected = os_read("/etc/passwd");
    ASSERT_TRUE(expected);
    for (const char* path : {"/etc/passwd", "etc/passwd", "//etc//passwd", "etc/../etc/passwd"}) {
        EXPECT_EQ(whole->read_file(path), *expected) << path;
    }
}

ATTACK(ROOT_07, a_search_only_root) {
    tree({"ROOT/d/f=inside", "ROOT/link->d/f", "ROOT/d/up->.."});
    ASSERT_EQ(::chmod(ws().c_str(), 0311), 0);
    ASSERT_EQ(::chmod(base().c_str(), 0755), 0);
    const Unprivileged user;
    if (!user.is()) GTEST_SKIP() << "permissions do not bind this user";
    const Root held = root();
    for (const std::string& path : {"d/f"s, "link"s, "d/up/d/f"s, ws("d/f")}) {
        EXPECT_EQ(held.read_file(path), "inside") << path;
    }
    EXPECT_CODE(held.list("."), Code::kPermissionDenied);
    EXPECT_CODE(held.list("d/up"), Code::kPermissionDenied);
    EXPECT_CODE(held.walk(".", [](const WalkEntry&) { return WalkAction::kContinue; }),
                Code::kPermissionDenied);
    EXPECT_EQ(held.list("d")->entries.size(), 2U);
    EXPECT_CODE(held.read_file("missing"), Code::kNotFound);
}

ATTACK(ROOT_08, closed_directories_above) {
    tree({"ROOT/d/f=inside", "ROOT/abs->@/ROOT/d/f", "ROOT/d/up->../d"});
    const Root held = root();
    ASSERT_EQ(::chmod(ws().c_str(), 0777), 0);
    ASSERT_EQ(::chmod(base().c_str(), 0), 0);
    {
        const Unprivileged user;
        if (!user.is()) GTEST_SKIP() << "permissions do not bind this user";
        EXPECT_EQ(naive_read("d/f"), std::nullopt) << "the path is still open to everybody";
        for (const std::string& path : {"d/f"s, "abs"s, "d/up/f"s, ws("d/f"), "d/../d/f"s}) {
            EXPECT_EQ(held.read_file(path), "inside") << path;
        }
        EXPECT_OK(held.write_file("new", "made"));
        EXPECT_OK(held.rename("new", "newer"));
        EXPECT_OK(held.remove("newer"));
        EXPECT_EQ(held.list(".")->entries.size(), 2U);
        EXPECT_CODE(held.read_file("../OUT/secret"), Code::kPathEscape);
    }
    EXPECT_EQ(::chmod(base().c_str(), 0700), 0);
}

ATTACK(ROOT_09, adopting_a_descriptor) {
    tree({"ROOT/f=inside", "ROOT/link->f", "ROOT/pipe|"});
    const RootOptions options = with(resolver_under_test());
    for (const int flags : {O_RDONLY | O_DIRECTORY, O_PATH, O_PATH | O_DIRECTORY}) {
        const auto adopted = Root::adopt(UniqueFd(::open(ws().c_str(), flags)), options);
        ASSERT_TRUE(adopted);
        EXPECT_EQ(::fcntl(adopted->fd(), F_GETFD), FD_CLOEXEC);
        EXPECT_EQ(adopted->read_file("f"), "inside");
        EXPECT_EQ(adopted->read_file(ws("f")), "inside");
        expect_refused(*adopted, "../OUT/secret", Code::kPathEscape);
    }
    const std::size_t before = open_descriptors();
    for (const char* name : {"f", "link", "pipe"}) {
        EXPECT_CODE(Root::adopt(UniqueFd(::open(ws(name).c_str(), O_PATH | O_NOFOLLOW)), options),
                    Code::kNotADirectory);
    }
    EXPECT_CODE(Root::adopt(UniqueFd(::open(ws("f").c_str(), O_RDWR)), options),
                Code::kNotADirectory);
    EXPECT_FALSE(Root::adopt(UniqueFd(), options));
    EXPECT_EQ(open_descriptors(), before);
}

ATTACK(ROOT_11, a_sub_root_that_was_moved_away) {
    tree({"ROOT/a/b/f=inside", "ROOT/x=above"});
    const Root outer = root();
    const auto sub = outer.sub_root("a/b");
    ASSERT_TRUE(sub);
    ASSERT_EQ(::rename(ws("a/b").c_str(), out("b").c_str()), 0);
    EXPECT_EQ(sub->read_file("f"), "inside");
    EXPECT_EQ(sub->read_file(ws("a/b/f")), "inside");
    EXPECT_OK(sub->write_file("g", "made"));
    EXPECT_EQ(os_list(out("b")), (Names{"f", "g"}));
    EXPECT_EQ(naive_read("../OUT/b/../secret"), kSecret);
    const Unchanged watch(base());
    expect_refused(*sub, "../secret", Code::kPathEscape);
    expect_refused(*sub, out("b/f"), Code::kPathEscape);
    EXPECT_CODE(outer.read_file("a/b/f"), Code::kNotFound);
    EXPECT_CODE(outer.read_file("../OUT/b/f"), Code::kPathEscape);
}

ATTACK(ROOT_12, no_descriptor_reaches_a_child) {
    tree({"ROOT/d/f=inside"});
    const Root held = root();
    const auto sub = held.sub_root("d");
    const auto file = held.open_file("d/f", {.write = true, .mode = {}});
    const auto directory = held.open_directory("d");
    const auto temporary = held.temp_file();
    ASSERT_TRUE(sub && file && directory && temporary);
    const auto seen_by_child = [] {
        const std::unique_ptr<FILE, int (*)(FILE*)> child(
            ::popen("for fd in /proc/self/fd/*; do readlink $fd; done", "r"), ::pclose);
        std::string text;
        for (int c = std::fgetc(child.get()); c != EOF; c = std::fgetc(child.get())) {
            text += static_cast<char>(c);
        }
        return text;
    };
    EXPECT_EQ(seen_by_child().find(base()), std::string::npos) << seen_by_child();
    const UniqueFd careless(::open(out().c_str(), O_RDONLY));
    EXPECT_NE(seen_by_child().find(out()), std::string::npos) << "the child sees nothing at all";
}

ATTACK(ROOT_13, changing_the_root_itself) {
    tree({"ROOT/a/top->..", "ROOT/f=inside"});
    const mode_t before = os_mode(ws());
    const Unchanged watch(base());
    for (const std::string& path : {"."s, "./"s, "a/.."s, ws(), ws() + "/", ws("a/..")}) {
        SCOPED_TRACE(path);
        EXPECT_CODE(root().remove(path), Code::kInvalidArgument);
        EXPECT_CODE(root().remove_all(path), Code::kInvalidArgument);
        EXPECT_CODE(root().rename(path, "b"), Code::kInvalidArgument);
        EXPECT_CODE(root().rename("a", path), Code::kInvalidArgument);
        EXPECT_CODE(root().rename("a", path, RenameMode::kExchange), Code::kInvalidArgument);
        EXPECT_CODE(root().mkdir(path), Code::kInvalidArgument);
        EXPECT_CODE(root().symlink("f", path), Code::kInvalidArgument);
        EXPECT_CODE(root().hard_link("f", path), Code::kInvalidArgument);
        EXPECT_CODE(root().chmod(path, 0700), Code::kInvalidArgument);
        EXPECT_CODE(root().utimes(path, {}), Code::kInvalidArgument);
    }
    for (const char* path : {"a/top", "a/top/", "a/top/."}) {
        EXPECT_CODE(root().chmod(path, 0700), Code::kInvalidArgument);
        EXPECT_CODE(root().utimes(path, {}), Code::kInvalidArgument);
    }
    EXPECT_FALSE(root().remove_all("a/top/"));
    EXPECT_FALSE(root().rename("a/top/", "b"));
    EXPECT_EQ(os_mode(ws()), before);
}

ATTACK(ROOT_14, one_of_two_handles_goes) {
    tree({"ROOT/d/f=inside"});
    std::optional<Root> first = root();
    const Root copy = *first;
    const Root second = root();
    const auto sub = first->sub_root("d");
    ASSERT_TRUE(sub);
    first.reset();
    EXPECT_EQ(copy.read_file("d/f"), "inside");
    EXPECT_EQ(second.read_file("d/f"), "inside");
    EXPECT_EQ(sub->read_file("f"), "inside");
}

ATTACK(ROOT_15, not_the_directory_that_was_expected) {
    tree({"ROOT/f=inside"});
    const auto expected = root().stat(".")->identity;
    EXPECT_OK(open_root(ws(), expecting(expected)));
    ASSERT_EQ(::rename(ws().c_str(), (base() + "/moved").c_str()), 0);
    tree({"ROOT->OUT"});
    EXPECT_EQ(os_read(ws("secret")), kSecret);
    EXPECT_CODE(open_root(ws(), expecting(expected)), Code::kInvalidArgument);
    EXPECT_OK(open_root(base() + "/moved", expecting(expected)));
    const UniqueFd other(::open(out().c_str(), O_PATH));
    const auto adopted = Root::adopt(UniqueFd(::dup(other.get())), expecting(expected));
    EXPECT_CODE(adopted, Code::kInvalidArgument);
}

ATTACK(ROOT_17, working_directory_of_the_process) {
    tree({"ROOT/f=inside", "OUT/f=outside-secret", "ROOT/link->../OUT/f"});
    in_child([&] {
        ASSERT_EQ(::chdir(base().c_str()), 0);
        const auto held = open_root("ROOT");
        ASSERT_TRUE(held);
        ASSERT_EQ(::chdir(out().c_str()), 0);
        EXPECT_EQ(os_read("f"), kSecret) << "the attack does not work even without the guard";
        const Unchanged watch(out());
        EXPECT_EQ(held->read_file("f"), "inside");
        EXPECT_EQ(held->read_file(ws("f")), "inside");
        EXPECT_OK(held->write_file("g", "made"));
        EXPECT_EQ(os_read(ws("g")), "made");
        EXPECT_EQ(held->list(".")->entries.size(), 3U);
        EXPECT_CODE(held->read_file("link"), Code::kPathEscape);
        EXPECT_CODE(held->read_file("secret"), Code::kNotFound);
    });
}

ATTACK(ROOT_17, root_directory_of_the_process) {
    if (!is_root()) GTEST_SKIP() << "only root can change the root directory of a process";
    tree({"ROOT/f=inside", "OUT/f=outside-secret", "ROOT/link->../OUT/f"});
    in_child([&] {
        const Root held = root();
        ASSERT_EQ(::chroot(out().c_str()), 0);
        ASSERT_EQ(::chdir("/"), 0);
        EXPECT_EQ(os_read("/f"), kSecret) << "the attack does not work even without the guard";
        const Unchanged watch("/");
        EXPECT_EQ(held.read_file("f"), "inside");
        EXPECT_EQ(held.read_file(ws("f")), "inside");
        EXPECT_OK(held.write_file("g", "made"));
        EXPECT_EQ(held.read_file("g"), "made");
        EXPECT_CODE(held.read_file("/f"), Code::kPathEscape);
        EXPECT_CODE(held.read_file("link"), Code::kPathEscape);
        EXPECT_CODE(held.read_file("../OUT/f"), Code::kPathEscape);
    });
    EXPECT_EQ(os_read(ws("g")), "made");
}

}  // namespace
}  // namespace paddock::testing
