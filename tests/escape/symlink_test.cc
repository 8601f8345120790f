// Symbolic links: those that stay inside work, those that leave are refused alike, and what acts on
// a name acts on the link.
#include <sys/stat.h>
#include <unistd.h>

#include "escape/operations.h"
#include "escape/plain_os.h"
#include "escape/unprivileged.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using namespace std::string_literals;
using Names = std::vector<std::string>;

bool is_link(const std::string& path) { return S_ISLNK(os_stat(path).st_mode); }

// What uses a link that leads outside is refused, and what acts on its name is not in this list.
void expect_escape(const Root& root, std::string_view link) {
    expect_refused(root, link, Code::kPathEscape, following());
}

ATTACK(SYM_01, a_link_inside) {
    tree({"ROOT/f=inside", "ROOT/link->f", "ROOT/dot->./f", "ROOT/d/up->../f"});
    for (const char* path : {"link", "dot", "d/up"}) EXPECT_EQ(root().read_file(path), "inside");
    EXPECT_OK(root().write_file("link", "changed"));
    EXPECT_EQ(os_read(ws("f")), "changed");
    EXPECT_TRUE(is_link(ws("link")));
}

ATTACK(SYM_03, link_to_outside) {
    tree({"ROOT/link->../OUT/secret", "ROOT/d/link->../../OUT", "ROOT/f=inside"});
    expect_naive_leak("link");
    expect_naive_leak("d/link/secret");
    const Unchanged watch(base());
    expect_escape(root(), "link");
    expect_escape(root(), "d/link");
    for (const char* path : {"d/link/secret", "d/link/new", "d/link/secret/", "d/link/a/b"}) {
        expect_refused(root(), path, Code::kPathEscape);
    }
}

ATTACK(SYM_03, a_write_without_the_guard) {
    tree({"ROOT/link->../OUT/secret", "ROOT/dir->../OUT"});
    ASSERT_TRUE(naive_write("link", "overwritten"));
    EXPECT_EQ(secret(), "overwritten");
    ASSERT_TRUE(naive_write("dir/new", "planted"));
    EXPECT_EQ(os_list(out()), (Names{"new", "secret"}));
}

ATTACK(SYM_04, link_out_and_back_in) {
    tree({"ROOT/link->../ROOT/f", "ROOT/f=inside"});
    EXPECT_EQ(naive_read("link"), "inside");
    const Unchanged watch(base());
    expect_escape(root(), "link");
}

ATTACK(SYM_05, absolute_link_to_outside) {
    tree({"ROOT/link->@/OUT/secret", "ROOT/dir->@/OUT", "ROOT/passwd->/etc/passwd",
          "ROOT/twin->@/ROOT-twin/secret", "ROOT-twin/secret=outside-secret", "ROOT/f=inside"});
    expect_naive_leak("link");
    expect_naive_leak("dir/secret");
    expect_naive_leak("twin");
    const Unchanged watch(base());
    for (const char* link : {"link", "dir", "passwd", "twin"}) expect_escape(root(), link);
    expect_refused(root(), "dir/secret", Code::kPathEscape);
}

ATTACK(SYM_06, absolute_link_to_inside) {
    tree({"ROOT/d/f=inside", "ROOT/link->@/ROOT/d/f", "ROOT/dir->@/ROOT/d", "ROOT/top->@/ROOT",
          "ROOT/odd->@//./ROOT///d/./f", "ROOT/back->@/ROOT/d/../d/f", "ROOT/two->link",
          "ROOT/away->@/ROOT/../OUT/secret", "ROOT/around->@/OUT/../ROOT/d/f", "ROOT/f=root"});
    for (const char* path : {"link", "dir/f", "top/d/f", "top/top/link", "odd", "back", "two"}) {
        EXPECT_EQ(root().read_file(path), "inside") << path;
    }
    EXPECT_OK(root().write_file("dir/new", "made"));
    EXPECT_EQ(os_read(ws("d/new")), "made");
    expect_naive_leak("away");
    EXPECT_EQ(naive_read("around"), "inside");
    const Unchanged watch(base());
    expect_escape(root(), "away");
    expect_escape(root(), "around");
}

