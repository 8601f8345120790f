#include "text/ignore.h"

#include <gtest/gtest.h>

#include <string>

#include <paddock/limits.h>

using namespace paddock;
using namespace paddock::text;

namespace {

IgnoreScope::File file_of(std::string_view rules) {
    return std::make_shared<const IgnoreFile>(IgnoreFile::parse(rules).value());
}

// "ignored", "included" or "" by the rules of one file at the root; a final "/" is a directory.
std::string verdict(std::string_view rules, std::string_view path) {
    const bool is_directory = path.ends_with('/');
    if (is_directory) path.remove_suffix(1);
    switch (IgnoreFile::parse(rules)->judge(IgnoreSubject(path, is_directory), 0).verdict) {
        case IgnoreVerdict::kIgnored: return "ignored";
        case IgnoreVerdict::kIncluded: return "included";
        case IgnoreVerdict::kUndecided: break;
    }
    return "";
}

TEST(Ignore, names_match_at_any_depth) {
    EXPECT_EQ(verdict("core\n", "core"), "ignored");
    EXPECT_EQ(verdict("core\n", "a/b/core"), "ignored");
    EXPECT_EQ(verdict("core\n", "core/a"), "") << "the walk does not enter core";
    EXPECT_EQ(verdict("core\n", "score"), "");
    EXPECT_EQ(verdict("*.o\n", "a/x.o"), "ignored");
    EXPECT_EQ(verdict("*.tar.gz\n", "x.tar.gz"), "ignored");
    EXPECT_EQ(verdict("*.tar.gz\n", "x.gz"), "");
    EXPECT_EQ(verdict("*~\n", "x.c~"), "ignored");
    EXPECT_EQ(verdict(".*\n", "a/.x"), "ignored");
    EXPECT_EQ(verdict("*.tab.[ch]\n", "x.tab.h"), "ignored");
    EXPECT_EQ(verdict("**\n", "a/b"), "ignored");
}

TEST(Ignore, slashes_anchor) {
    EXPECT_EQ(verdict("/core\n", "core"), "ignored");
    EXPECT_EQ(verdict("/core\n", "a/core"), "");
    EXPECT_EQ(verdict("a/*.o\n", "a/x.o"), "ignored");
    EXPECT_EQ(verdict("a/*.o\n", "b/a/x.o"), "");
    EXPECT_EQ(verdict("**/a/b\n", "x/a/b"), "ignored");
    EXPECT_EQ(verdict("a/**\n", "a/b/c"), "ignored");
    EXPECT_EQ(verdict("a/**\n", "a/"), "");
    EXPECT_EQ(verdict("a/**/b\n", "a/b"), "ignored");
    for (const char* path : {"ab", "ax/b", "ax/y/b", "a/b", "a/y/b"}) {
        EXPECT_EQ(verdict("a**/b\n", path), "ignored") << path;
    }
    EXPECT_EQ(verdict("a**/b\n", "x/ab"), "");
    EXPECT_EQ(verdict("a**/b\n", "a"), "");
    for (const char* path : {"a", "ab", "ab/c"}) {
        EXPECT_EQ(verdict("/a**\n", path), "ignored") << path;
    }
    EXPECT_EQ(verdict("*a**/b\n", "xa/y/b"), "") << "only behind plain text";
}

TEST(Ignore, a_final_slash_means_directories) {
    EXPECT_EQ(verdict("build/\n", "build/"), "ignored");
    EXPECT_EQ(verdict("build/\n", "a/build/"), "ignored");
    EXPECT_EQ(verdict("build/\n", "build"), "");
}

TEST(Ignore, the_last_rule_decides_wherever_it_is_indexed) {
    EXPECT_EQ(verdict("*.c\n!main.c\n", "main.c"), "included");
    EXPECT_EQ(verdict("!main.c\n*.c\n", "main.c"), "ignored");
    EXPECT_EQ(verdict("*\n!*.c\n", "main.c"), "included");
    EXPECT_EQ(verdict("!*.c\n*\n", "main.c"), "ignored");
    EXPECT_EQ(verdict("main.c\n!m*\n/main.c\n", "main.c"), "ignored");
    EXPECT_EQ(verdict("m*\nmain.c\n!main.c/\n", "main.c"), "ignored");
}

TEST(Ignore, lines_are_read_as_git_reads_them) {
    EXPECT_EQ(verdict("# a\n#b", "#b"), "");
    EXPECT_EQ(verdict("\\#b\n", "#b"), "ignored");
    EXPECT_EQ(verdict("\\!b\n", "!b"), "ignored");
    EXPECT_EQ(verdict("a  \n", "a"), "ignored");
    EXPECT_EQ(verdict("a\\ \n", "a "), "ignored");
    EXPECT_EQ(verdict("a\t\n", "a"), "") << "only spaces are cut";
    EXPECT_EQ(verdict("a\r\nb\r", "a"), "ignored");
    EXPECT_EQ(verdict("a\r\nb\r", "b"), "ignored");
    EXPECT_EQ(verdict("\xEF\xBB\xBF"
                      "a\n",
                      "a"),
              "ignored");
    EXPECT_EQ(verdict("\n \n!\n/\n\r\n", "a"), "");
    EXPECT_EQ(verdict("a[\nb\\\n", "a["), "") << "malformed rules match nothing";
    EXPECT_EQ(verdict("?\n", "\xC3\xA9"), "") << "bytes are counted";
    EXPECT_EQ(verdict("[[:alpha:]][z-a]\n", "bz"), "ignored");
    EXPECT_EQ(verdict(std::string_view("a\0b\n", 4), "a"), "ignored");
}

TEST(Ignore, is_bounded) {
    EXPECT_FALSE(IgnoreFile::parse(std::string(limits::kIgnoreFileBytesMax + 1, 'a')));
    std::string globs;
    for (std::size_t i = 0; i <= limits::kIgnoreGlobsMax; ++i) globs += "*a*\n";
    EXPECT_EQ(IgnoreFile::parse(globs).error().code, Code::kLimitReached);
    std::string names;
    for (int i = 0; i < 50'000; ++i) names += "name" + std::to_string(i) + "\n";
    EXPECT_TRUE(IgnoreFile::parse(names)->judge(IgnoreSubject("a/name49999", false), 0).verdict ==
                IgnoreVerdict::kIgnored);
}

TEST(IgnoreScope, the_deeper_file_and_the_stronger_kind_decide) {
    IgnoreScope::Files top{.ignore = file_of("!x.log\n"),
                           .gitignore = file_of("*.log\n/only_top\n"),
                           .exclude = file_of("e\nkept\n"),
                           .global = file_of("!e\ng\n"),
                           .starts_repository = true};
    const auto root = std::make_shared<const IgnoreScope>(nullptr, "", top);
    EXPECT_TRUE(root->ignores("a.log", false));
    EXPECT_FALSE(root->ignores("x.log", false)) << ".ignore outdoes .gitignore";
    EXPECT_TRUE(root->ignores("e", false)) << "exclude outdoes global";
    EXPECT_TRUE(root->ignores("g", false));
    IgnoreScope::Files below{.gitignore = file_of("!a.log\n!kept\nx.log\n/here\n")};
    const IgnoreScope sub(root, "sub/dir", below);
    EXPECT_FALSE(sub.ignores("sub/dir/a.log", false)) << "deeper";
    EXPECT_FALSE(sub.ignores("sub/dir/kept", false));
    EXPECT_FALSE(sub.ignores("sub/dir/x.log", false)) << ".ignore from above is stronger still";
    EXPECT_TRUE(sub.ignores("sub/dir/here", false));
    EXPECT_FALSE(sub.ignores("sub/dir/only_top", false));
    EXPECT_TRUE(sub.ignores("sub/dir/b.log", false));
}

TEST(IgnoreScope, a_repository_inside_starts_anew) {
    IgnoreScope::Files top{.ignore = file_of("i\n"), .gitignore = file_of("*.log\n")};
    const auto root = std::make_shared<const IgnoreScope>(nullptr, "", top);
    const IgnoreScope inner(root, "inner", {.starts_repository = true});
    EXPECT_FALSE(inner.ignores("inner/a.log", false));
    EXPECT_TRUE(inner.ignores("inner/i", false));
}

}  // namespace
