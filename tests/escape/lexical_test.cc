// Dots and slashes: what a path means is decided on its text, before the disk is asked.
#include "escape/operations.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using namespace std::string_literals;

// `count` times `part`, then `last`.
std::string repeated(std::size_t count, std::string_view part, std::string_view last) {
    std::string path;
    for (std::size_t i = 0; i < count; ++i) path += part;
    return path += last;
}

ATTACK(LEX_01, bare_dotdot) {
    tree({"ROOT/f=inside"});
    expect_naive_leak("../OUT/secret");
    EXPECT_EQ(os_list(ws("..")), (std::vector<std::string>{"OUT", "ROOT"}));
    const Unchanged watch(base());
    for (const char* path : {"..", "../", "../OUT", "../OUT/secret", "../OUT/new", "../../.."}) {
        expect_refused(root(), path, Code::kPathEscape);
        expect_refused_unseen(root(), path, Code::kPathEscape);
    }
    expect_same_refusal(root(), "../OUT/secret", "../OUT/absent");
}

ATTACK(LEX_03, down_one_up_two) {
    tree({"ROOT/a/", "ROOT/f=inside"});
    expect_naive_leak("a/../../OUT/secret");
    const Unchanged watch(base());
    for (const char* path : {"a/../..", "a/../../", "a/../../OUT/secret", "a/b/../../../OUT"}) {
        expect_refused(root(), path, Code::kPathEscape);
    }
}

ATTACK(LEX_05, out_and_back_in) {
    tree({"ROOT/f=inside"});
    EXPECT_EQ(naive_read("../ROOT/f"), "inside");
    const Unchanged watch(base());
    for (const char* path : {"../ROOT/f", "../ROOT", "../ROOT/", "../ROOT/new"}) {
        expect_refused(root(), path, Code::kPathEscape);
    }
}

ATTACK(LEX_06, down_out_and_back_in) {
    tree({"ROOT/a/", "ROOT/f=inside"});
    EXPECT_EQ(naive_read("a/../../ROOT/f"), "inside");
    const Unchanged watch(base());
    expect_refused(root(), "a/../../ROOT/f", Code::kPathEscape);
}

ATTACK(LEX_07, dotdot_cancels_a_directory) {
    tree({"ROOT/a/b/", "ROOT/f=inside"});
    EXPECT_EQ(root().read_file("a/../f"), "inside");
    EXPECT_EQ(root().read_file("a/b/../../f"), "inside");
    EXPECT_CODE(root(with(DotDot::kReject)).read_file("a/../f"), Code::kPathEscape);
}

ATTACK(LEX_08, dotdot_cancels_an_absent_name) {
    tree({"ROOT/f=inside"});
    EXPECT_EQ(naive_read("missing/../f"), std::nullopt);
    EXPECT_EQ(root().read_file("missing/../f"), "inside");
    EXPECT_EQ(root().read_file("missing/deeper/../../f"), "inside");
}

ATTACK(LEX_09, dotdot_cancels_a_file) {
    tree({"ROOT/file=x", "ROOT/f=inside"});
    EXPECT_EQ(naive_read("file/../f"), std::nullopt);
    EXPECT_EQ(root().read_file("file/../f"), "inside");
}

ATTACK(LEX_10, dot_after_a_file) {
    tree({"ROOT/file=x"});
    const Unchanged watch(base());
    for (const char* path : {"file/.", "file/", "file//", "file/./", "file/sub/.."}) {
        EXPECT_CODE(root().read_file(path), Code::kNotADirectory);
        EXPECT_CODE(root().stat(path), Code::kNotADirectory);
        EXPECT_CODE(root().list(path), Code::kNotADirectory);
        EXPECT_CODE(root().open_directory(path), Code::kNotADirectory);
    }
}