ATTACK(SYM_06, links_can_be_refused_altogether) {
    tree(
        {"ROOT/d/f=inside", "ROOT/abs->@/ROOT/d/f", "ROOT/rel->d/f", "ROOT/dir->d", "ROOT/f=root"});
    const Root strict = root(with(Symlinks::kReject));
    EXPECT_EQ(strict.read_file("d/f"), "inside");
    const Unchanged watch(base());
    for (const char* link : {"abs", "rel", "dir"}) {
        expect_escape(strict, link);
        EXPECT_EQ(strict.lstat(link)->type, FileType::kSymlink);
    }
    expect_refused(strict, "dir/f", Code::kPathEscape);
}

ATTACK(SYM_07, links_to_the_host_root) {
    tree({"ROOT/a->/", "ROOT/b->/..", "ROOT/c->/../../..", "ROOT/d->///", "ROOT/f=inside"});
    for (const char* link : {"a", "b", "c"}) EXPECT_EQ(os_list(ws(link)), os_list("/"));
    const Unchanged watch(base());
    for (const char* link : {"a", "b", "c", "d"}) expect_escape(root(), link);
    for (const char* path : {"a/etc/passwd", "b/etc", "c/new"}) {
        expect_refused(root(), path, Code::kPathEscape);
    }
}

ATTACK(SYM_09, one_dotdot_too_many) {
    tree({"ROOT/a/b/e->../../..", "ROOT/f=inside"});
    expect_naive_leak("a/b/e/OUT/secret");
    const Unchanged watch(base());
    expect_escape(root(), "a/b/e");
    expect_refused(root(), "a/b/e/OUT", Code::kPathEscape);
    expect_refused(root(), "a/b/e/ROOT/f", Code::kPathEscape);
}

ATTACK(SYM_10, a_link_to_the_root_itself) {
    tree({"ROOT/d/d->..", "ROOT/f=inside"});
    EXPECT_OK(root().mkdir("d/d/new"));
    EXPECT_OK(root().mkdir_all("d/d/d/d/deep/er"));
    EXPECT_EQ(os_list(ws()), (Names{"d", "deep", "f", "new"}));
    const auto listing = root().list("d/d");
    ASSERT_TRUE(listing);
    EXPECT_EQ(listing->entries.size(), 4U);
    EXPECT_EQ(root().read_file("d/d/f"), "inside");
    EXPECT_EQ(root().resolve("d/d")->path, ".");
    EXPECT_CODE(root().read_file("d/d"), Code::kIsADirectory);
    EXPECT_CODE(root().write_file("d/d", "x"), Code::kIsADirectory);
}

ATTACK(SYM_11, dotdot_after_a_link_is_lexical) {
    tree({"ROOT/b/c/", "ROOT/b/target=beside", "ROOT/a->b/c", "ROOT/o->../OUT"});
    EXPECT_EQ(naive_read("a/../target"), "beside");
    EXPECT_CODE(root().read_file("a/../target"), Code::kNotFound);
    os_write(ws("target"), "at the root");
    EXPECT_EQ(root().read_file("a/../target"), "at the root");
    // Also where the link leads outside: it is never asked.
    expect_naive_leak("o/../OUT/secret");
    EXPECT_CODE(root().read_file("o/../OUT/secret"), Code::kNotFound);
    EXPECT_EQ(root().read_file("o/../target"), "at the root");
}

ATTACK(SYM_12, a_winding_chain) {
    tree({"ROOT/link->a/b/c/t", "ROOT/a/b->e", "ROOT/a/e->../f", "ROOT/f->g/h/i", "ROOT/g/h/i->..",
          "ROOT/g/c/t=inside"});
    EXPECT_EQ(root().read_file("link"), "inside");
    EXPECT_EQ(root().resolve("link")->path, "g/c/t");
    EXPECT_EQ(root().stat("link")->identity, root().stat("g/c/t")->identity);
}

