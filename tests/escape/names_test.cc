// Names as bytes: nothing is decoded, trimmed or cut, and what cannot be a path is refused first.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "escape/child.h"
#include "escape/operations.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using namespace std::string_literals;
using Names = std::vector<std::string>;

Names listed(const Root& root, std::string_view path) {
    Names names;
    const auto listing = root.list(path);
    if (!listing) return {listing.error().message()};
    for (const ListEntry& entry : listing->entries) names.push_back(entry.name);
    return names;
}

// A name takes part in everything under exactly its own bytes, and leaves nothing behind.
void expect_ordinary(const Root& root, const std::string& name) {
    SCOPED_TRACE(name);
    const Names before = listed(root, ".");
    EXPECT_OK(root.write_file(name, "content"));
    EXPECT_EQ(root.read_file(name), "content");
    EXPECT_OK(root.append_file(name, "+"));
    const Names during = listed(root, ".");
    EXPECT_EQ(during.size(), before.size() + 1);
    EXPECT_NE(std::find(during.begin(), during.end(), name), during.end());
    EXPECT_OK(root.rename(name, "renamed"));
    EXPECT_OK(root.copy_file("renamed", name));
    EXPECT_EQ(root.read_file(name), "content+");
    EXPECT_OK(root.remove("renamed"));
    EXPECT_OK(root.remove(name));
    EXPECT_OK(root.mkdir(name));
    EXPECT_OK(root.write_file(name + "/inner", "x"));
    EXPECT_OK(root.remove_all(name));
    EXPECT_EQ(listed(root, "."), before);
}

ATTACK(NM_01, nul_bytes) {
    tree({"ROOT/f=inside", "ROOT/ok=inside"});
    // What a program that hands the bytes to C makes of the name.
    EXPECT_EQ(naive_read(std::string("ok\0.txt"s.c_str())), "inside");
    const Unchanged watch(base());
    for (const std::string& path : {"ok\0.txt"s, "\0"s, "ok\0"s, "\0ok"s, "a/\0/b"s,
                                    "ok\0/../../OUT/secret"s, "../OUT/secret\0"s, "/etc\0"s}) {
        expect_refused(root(), path, Code::kInvalidPath);
        expect_refused_unseen(root(), path, Code::kInvalidPath);
    }
    EXPECT_CODE(Root::open(ws() + "\0"s), Code::kInvalidPath);
    EXPECT_CODE(Root::open(ws() + "\0/f"s), Code::kInvalidPath);
}

ATTACK(NM_02, names_of_255_and_256_bytes) {
    expect_ordinary(root(), std::string(255, 'n'));
    tree({"ROOT/f=inside"});
    const Unchanged watch(base());
    const std::string longer(256, 'n');
    for (const std::string& path : {longer, "a/" + longer, longer + "/f", "./" + longer + "/"}) {
        expect_refused(root(), path, Code::kInvalidPath);
    }
}

ATTACK(NM_03, replacing_a_file_with_the_longest_name) {
    const std::string name(255, 'n');
    for (const char* content : {"first", "second"}) {
        EXPECT_OK(root().write_file(name, content));
        EXPECT_EQ(os_read(ws(name)), content);
    }
    EXPECT_OK(root().write_file(std::string(230, 'm'), "third"));
    EXPECT_EQ(os_list(ws()), (Names{std::string(230, 'm'), name}));
}

std::string repeated(int count, const std::string& part) {
    std::string path;
    for (int i = 0; i < count; ++i) path += part;
    return path;
}

// `bytes` long, of nested names of up to 200 bytes; ends in a name of at least one byte.
std::string path_of_length(std::size_t bytes) {
    std::string path;
    while (path.size() + 202 < bytes) path += std::string(200, 'p') + '/';
    return path + std::string(bytes - path.size(), 'p');
}