ATTACK(LEX_13, surplus_slashes_and_dots) {
    tree({"ROOT/b/c/d/e=inside"});
    const auto plain = root().stat("b/c/d");
    ASSERT_TRUE(plain);
    for (const char* path : {"b///././c////.//d/././", "./b/c/d", ".//b/c/./d", "b/c/d//////"}) {
        const auto found = root().stat(path);
        ASSERT_TRUE(found) << path;
        EXPECT_EQ(found->identity, plain->identity) << path;
        EXPECT_EQ(root().resolve(path)->path, "b/c/d");
    }
    EXPECT_EQ(root().read_file("b///././c////.//d/././e"), "inside");
}

ATTACK(LEX_14, the_root_itself) {
    tree({"ROOT/f=inside"});
    const Unchanged watch(base());
    for (const char* path : {".", "./", "./.", "f/.."}) {
        EXPECT_CODE(root().read_file(path), Code::kIsADirectory);
        EXPECT_CODE(root().open_file(path), Code::kIsADirectory);
        const auto listing = root().list(path);
        ASSERT_TRUE(listing) << path;
        ASSERT_EQ(listing->entries.size(), 1U);
        EXPECT_EQ(listing->entries[0].name, "f");
    }
}

ATTACK(LEX_16, dot_hides_no_dotdot) {
    tree({"ROOT/f=inside"});
    expect_naive_leak("./../OUT/secret");
    const Unchanged watch(base());
    for (const char* path : {"./..", "./../f", "././/../OUT/secret", ".//..", "./../"}) {
        expect_refused(root(), path, Code::kPathEscape);
    }
}

ATTACK(LEX_17, thousands_of_cancelling_pairs) {
    tree({"ROOT/a/", "ROOT/f=inside"});
    EXPECT_EQ(root().read_file(repeated(800, "a/../", "f")), "inside");
    EXPECT_EQ(root().read_file(repeated(800, "x/../", "f")), "inside");
    const Unchanged watch(base());
    expect_refused(root(), repeated(800, "a/../", "../OUT/secret"), Code::kPathEscape);
    expect_refused(root(), repeated(2000, "a/../", "f"), Code::kInvalidPath);
}

// The last component is opened at once, with the caller's flags: none of them may make a ".." in
// that place, written or from a link, an ordinary name.
ATTACK(LEX_18, no_flags_make_dotdot_pass) {
    tree({"ROOT/up->..", "ROOT/d/up->../..", "ROOT/f=inside"});
    EXPECT_EQ(os_list(ws("up")), (std::vector<std::string>{"OUT", "ROOT"}));
    const Unchanged watch(base());
    const Root walking = root(with(ResolverKind::kWalk));
    for (unsigned bits = 0; bits < 64; ++bits) {
        const OpenOptions options{.read = (bits & 1) != 0,
                                  .write = (bits & 2) != 0,
                                  .append = (bits & 4) != 0,
                                  .truncate = (bits & 8) != 0,
                                  .create = (bits & 16) != 0,
                                  .exclusive = (bits & 32) != 0,
                                  .mode = {}};
        EXPECT_CODE(walking.open_file("..", options), Code::kPathEscape);
        for (const char* link : {"up", "d/up"}) {
            const auto opened = walking.open_file(link, options);
            ASSERT_FALSE(opened) << link << " with option bits " << bits;
            const Code code = opened.error().code;
            EXPECT_TRUE(code == Code::kPathEscape || code == Code::kInvalidArgument ||
                        (options.exclusive && code == Code::kAlreadyExists))
                << opened.error().message();
        }
    }
    for (const char* path : {"..", "up", "d/up", "d/up/"}) {
        EXPECT_CODE(walking.open_directory(path), Code::kPathEscape);
        EXPECT_CODE(walking.list(path), Code::kPathEscape);
        EXPECT_CODE(walking.stat(path), Code::kPathEscape);
    }
}

ATTACK(LEX_19, three_and_four_dots) {
    tree({"ROOT/.../f=three", "ROOT/..../f=four", "ROOT/f=root"});
    EXPECT_EQ(root().read_file(".../f"), "three");
    EXPECT_EQ(root().read_file("....//f"), "four");
    EXPECT_EQ(root().read_file(".../../f"), "root");
    const Unchanged watch(base());
    expect_refused(root(), ".....", Code::kNotFound, needing());
    expect_refused(root(), "...../OUT/secret", Code::kNotFound, needing());
    expect_refused(root(), ".../../../OUT/secret", Code::kPathEscape);
}