ATTACK(SYM_13, a_chain_that_leaves_in_the_middle) {
    tree({"ROOT/one->two", "ROOT/two->../OUT/three", "OUT/three->secret", "OUT/home->../ROOT/f",
          "ROOT/back->../OUT/home", "ROOT/f=inside"});
    expect_naive_leak("one");
    EXPECT_EQ(naive_read("back"), "inside");
    const Unchanged watch(base());
    expect_escape(root(), "one");
    expect_escape(root(), "back");
}

ATTACK(SYM_14, forty_links_but_not_more) {
    tree({"ROOT/l0=inside", "ROOT/f=inside"});
    for (int i = 1; i <= 41; ++i) {
        tree({"ROOT/l" + std::to_string(i) + "->l" + std::to_string(i - 1)});
    }
    EXPECT_EQ(root().read_file("l40"), "inside");
    EXPECT_EQ(root(with(ResolverKind::kWalk)).read_file("l40"), "inside");
    const Unchanged watch(base());
    expect_refused(root(), "l41", Code::kLimitReached, following());
    expect_refused(root(with(ResolverKind::kWalk)), "l41", Code::kLimitReached, following());
}

ATTACK(SYM_14, absolute_links_count_as_well) {
    tree({"ROOT/l0=inside"});
    for (int i = 1; i <= 41; ++i) {
        tree({"ROOT/l" + std::to_string(i) + "->@/ROOT/l" + std::to_string(i - 1)});
    }
    EXPECT_EQ(root().read_file("l40"), "inside");
    EXPECT_CODE(root().read_file("l41"), Code::kLimitReached);
}

ATTACK(SYM_15, a_link_to_itself) {
    tree({"ROOT/a->a", "ROOT/abs->@/ROOT/abs", "ROOT/f=inside"});
    const Unchanged watch(base());
    expect_refused(root(), "a", Code::kLimitReached, following());
    expect_refused(root(), "abs", Code::kLimitReached, following());
    expect_refused(root(), "a/x", Code::kLimitReached);
    EXPECT_EQ(root().lstat("a")->type, FileType::kSymlink);
}

ATTACK(SYM_16, two_links_to_each_other) {
    tree({"ROOT/a->b", "ROOT/b->a", "ROOT/f=inside"});
    const Unchanged watch(base());
    expect_refused(root(), "a", Code::kLimitReached, following());
    expect_refused(root(), "b/x", Code::kLimitReached);
}

ATTACK(SYM_17, rings_over_several_directories) {
    tree({"ROOT/loop/link->a/link", "ROOT/loop/a/link->../b/link",
          "ROOT/loop/b/link->@/ROOT/loop/c/link", "ROOT/loop/c/link->../link",
          "ROOT/out/link->a/link", "ROOT/out/a/link->../b/link", "ROOT/out/b/link->/out/c/link",
          "ROOT/out/c/link->../link", "ROOT/f=inside"});
    const Unchanged watch(base());
    expect_refused(root(), "loop/link", Code::kLimitReached, following());
    expect_refused(root(), "out/link", Code::kPathEscape, following());
}

ATTACK(SYM_18, through_its_own_directory_45_times) {
    tree({"ROOT/self->.", "ROOT/f=inside"});
    std::string path;
    for (int i = 0; i < 40; ++i) path += "self/";
    EXPECT_EQ(root().read_file(path + "f"), "inside");
    const Unchanged watch(base());
    expect_refused(root(), path + "self/self/self/self/self/f", Code::kLimitReached);
}