ATTACK(NM_04, paths_at_the_limit) {
    const Root walking = root(with(ResolverKind::kWalk));
    for (const std::size_t bytes : {4091U, 4094U, 4095U}) {
        SCOPED_TRACE(bytes);
        const std::string path = path_of_length(bytes);
        ASSERT_EQ(path.size(), bytes);
        EXPECT_OK(root().write_file(path, "inside", {.make_parents = true, .mode = {}}));
        EXPECT_EQ(root().read_file(path), "inside");
        EXPECT_EQ(walking.read_file(path), "inside");
        EXPECT_OK(root().remove(path));
    }
    EXPECT_OK(root().remove_all(std::string(200, 'p')));
    tree({"ROOT/f=inside"});
    EXPECT_EQ(root().read_file(std::string(4095, '/').replace(0, 1, ".") + "f"), "inside");
    const Unchanged watch(base());
    expect_refused(root(), path_of_length(4096), Code::kInvalidPath);
    expect_refused(walking, path_of_length(4096), Code::kInvalidPath);
}

ATTACK(NM_04, longer_paths_are_never_cut) {
    const std::string longest = path_of_length(4095);
    EXPECT_OK(root().write_file(longest, "inside", {.make_parents = true, .mode = {}}));
    tree({"ROOT/f=inside"});
    {
        const Unchanged watch(ws("f"));
        for (const std::size_t bytes : {4097U, 4201U, 100000U}) {
            const std::string path = longest + std::string(bytes - longest.size(), 'p');
            expect_refused(root(), path, Code::kInvalidPath);
            expect_refused_unseen(root(), path, Code::kInvalidPath);
        }
    }
    EXPECT_OK(root().remove_all(std::string(200, 'p')));
    EXPECT_CODE(Root::open(ws() + std::string(5000, '/')), Code::kInvalidPath);
}

ATTACK(NM_06, bytes_that_are_not_utf8) {
    const std::string name = "\xff\xfe";
    tree({"ROOT/" + name + "=inside"});
    EXPECT_EQ(listed(root(), "."), Names{name});
    EXPECT_EQ(root().read_file(name), "inside");
    EXPECT_OK(root().remove(name));
    for (const char* bytes : {"\x80", "\xc3", "a\xed\xa0\x80z", "\xf5\x80\x80\x80"}) {
        expect_ordinary(root(), bytes);
    }
}

ATTACK(NM_08, terminal_sequences) {
    const std::string name = "\x1b[2J\x1b]0;t\x07\x7f\r\n\xc2\x9b";
    expect_ordinary(root(), name);
    for (const auto& error :
         {root().read_file(name).error(), root().write_file("../" + name, "").error()}) {
        const std::string message = error.message();
        EXPECT_TRUE(std::all_of(message.begin(), message.end(), [](char c) {
            return c >= ' ' && c <= '~';
        })) << "unescaped bytes in the message";
        EXPECT_NE(message.find(R"(\x1b[2J\x1b]0;t\x07\x7f\x0d\x0a\xc2\x9b)"), std::string::npos);
        EXPECT_TRUE(error.path.ends_with(name));
    }
}

ATTACK(NM_09, names_that_look_like_options) {
    for (const char* name : {"-rf", "--output=x", "-", "--", "-f"}) expect_ordinary(root(), name);
}

ATTACK(NM_10, backslashes) {
    tree({"ROOT/f=inside"});
    {
        const Unchanged watch(base());
        for (const char* path : {R"(..\..\etc\passwd)", R"(..\OUT\secret)", R"(\..\OUT)",
                                 R"(a\..\..\OUT)", R"(..\)", R"(\)"}) {
            expect_refused(root(), path, Code::kNotFound, needing());
        }
        expect_refused(root(), R"(..\/../../OUT/secret)", Code::kPathEscape);
    }
    expect_ordinary(root(), R"(..\..\etc\passwd)");
}

ATTACK(NM_12, overlong_dots) {
    tree({"ROOT/f=inside"});
    {
        const Unchanged watch(base());
        for (const char* path : {"\xc0\xae\xc0\xae/OUT/secret", "\xc0\xae\xc0\xae",
                                 "..\xc0\xafOUT\xc0\xafsecret", "\xe0\x80\xae\xe0\x80\xae/OUT"}) {
            expect_refused(root(), path, Code::kNotFound, needing());
        }
    }
    expect_ordinary(root(), "\xc0\xae\xc0\xae");
}

