#include "policy/name_alias.h"

#include <gtest/gtest.h>

#include "policy/path_defaults.h"

namespace paddock::policy {
namespace {

TEST(NameAlias, leaves_plain_names_alone) {
    for (const char* path : {"", ".", ".env", "a/b.c/d e", "...", "a/.../b", "src/main.cc", " a/b",
                             "\xc3\xa4/\xe6\x97\xa5", "caf\xe9"}) {
        EXPECT_EQ(plain_spelling(path), std::nullopt) << path;
    }
}

TEST(NameAlias, folds_what_file_systems_fold) {
    EXPECT_EQ(plain_spelling(".g\xe2\x80\x8cit/config"), ".git/config");
    EXPECT_EQ(plain_spelling("\xef\xbb\xbf.git/hoo\xe2\x84\xaas/x"), ".git/hooks/x");
    EXPECT_EQ(plain_spelling(".\xc5\xbf\xc5\xbfh/id"), ".ssh/id");
    EXPECT_EQ(plain_spelling(".\xc3\x9fh"), ".ssh");
    EXPECT_EQ(plain_spelling("a.p\xef\xac\x81x"), "a.pfix");
    EXPECT_EQ(plain_spelling(".git./con\xef\xac\x81g"), ".git/config");
    EXPECT_EQ(plain_spelling(".env. ."), ".env");
    EXPECT_EQ(plain_spelling("a /b"), "a/b");
    EXPECT_EQ(plain_spelling("\xe2\x80\x8b/\xe2\x80\x8b"
                             "b"),
              "\xe2\x80\x8b/b");
}

TEST(NameAlias, is_restricted_like_the_plain_name) {
    const PathRules rules = PathRules::compile({}, default_path_rules()).value();
    for (const char* path : {".e\xe2\x80\x8bnv", ".env.", "x/.\xc5\xbf\xc5\xbfh/known",
                             "server.\xe2\x84\xaa"
                             "ey"}) {
        EXPECT_EQ(rules.decide(path).access, Access::kDeny) << path;
    }
    for (const char* path : {".vscode /x", ".VSCODE/x", ".mcp.json."}) {
        EXPECT_EQ(rules.decide(path).access, Access::kReadOnly) << path;
    }
    for (const char* path : {"notes.", "\xc3\x9f.txt", "a\xe2\x80\x8b.c"}) {
        EXPECT_EQ(rules.decide(path).access, Access::kAllow) << path;
    }
    const std::vector<PathRule> given = {{"/conf/keys", Access::kDeny}};
    const PathRules one = PathRules::compile(given, {}).value();
    EXPECT_FALSE(one.covers_something_below("con\xef\xac\x80"));
    EXPECT_TRUE(one.covers_something_below("conf."));
    EXPECT_EQ(one.decide("conf./\xe2\x84\xaa"
                         "eys/x")
                  .access,
              Access::kDeny);
}

// A name that the operator allows is not allowed because it looks like another.
TEST(NameAlias, does_not_lift_a_restriction) {
    const std::vector<PathRule> given = {{"open", Access::kAllow}, {"**", Access::kDeny}};
    const PathRules rules = PathRules::compile(given, {}).value();
    EXPECT_EQ(rules.decide("open").access, Access::kAllow);
    EXPECT_EQ(rules.decide("open.").access, Access::kDeny);
}

}  // namespace
}  // namespace paddock::policy