ATTACK(SYM_20, no_word_about_what_exists_outside) {
    tree({"ROOT/file->@/OUT/secret", "ROOT/absent->@/OUT/absent", "ROOT/dir->../OUT",
          "ROOT/nodir->../ABSENT", "ROOT/beyond->../OUT/secret/x", "ROOT/loop->../OUT/loop",
          "OUT/loop->loop", "ROOT/f=inside"});
    expect_naive_leak("file");
    EXPECT_EQ(naive_read("absent"), std::nullopt);
    const Unchanged watch(base());
    for (const char* link : {"absent", "dir", "nodir", "beyond", "loop"}) {
        expect_same_refusal(root(), "file", link, following());
        EXPECT_TRUE(root().readlink(link)->escapes) << link;
    }
    expect_same_refusal(root(), "dir/secret", "dir/absent");
    expect_same_refusal(root(), "dir/secret", "nodir/absent");
    expect_same_refusal(root(), "file/", "absent/");
    EXPECT_EQ(root().read_file("file").error().message().find("OUT"), std::string::npos);
}

ATTACK(SYM_21, through_a_dangling_link) {
    tree({"ROOT/dang->a/missing", "ROOT/a/", "ROOT/f=inside"});
    const Unchanged watch(base());
    expect_refused(root(), "dang", Code::kNotFound, [] {
        auto reading = following();
        std::erase_if(reading, [](const auto& op) { return !op.needs; });
        return reading;
    }());
    expect_refused(root(), "dang/foo", Code::kNotFound, needing());
    EXPECT_CODE(root().write_file("dang/foo", "x"), Code::kNotFound);
    EXPECT_CODE(root().create("dang/foo"), Code::kNotFound);
    EXPECT_CODE(root().mkdir("dang/foo"), Code::kNotFound);
}

ATTACK(SYM_22, a_cancelled_dangling_link) {
    tree({"ROOT/dang->a/missing", "ROOT/a/", "ROOT/f=inside"});
    EXPECT_EQ(naive_read("dang/../f"), std::nullopt);
    EXPECT_EQ(root().read_file("dang/../f"), "inside");
}

ATTACK(SYM_24, a_slash_after_an_outward_link) {
    tree({"ROOT/link->../OUT", "ROOT/abs->@/OUT", "ROOT/f=inside", "ROOT/d/"});
    const mode_t before = os_mode(out());
    ASSERT_EQ(::chmod(ws("link/").c_str(), 0711), 0);
    EXPECT_EQ(os_mode(out()), 0711U) << "the attack does not work even without the guard";
    ASSERT_EQ(::chmod(out().c_str(), before), 0);

    const Unchanged watch(base());
    for (const char* path : {"link/", "link//", "abs/"}) {
        for (const Operation& operation : operations()) {
            const auto error = operation.run(root(), path);
            ASSERT_TRUE(error) << operation.name << " " << path;
            const Code expected =
                operation.name == "mkdir" ? Code::kAlreadyExists : Code::kPathEscape;
            EXPECT_EQ(code_name(error->code), code_name(expected)) << error->message();
        }
        EXPECT_CODE(root().rename("d", path), Code::kPathEscape);
    }
}

ATTACK(SYM_25, a_dot_after_an_outward_link) {
    tree({"ROOT/link->../OUT", "ROOT/f=inside"});
    EXPECT_EQ(os_list(ws("link/.")), Names{"secret"});
    const Unchanged watch(base());
    for (const char* path : {"link/.", "link/./", "link//.", "link/././"}) {
        EXPECT_CODE(root().list(path), Code::kPathEscape);
        EXPECT_CODE(root().walk(path, {}), Code::kPathEscape);
        EXPECT_CODE(root().stat(path), Code::kPathEscape);
        EXPECT_CODE(root().lstat(path), Code::kPathEscape);
        EXPECT_CODE(root().sub_root(path), Code::kPathEscape);
        EXPECT_CODE(root().chmod(path, 0700), Code::kPathEscape);
        EXPECT_CODE(root().mkdir_all(path), Code::kPathEscape);
        EXPECT_CODE(root().temp_file(path), Code::kPathEscape);
        // A name to be written or changed cannot end in a dot at all.
        EXPECT_CODE(root().write_file(path, "x"), Code::kInvalidArgument);
        EXPECT_CODE(root().remove_all(path), Code::kInvalidArgument);
    }
    expect_refused(root(), "link/./secret", Code::kPathEscape);
}

