// Absolute paths, and the ways in which other programs make a path absolute.
#include <fcntl.h>
#include <wordexp.h>

#include <cstdlib>

#include "escape/operations.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using namespace std::string_literals;

// What a shell makes of an unquoted word: the careless twin of taking a path literally.
std::string shell_word(const std::string& text) {
    wordexp_t words;
    if (::wordexp(text.c_str(), &words, 0) != 0) return "(not expanded)";
    std::string first = words.we_wordc == 0 ? "(nothing)" : words.we_wordv[0];
    ::wordfree(&words);
    return first;
}

class Home {
public:
    explicit Home(const std::string& directory) {
        if (const char* home = std::getenv("HOME"); home != nullptr) before_ = home;
        ::setenv("HOME", directory.c_str(), 1);
    }
    ~Home() {
        if (before_) {
            ::setenv("HOME", before_->c_str(), 1);
        } else {
            ::unsetenv("HOME");
        }
    }
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;

private:
    std::optional<std::string> before_;
};

ATTACK(ABS_01, a_system_file) {
    tree({"ROOT/f=inside"});
    ASSERT_TRUE(naive_read("/etc/passwd"));
    expect_naive_leak(out("secret"));
    const Unchanged watch(base());
    for (const std::string& path : {"/etc/passwd"s, "/etc"s, "//etc/passwd"s, out("secret"), out(),
                                    out("new"), ws() + "/../OUT/secret", base()}) {
        expect_refused(root(), path, Code::kPathEscape);
        expect_refused_unseen(root(), path, Code::kPathEscape);
    }
    expect_same_refusal(root(), out("secret"), out("absent"));
    expect_same_refusal(root(), "/etc/passwd", "/no-such-directory/passwd");
    const Root strict = root(with(AbsolutePaths::kReject));
    expect_refused(strict, "/etc/passwd", Code::kAbsolutePath);
}

ATTACK(ABS_02, the_host_root) {
    tree({"ROOT/f=inside"});
    EXPECT_FALSE(os_list("/").empty());
    const Unchanged watch(base());
    for (const char* path : {"/", "//", "/.", "/..", "/../..", "///."}) {
        expect_refused(root(), path, Code::kPathEscape);
    }
}

ATTACK(ABS_03, the_workspace_by_its_own_path) {
    tree({"ROOT/f=inside"});
    for (const std::string& path : {ws(), ws() + "/", ws() + "/.", ws("absent/..")}) {
        const auto listing = root().list(path);
        ASSERT_TRUE(listing) << path;
        ASSERT_EQ(listing->entries.size(), 1U);
        EXPECT_EQ(listing->entries[0].name, "f");
    }
    EXPECT_CODE(root(with(AbsolutePaths::kReject)).list(ws()), Code::kAbsolutePath);
}

ATTACK(ABS_04, an_absolute_path_below_the_workspace) {
    tree({"ROOT/src/f=inside"});
    const Root held = root();
    EXPECT_EQ(held.read_file(ws("src/f")), "inside");
    EXPECT_OK(held.write_file(ws("src/g"), "new"));
    EXPECT_EQ(os_read(ws("src/g")), "new");
    // The path is mapped, not looked up: the held directory answers wherever it is now.
    ASSERT_EQ(::rename(ws().c_str(), (base() + "/moved").c_str()), 0);
    tree({"ROOT/src/f=another"});
    EXPECT_EQ(held.read_file(ws("src/f")), "inside");
}

ATTACK(ABS_06, doubled_slashes) {
    tree({"ROOT/src/f=inside", "ROOT/f=root"});
    const auto plain = root().stat("src/f");
    ASSERT_TRUE(plain);
    const std::string doubled = "//" + base().substr(1) + "//ROOT//src///f";
    EXPECT_EQ(root().stat(doubled)->identity, plain->identity);
    EXPECT_EQ(root().read_file(base() + "/./ROOT/./src/./f"), "inside");
    const Unchanged watch(base());
    expect_refused(root(), base() + "//ROOT//..//OUT//secret", Code::kPathEscape);
}