TEST_F(Jail, characters_that_look_like_dots_and_slashes) {
    tree({"ROOT/f=inside"});
    const std::string full_width_dot = "\xef\xbc\x8e";
    const std::string one_dot_leader = "\xe2\x80\xa4";
    const std::string two_dot_leader = "\xe2\x80\xa5";
    const std::string full_width_slash = "\xef\xbc\x8f";
    const std::string division_slash = "\xe2\x88\x95";
    for (const std::string& up : {full_width_dot + full_width_dot, one_dot_leader + one_dot_leader,
                                  two_dot_leader, full_width_dot + "."}) {
        {
            const Unchanged watch(base());
            expect_refused(root(), up + "/OUT/secret", Code::kNotFound, needing());
            expect_refused(root(), up, Code::kNotFound, needing());
        }
        expect_ordinary(root(), up);
    }
    const Unchanged watch(base());
    for (const std::string& slash : {full_width_slash, division_slash}) {
        expect_refused(root(), ".." + slash + "OUT" + slash + "secret", Code::kNotFound, needing());
    }
}

TEST_F(Jail, percent_escapes_are_not_decoded) {
    tree({"ROOT/f=inside"});
    {
        const Unchanged watch(base());
        for (const char* path : {"%2e%2e/OUT/secret", "%2e%2e", "..%2fOUT%2fsecret", "%2E%2E%2F",
                                 "%252e%252e/OUT", "f%00", "%66", "&#46;&#46;", "\\x2e\\x2e"}) {
            expect_refused(root(), path, Code::kNotFound, needing());
        }
        expect_refused(root(), "%2e/../../OUT/secret", Code::kPathEscape);
    }
    expect_ordinary(root(), "%2e%2e");
}

TEST_F(Jail, an_empty_path) {
    tree({"ROOT/f=inside"});
    const Unchanged watch(base());
    expect_refused(root(), "", Code::kInvalidPath);
    expect_refused_unseen(root(), "", Code::kInvalidPath);
}

ATTACK(NM_14, composed_and_decomposed) {
    const std::string composed = "caf\xc3\xa9";
    const std::string decomposed = "cafe\xcc\x81";
    EXPECT_OK(root().write_file(composed, "one"));
    EXPECT_OK(root().write_file(decomposed, "two"));
    EXPECT_EQ(root().read_file(composed), "one");
    EXPECT_EQ(root().read_file(decomposed), "two");
    EXPECT_EQ(listed(root(), "."), (Names{decomposed, composed}));
    EXPECT_OK(root().remove(composed));
    EXPECT_EQ(root().read_file(decomposed), "two");
}

ATTACK(NM_15, reordering_and_invisible_characters) {
    for (const std::string name :
         {"evil\xe2\x80\xaetxt.exe", "a\xe2\x80\x8d\x62", "\xef\xbb\xbf", "x\xe2\x81\xa6y"}) {
        tree({"ROOT/" + name + "=inside"});
        EXPECT_EQ(listed(root(), "."), Names{name});
        EXPECT_EQ(root().read_file(name), "inside");
        EXPECT_OK(root().remove(name));
        const std::string message = root().read_file(name).error().message();
        EXPECT_EQ(message.find(name), std::string::npos) << message;
        EXPECT_NE(message.find(R"(\x)"), std::string::npos) << message;
    }
}

ATTACK(NM_16, blanks_belong_to_the_name) {
    tree({"ROOT/ lead=lead", "ROOT/trail =trail", "ROOT/\"quoted\"=quoted"});
    EXPECT_EQ(root().read_file(" lead"), "lead");
    EXPECT_EQ(root().read_file("trail "), "trail");
    EXPECT_EQ(root().read_file("\"quoted\""), "quoted");
    for (const char* other : {"lead", "trail", " lead ", "trail  ", "quoted", "'trail '"}) {
        EXPECT_CODE(root().read_file(other), Code::kNotFound);
    }
    expect_ordinary(root(), " ");
}

ATTACK(NM_17, names_that_other_systems_reserve) {
    for (const char* name : {"f.", "f ", "f:stream", "NUL", "CON.txt", "aux", "a<b>|?*"}) {
        expect_ordinary(root(), name);
    }
}