ATTACK(SYM_27, lstat_of_an_outward_link) {
    tree({"ROOT/link->../OUT/secret", "ROOT/gone->../OUT/absent"});
    for (const char* link : {"link", "gone"}) {
        const auto own = root().lstat(link);
        ASSERT_TRUE(own);
        EXPECT_EQ(own->type, FileType::kSymlink);
        const struct stat info = os_stat(ws(link));
        EXPECT_EQ(own->identity.inode, info.st_ino);
        EXPECT_EQ(own->size, static_cast<std::uint64_t>(info.st_size));
    }
}

ATTACK(SYM_28, readlink_of_an_outward_link) {
    tree({"ROOT/link->../../etc/x", "ROOT/abs->/etc/passwd", "ROOT/in->f", "ROOT/f=inside",
          "ROOT/dang->missing", "ROOT/pseudo->pipe:[1]"});
    const Unchanged watch(base());
    EXPECT_EQ(root().readlink("link")->text, "../../etc/x");
    EXPECT_TRUE(root().readlink("link")->escapes);
    EXPECT_EQ(root().readlink("abs")->text, "/etc/passwd");
    EXPECT_TRUE(root().readlink("abs")->escapes);
    EXPECT_EQ(root().readlink("in")->text, "f");
    EXPECT_FALSE(root().readlink("in")->escapes);
    EXPECT_EQ(root().readlink("dang")->text, "missing");
    EXPECT_FALSE(root().readlink("dang")->escapes);
    EXPECT_EQ(root().readlink("pseudo")->text, "pipe:[1]");
}

ATTACK(SYM_29, stat_of_an_outward_link) {
    tree({"ROOT/link->@/OUT/big", "OUT/big=4242"});
    struct stat info;
    ASSERT_EQ(::stat(ws("link").c_str(), &info), 0);
    EXPECT_EQ(info.st_size, 4) << "the attack does not work even without the guard";
    EXPECT_CODE(root().stat("link"), Code::kPathEscape);
    EXPECT_CODE(root().exists("link"), Code::kPathEscape);
    EXPECT_CODE(root().resolve("link"), Code::kPathEscape);
    EXPECT_EQ(root().list(".")->entries.at(0).type, FileType::kSymlink);
    EXPECT_OK(root().walk(".", [](const WalkEntry& entry) {
        EXPECT_EQ(entry.type, FileType::kSymlink);
        return WalkAction::kContinue;
    }));
}

ATTACK(SYM_30, removing_an_outward_link) {
    tree({"ROOT/link->../OUT/secret", "ROOT/dir->../OUT"});
    EXPECT_OK(root().remove("link"));
    EXPECT_OK(root().remove("dir"));
    EXPECT_EQ(os_list(ws()), Names{});
    EXPECT_EQ(secret(), kSecret);
}

ATTACK(SYM_31, remove_all_of_an_outward_link) {
    tree({"ROOT/link->../OUT", "ROOT/d/abs->@/OUT", "ROOT/d/root->/", "OUT/a/b/c=kept"});
    const Unchanged watch(out());
    EXPECT_OK(root().remove_all("link"));
    EXPECT_OK(root().remove_all("d"));
    EXPECT_EQ(os_list(ws()), Names{});
}

ATTACK(SYM_33, renaming_moves_the_link) {
    tree({"ROOT/tgt=inside", "ROOT/lnk->tgt", "ROOT/out->../OUT/secret"});
    EXPECT_OK(root().rename("lnk", "moved"));
    EXPECT_OK(root().rename("out", "away"));
    EXPECT_EQ(os_list(ws()), (Names{"away", "moved", "tgt"}));
    EXPECT_EQ(root().readlink("moved")->text, "tgt");
    EXPECT_EQ(root().readlink("away")->text, "../OUT/secret");
    EXPECT_EQ(secret(), kSecret);
}