ATTACK(LEX_20, dots_inside_names) {
    for (const char* name : {"..foo", "foo..", "b..r", "..foo..", ". .", "..%"}) {
        tree({"ROOT/"s + name + "=inside"});
        EXPECT_EQ(root().read_file(name), "inside") << name;
        EXPECT_OK(root().write_file(name, "changed"));
        EXPECT_EQ(os_read(ws(name)), "changed") << name;
    }
}

ATTACK(LEX_21, blanks_around_dotdot) {
    const std::string paths[] = {" ..", ".. ", "..\n", "\t..", ".. /OUT/secret", " ../OUT/secret"};
    tree({"ROOT/f=inside"});
    const Unchanged watch(base());
    for (const std::string& path : paths) {
        expect_refused(root(), path, Code::kNotFound, needing());
    }
}

ATTACK(LEX_22, mkdir_all_over_an_absent_name) {
    EXPECT_OK(root().mkdir_all("new/../x"));
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"x"});
    EXPECT_EQ(os_list(base()), (std::vector<std::string>{"OUT", "ROOT"}));
}

ATTACK(LEX_23, mkdir_all_over_an_existing_name) {
    tree({"ROOT/a/"});
    EXPECT_OK(root().mkdir_all("a/../b/c"));
    EXPECT_EQ(os_list(ws()), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(os_list(ws("a")), std::vector<std::string>{});
    EXPECT_EQ(os_list(ws("b")), std::vector<std::string>{"c"});
}

ATTACK(LEX_24, names_that_end_in_dots) {
    tree({"ROOT/a/b/", "ROOT/f=inside"});
    const Unchanged watch(base());
    const auto is_lstat = [](const Operation& operation) { return operation.name == "lstat"; };
    auto changing = naming();
    std::erase_if(changing, is_lstat);
    for (const char* path : {"a/.", "a/./", "a/..", "a/../", "a/b/..", "new/.", ".", "./"}) {
        expect_refused(root(), path, Code::kInvalidArgument, changing);
    }
    EXPECT_OK(root().lstat("a/."));
}

ATTACK(LEX_28, a_sub_root_is_a_ceiling) {
    tree({"ROOT/a/x=above", "ROOT/f=root", "ROOT/a/b/f=inside", "ROOT/a/b/up->../x",
          "ROOT/a/b/abs->@/ROOT/a/x", "ROOT/a/b/self->@/ROOT/a/b/f"});
    EXPECT_EQ(naive_read("a/b/../x"), "above");
    const auto sub = root().sub_root("a/b");
    ASSERT_TRUE(sub);
    const Unchanged watch(base());
    for (const std::string& path : {"../x"s, ".."s, "../b/f"s, "../../f"s, ws("a/x"), ws("f")}) {
        expect_refused(*sub, path, Code::kPathEscape);
    }
    for (const char* link : {"up", "abs"}) {
        expect_refused(*sub, link, Code::kPathEscape, following());
        EXPECT_EQ(root().read_file("a/b/"s + link), "above");
    }
    EXPECT_EQ(sub->read_file("f"), "inside");
    EXPECT_EQ(sub->read_file("self"), "inside");
    EXPECT_EQ(sub->read_file(ws("a/b/f")), "inside");
}

ATTACK(LEX_29, dotdot_after_a_file) {
    tree({"ROOT/f=inside"});
    EXPECT_CODE(root().read_file("f/.."), Code::kIsADirectory);
    EXPECT_EQ(root().read_file("f/../f"), "inside");
    expect_naive_leak("../OUT/secret");
    const Unchanged watch(base());
    expect_refused(root(), "f/../../OUT/secret", Code::kPathEscape);
}

}  // namespace
}  // namespace paddock::testing