ATTACK(ABS_08, descriptors_of_the_process) {
    tree({"ROOT/f=inside"});
    const UniqueFd open(::open(out("secret").c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(open.valid());
    const std::string number = std::to_string(open.get());
    expect_naive_leak("/proc/self/fd/" + number);
    const Unchanged watch(base());
    for (const std::string& path :
         {"/proc/self/fd/" + number, "/dev/fd/" + number, "/proc/thread-self/fd/" + number,
          "/dev/stdin"s, "/proc/self/cwd"s, "/proc/self/exe"s}) {
        expect_refused(root(), path, Code::kPathEscape);
    }
}

ATTACK(ABS_09, a_file_url) {
    tree({"ROOT/f=inside"});
    const Unchanged watch(base());
    for (const std::string& path : {"file://" + ws("f"), "file://" + out("secret"), "file:f"s,
                                    "FILE:///etc/passwd"s, "http://localhost/f"s}) {
        expect_refused(root(), path, Code::kNotFound, needing());
    }
}

ATTACK(ABS_10, both_spellings_of_a_linked_root) {
    tree({"ROOT/f=inside", "ROOT/abs->@/ROOT/f", "ROOT/given->@/link/f", "link->ROOT"});
    const auto linked = open_root(base() + "/link");
    ASSERT_TRUE(linked);
    EXPECT_EQ(linked->read_file(base() + "/link/f"), "inside");
    EXPECT_EQ(linked->read_file(ws("f")), "inside");
    EXPECT_EQ(linked->read_file("abs"), "inside");
    EXPECT_EQ(linked->read_file("given"), "inside");
    EXPECT_CODE(linked->read_file(base() + "/link/../OUT/secret"), Code::kPathEscape);
}

ATTACK(ABS_10, both_spellings_of_a_linked_sub_root) {
    tree({"ROOT/d/f=inside", "ROOT/d/abs->@/ROOT/d/f", "ROOT/in->d"});
    const auto sub = root().sub_root("in");
    ASSERT_TRUE(sub);
    EXPECT_EQ(sub->read_file("f"), "inside");
    EXPECT_EQ(sub->read_file(ws("in/f")), "inside");
    EXPECT_EQ(sub->read_file(ws("d/f")), "inside");
    EXPECT_EQ(sub->read_file("abs"), "inside");
}

ATTACK(ABS_11, drive_letters_and_shares) {
    tree({"ROOT/f=inside"});
    {
        const Unchanged watch(base());
        for (const char* path : {R"(C:\Windows\x)", R"(\\srv\share\x)", R"(C:/Windows/x)", R"(C:f)",
                                 R"(\\?\C:\x)", R"(\f)"}) {
            expect_refused(root(), path, Code::kNotFound, needing());
        }
    }
    EXPECT_OK(root().write_file(R"(C:\x)", "plain"));
    EXPECT_EQ(os_read(ws(R"(C:\x)")), "plain");
}

ATTACK(ABS_12, a_tilde_is_a_name) {
    tree({"ROOT/f=inside"});
    const Home home(out());
    expect_naive_leak(shell_word("~/secret"));
    {
        const Unchanged watch(base());
        for (const char* path : {"~/secret", "~", "~root", "~root/x", "~+", "~-/secret"}) {
            expect_refused(root(), path, Code::kNotFound, needing());
        }
    }
    EXPECT_OK(root().write_file("~/secret", "inside", {.make_parents = true, .mode = {}}));
    EXPECT_EQ(root().read_file("~/secret"), "inside");
    EXPECT_EQ(os_read(ws("~/secret")), "inside");
    EXPECT_EQ(secret(), kSecret);
}

ATTACK(ABS_13, variables_and_backquotes_are_names) {
    tree({"ROOT/f=inside"});
    const Home home(out());
    expect_naive_leak(shell_word("$HOME/secret"));
    EXPECT_EQ(shell_word("`echo ran`"), "ran");
    const Unchanged watch(base());
    for (const char* path : {"$HOME/secret", "${HOME}/secret", "${PWD}/../x", "`id`", "$(id)",
                             "f;id", "f|cat", "f\n", "*", "f*", "{f,g}", "%HOME%"}) {
        expect_refused(root(), path, Code::kNotFound, needing());
    }
}

ATTACK(ABS_14, rename_from_and_to_the_outside) {
    tree({"ROOT/f=inside", "OUT/x=outside"});
    const Unchanged watch(base());
    for (const RenameMode mode :
         {RenameMode::kReplace, RenameMode::kNoReplace, RenameMode::kExchange}) {
        EXPECT_CODE(root().rename(out("x"), "y", mode), Code::kPathEscape);
        EXPECT_CODE(root().rename(out("x"), "f", mode), Code::kPathEscape);
        EXPECT_CODE(root().rename("f", out("y"), mode), Code::kPathEscape);
        EXPECT_CODE(root().rename("f", out("x"), mode), Code::kPathEscape);
        EXPECT_CODE(root().rename("f", "../OUT/y", mode), Code::kPathEscape);
    }
}

ATTACK(ABS_14, rename_without_the_guard) {
    tree({"ROOT/f=inside"});
    ASSERT_EQ(::rename(out("secret").c_str(), ws("y").c_str()), 0);
    EXPECT_EQ(naive_read("y"), kSecret);
}

ATTACK(ABS_15, copy_and_link_from_the_outside) {
    tree({"ROOT/f=inside"});
    expect_naive_leak(out("secret"));
    const Unchanged watch(base());
    for (const std::string& from : {out("secret"), "../OUT/secret"s, out("absent")}) {
        EXPECT_CODE(root().copy_file(from, "x"), Code::kPathEscape);
        EXPECT_CODE(root().copy_file(from, "f", true), Code::kPathEscape);
        EXPECT_CODE(root().hard_link(from, "x"), Code::kPathEscape);
    }
    EXPECT_CODE(root().copy_file("f", out("x")), Code::kPathEscape);
    EXPECT_CODE(root().copy_file("f", out("secret"), true), Code::kPathEscape);
    EXPECT_CODE(root().hard_link("f", out("x")), Code::kPathEscape);
}

}  // namespace
}  // namespace paddock::testing