ATTACK(NM_20, thousands_of_components) {
    tree({"ROOT/f=inside"});
    const std::string deep = repeated(200, "d/");
    const Root held = root();
    in_child([&] {
        ASSERT_TRUE(set_limit(RLIMIT_NOFILE, open_descriptors() + 24));
        const std::size_t before = open_descriptors();
        EXPECT_OK(held.mkdir_all(deep));
        EXPECT_OK(held.write_file(deep + "g", "deep"));
        EXPECT_EQ(held.read_file(deep + "g"), "deep");
        EXPECT_OK(held.open_directory(deep));
        EXPECT_EQ(held.resolve(deep + "g")->path, deep + "g");
        EXPECT_CODE(held.read_file(repeated(9, deep) + "f"), Code::kNotFound);
        expect_refused(held, repeated(15, deep) + "f", Code::kInvalidPath);
        EXPECT_OK(held.remove_all("d"));
        EXPECT_EQ(open_descriptors(), before);
    });
    EXPECT_EQ(os_list(ws()), Names{"f"});
}

ATTACK(NM_22, a_slash_after_a_new_directory) {
    EXPECT_OK(root().mkdir("new/"));
    EXPECT_OK(root().mkdir("new/er//"));
    EXPECT_OK(root().mkdir_all("a/b/"));
    EXPECT_OK(root().mkdir_all("a/b/"));
    EXPECT_CODE(root().mkdir("new/"), Code::kAlreadyExists);
    EXPECT_EQ(os_list(ws()), (Names{"a", "new"}));
    EXPECT_EQ(os_list(ws("new")), Names{"er"});
    EXPECT_EQ(os_list(ws("a")), Names{"b"});
}

TEST_F(Jail, a_slash_after_a_new_name_that_is_no_directory) {
    tree({"ROOT/f=inside"});
    EXPECT_NE(::link(ws("f").c_str(), ws("new/").c_str()), 0);
    EXPECT_NE(::symlink("f", ws("new/").c_str()), 0);
    const Unchanged watch(base());
    EXPECT_FALSE(root().hard_link("f", "new/"));
    EXPECT_FALSE(root().symlink("f", "new/"));
    EXPECT_FALSE(root().rename("f", "new/"));
    EXPECT_FALSE(root().copy_file("f", "new/"));
    EXPECT_FALSE(root().write_file("new/", "x"));
    EXPECT_FALSE(root().create("new/"));
    EXPECT_FALSE(root().create_exclusive("new/"));
    EXPECT_FALSE(root().append_file("new/", "x"));
}

ATTACK(NM_25, entries_that_vanish_during_a_walk) {
    tree({"ROOT/keep/f=inside"});
    for (int i = 0; i < 20; ++i) {
        tree({"ROOT/.nfs" + std::to_string(i) + "=x",
              "ROOT/.fuse_hidden" + std::to_string(i) + "/inner=x",
              "ROOT/keep/.nfs" + std::to_string(i) + "=x"});
    }
    const Root held = root();
    const auto vanish = [&](const std::string& directory) {
        for (const std::string& name : os_list(directory)) {
            if (!name.starts_with('.')) continue;
            ::unlink((directory + "/" + name + "/inner").c_str());
            if (::unlink((directory + "/" + name).c_str()) != 0) {
                ::rmdir((directory + "/" + name).c_str());
            }
        }
    };
    Names kept;
    EXPECT_OK(held.walk(".", [&](const WalkEntry& entry) {
        EXPECT_EQ(entry.failure, nullptr) << entry.path;
        vanish(ws());
        if (entry.depth > 1) vanish(ws("keep"));
        if (!entry.name.starts_with('.')) kept.emplace_back(entry.path);
        return WalkAction::kContinue;
    }));
    EXPECT_EQ(kept, (Names{"keep", "keep/f"}));
}

ATTACK(NM_26, question_marks_and_long_names) {
    tree({"ROOT/f=inside"});
    const Unchanged watch(base());
    for (const char* pattern : {"?", "[f]", "*"}) {
        expect_refused(root(), pattern, Code::kNotFound, needing());
    }
    expect_refused(root(), std::string(500, 'n'), Code::kInvalidPath);
}

}  // namespace
}  // namespace paddock::testing
