// Neighbours of the workspace whose names begin like its own.
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "escape/operations.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using namespace std::string_literals;

ATTACK(PRE_01, a_longer_sibling) {
    tree({"ROOT-evil/s=outside-secret", "ROOT/f=inside"});
    expect_naive_leak(ws() + "-evil/s");
    const Unchanged watch(base());
    for (const char* rest : {"-evil/s", "-evil", "-evil/new", "-evil/../ROOT/f"}) {
        expect_refused(root(), ws() + rest, Code::kPathEscape);
    }
}

ATTACK(PRE_02, digits_letters_and_suffixes) {
    tree({"ROOT2/s=outside-secret", "ROOT.bak/s=outside-secret", "ROOTx/s=outside-secret",
          "ROO/s=outside-secret", "ROOT/f=inside"});
    const Unchanged watch(base());
    for (const char* sibling : {"ROOT2", "ROOT.bak", "ROOTx", "ROO"}) {
        const std::string path = base() + "/" + sibling;
        expect_naive_leak(path + "/s");
        expect_refused(root(), path + "/s", Code::kPathEscape);
        expect_refused(root(), path, Code::kPathEscape);
    }
}

ATTACK(PRE_03, a_quote_after_the_name) {
    tree({"ROOT\"=outside-secret", "ROOT'=outside-secret", "ROOT/f=inside"});
    const Unchanged watch(base());
    for (const char* quote : {"\"", "'"}) {
        expect_naive_leak(ws() + quote);
        expect_refused(root(), ws() + quote, Code::kPathEscape);
    }
    expect_refused(root(), "\"" + ws("f") + "\"", Code::kNotFound, needing());
    expect_refused(root(), "'f'", Code::kNotFound, needing());
}

ATTACK(PRE_04, a_blank_after_the_name) {
    tree({"ROOT /s=outside-secret", "ROOT\n/s=outside-secret", "ROOT/f=inside"});
    const Unchanged watch(base());
    for (const char* blank : {" ", "\n"}) {
        expect_naive_leak(ws() + blank + "/s");
        expect_refused(root(), ws() + blank, Code::kPathEscape);
        expect_refused(root(), ws() + blank + "/s", Code::kPathEscape);
    }
    expect_refused(root(), " " + ws("f"), Code::kNotFound, needing());
}

ATTACK(PRE_05, another_letter_case) {
    if (os_exists(base() + "/Root")) GTEST_SKIP() << "letter case does not matter here";
    tree({"Root/f=outside-secret", "ROOT/f=inside"});
    expect_naive_leak(base() + "/Root/f");
    const Unchanged watch(base());
    expect_refused(root(), base() + "/Root/f", Code::kPathEscape);
    std::string loud = ws("f");
    std::transform(loud.begin(), loud.end(), loud.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    expect_refused(root(), loud, Code::kPathEscape);
}

ATTACK(PRE_06, however_the_root_is_spelled) {
    tree({"ROOT-evil/s=outside-secret", "ROOT/f=inside", "ROOT/abs->@/ROOT/f",
          "ROOT/evil->@/ROOT-evil/s"});
    expect_naive_leak(ws() + "-evil/s");
    const Unchanged watch(base());
    for (const std::string& given : {ws() + "/", ws() + "//", ws() + "/.", base() + "//./ROOT"}) {
        const auto opened = open_root(given);
        ASSERT_TRUE(opened) << given;
        expect_refused(*opened, ws() + "-evil/s", Code::kPathEscape);
        expect_refused(*opened, "evil", Code::kPathEscape, following());
        EXPECT_EQ(opened->read_file(ws("f")), "inside");
        EXPECT_EQ(opened->read_file("abs"), "inside");
    }
}

ATTACK(PRE_07, a_root_by_way_of_dotdot_or_a_link) {
    tree({"ROOT/f=inside", "link->ROOT", "OUT/f=outside-secret"});
    for (const std::string& given :
         {base() + "/OUT/../ROOT", ws() + "/../ROOT/.", base() + "/link", base() + "/link/"}) {
        const auto opened = open_root(given);
        ASSERT_TRUE(opened) << given;
        EXPECT_EQ(opened->read_file("f"), "inside");
        EXPECT_EQ(opened->read_file(ws("f")), "inside");
        expect_refused(*opened, "..", Code::kPathEscape);
        expect_refused(*opened, out("f"), Code::kPathEscape);
    }
    const auto held = open_root(base() + "/link");
    ASSERT_TRUE(held);
    ASSERT_EQ(::unlink((base() + "/link").c_str()), 0);
    tree({"link->OUT"});
    expect_naive_leak(base() + "/link/f");
    EXPECT_EQ(held->read_file("f"), "inside");
    EXPECT_EQ(held->read_file(base() + "/link/f"), "inside");
}

ATTACK(PRE_11, up_and_into_a_sibling) {
    tree({"ROOT-evil/s=outside-secret", "ROOT/link->../ROOT-evil/s", "ROOT/f=inside"});
    expect_naive_leak("../ROOT-evil/s");
    expect_naive_leak("link");
    const Unchanged watch(base());
    expect_refused(root(), "../ROOT-evil/s", Code::kPathEscape);
    expect_refused(root(), "link", Code::kPathEscape, following());
}

}  // namespace
}  // namespace paddock::testing