ATTACK(SYM_34, renaming_onto_an_outward_link) {
    tree({"ROOT/f=inside", "ROOT/link->../OUT/secret", "ROOT/dir->../OUT"});
    const Unchanged watch(out());
    EXPECT_OK(root().rename("f", "link"));
    EXPECT_FALSE(is_link(ws("link")));
    EXPECT_EQ(os_read(ws("link")), "inside");
    EXPECT_OK(root().rename("link", "dir"));
    EXPECT_EQ(os_list(ws()), Names{"dir"});
    EXPECT_EQ(os_read(ws("dir")), "inside");
}

ATTACK(SYM_35, metadata_through_links) {
    tree({"ROOT/f=inside", "ROOT/in->f", "ROOT/link->../OUT/secret", "ROOT/dir->../OUT"});
    ASSERT_EQ(::chmod(ws("link").c_str(), 0640), 0);
    EXPECT_EQ(os_mode(out("secret")), 0640U) << "the attack does not work even without the guard";
    {
        const Unchanged watch(base());
        for (const char* path : {"link", "dir", "dir/secret"}) {
            EXPECT_CODE(root().chmod(path, 0600), Code::kPathEscape);
            EXPECT_CODE(root().utimes(path, {.accessed = {}, .modified = std::chrono::seconds(1)}),
                        Code::kPathEscape);
        }
    }
    EXPECT_OK(root().chmod("in", 0600));
    EXPECT_EQ(os_mode(ws("f")), 0600U);
    EXPECT_OK(root().utimes("in", {.accessed = {}, .modified = std::chrono::seconds(77)}));
    EXPECT_EQ(root().stat("f")->modified, std::chrono::seconds(77));
    EXPECT_TRUE(is_link(ws("in")));
}

ATTACK(SYM_36, creating_outward_links) {
    tree({"ROOT/d/e/", "ROOT/f=inside"});
    const Unchanged watch(base());
    for (const std::string& target :
         {"../../etc"s, "/etc"s, ".."s, "../OUT/secret"s, "../ROOT/f"s, "d/../../OUT"s, "/"s,
          out("secret"), ws() + "/../OUT", ws() + "-twin", "missing/../../OUT"s}) {
        EXPECT_CODE(root().symlink(target, "link"), Code::kPathEscape);
    }
    EXPECT_CODE(root().symlink("../../../OUT", "d/e/link"), Code::kPathEscape);
}

ATTACK(SYM_36, creating_a_long_outward_link) {
    // Together with the directory that holds it, the target is longer than any path may be.
    const std::string deep(200, 'd');
    tree({"ROOT/" + deep + "/"});
    std::string target = out("secret").substr(1);
    while (target.size() < 4000) target.insert(0, "../");
    ASSERT_EQ(::symlink(target.c_str(), ws(deep + "/naive").c_str()), 0);
    expect_naive_leak(deep + "/naive");
    const Unchanged watch(base());
    EXPECT_CODE(root().symlink(target, deep + "/link"), Code::kPathEscape);
    EXPECT_CODE(root().read_file(deep + "/naive"), Code::kPathEscape);
}

ATTACK(SYM_36, creating_an_outward_link_by_way_of_another) {
    // Read as text the target stays in "d"; but "d/top" is the workspace, and ".." is above it.
    tree({"ROOT/d/top->..", "ROOT/naive->d/top/../OUT/secret"});
    expect_naive_leak("naive");
    const Unchanged watch(base());
    EXPECT_CODE(root().symlink("d/top/../OUT/secret", "link"), Code::kPathEscape);
    EXPECT_CODE(root().read_file("naive"), Code::kPathEscape);
}

ATTACK(SYM_36, creating_inward_links) {
    tree({"ROOT/d/e/", "ROOT/f=inside", "ROOT/in->d/e"});
    EXPECT_OK(root().symlink("../../f", "d/e/up"));
    EXPECT_OK(root().symlink("../../f", "in/linked"));
    EXPECT_OK(root().symlink(ws("f"), "abs"));
    EXPECT_OK(root().symlink("later", "dangling"));
    for (const char* link : {"d/e/up", "d/e/linked", "abs"}) {
        EXPECT_EQ(root().read_file(link), "inside") << link;
    }
}

ATTACK(SYM_37, creating_links_with_unusable_targets) {
    tree({"ROOT/f=inside"});
    const Unchanged watch(base());
    EXPECT_CODE(root().symlink("", "link"), Code::kInvalidArgument);
    EXPECT_CODE(root().symlink(std::string(5000, 'x'), "link"), Code::kInvalidPath);
    EXPECT_CODE(root().symlink(std::string(4096, '/'), "link"), Code::kInvalidPath);
    EXPECT_CODE(root().symlink("f\0x"s, "link"), Code::kInvalidPath);
}

ATTACK(SYM_38, hard_linking_a_link) {
    tree({"ROOT/f=inside", "ROOT/link->f", "ROOT/out->../OUT/secret"});
    const Unchanged watch(out());
    EXPECT_OK(root().hard_link("link", "h"));
    EXPECT_EQ(root().lstat("h")->identity, root().lstat("link")->identity);
    EXPECT_EQ(root().readlink("h")->text, "f");
    EXPECT_OK(root().hard_link("out", "o"));
    EXPECT_TRUE(is_link(ws("o")));
    EXPECT_CODE(root().read_file("o"), Code::kPathEscape);
}

ATTACK(SYM_41, climbing_to_a_sibling_inside) {
    tree({"ROOT/sub/climb->../sibling", "ROOT/sibling/f=inside", "ROOT/a/b/c->../../sibling"});
    for (const char* path : {"sub/climb/f", "a/b/c/f"}) {
        EXPECT_EQ(root().read_file(path), "inside") << path;
        EXPECT_OK(root().append_file(path, ""));
    }
    EXPECT_OK(root().write_file("sub/climb/new", "made"));
    EXPECT_EQ(os_read(ws("sibling/new")), "made");
    EXPECT_EQ(root().list("sub/climb")->entries.size(), 2U);
}

ATTACK(SYM_42, through_a_link_to_a_search_only_directory) {
    tree({"ROOT/d/f=inside", "ROOT/d/e/g=deeper", "ROOT/link->d", "ROOT/abs->@/ROOT/d"});
    ASSERT_EQ(::chmod(ws("d").c_str(), 0311), 0);
    const Root held = root();
    const Unprivileged user;
    if (!user.is()) GTEST_SKIP() << "permissions do not bind this user";
    for (const std::string link : {"link", "abs"}) {
        EXPECT_EQ(held.read_file(link + "/f"), "inside");
        EXPECT_EQ(held.read_file(link + "/e/g"), "deeper");
        EXPECT_EQ(held.read_file(link + "/../d/f"), "inside");
        EXPECT_OK(held.open_directory(link));
        EXPECT_CODE(held.list(link), Code::kPermissionDenied);
        EXPECT_CODE(held.read_file(link + "/absent"), Code::kNotFound);
    }
}

ATTACK(SYM_43, readlink_of_what_is_no_link) {
    tree({"ROOT/f=inside", "ROOT/d/"});
    EXPECT_CODE(root().readlink("f"), Code::kInvalidArgument);
    EXPECT_CODE(root().readlink("d"), Code::kInvalidArgument);
    EXPECT_CODE(root().readlink("d/"), Code::kInvalidArgument);
    EXPECT_CODE(root().readlink("."), Code::kInvalidArgument);
    EXPECT_CODE(root().readlink("missing"), Code::kNotFound);
}

}  // namespace
}  // namespace paddock::testing
