#include "text/ignore.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <paddock/limits.h>

#include "testing/jail.h"
#include "testing/shell.h"

using namespace paddock;
using namespace paddock::text;

namespace {

using Scope = std::shared_ptr<const IgnoreScope>;

IgnoreScope::File file_of(std::string_view rules) {
    return std::make_shared<const IgnoreFile>(IgnoreFile::parse(rules).value());
}

// "ignored", "included" or "" by the rules of one file at the root; a final "/" is a directory.
std::string verdict(std::string_view rules, std::string_view path) {
    const bool is_directory = path.ends_with('/');
    if (is_directory) path.remove_suffix(1);
    switch (IgnoreFile::parse(rules)->judge(IgnoreSubject(path, is_directory), 0)) {
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
    EXPECT_TRUE(IgnoreFile::parse(names)->judge(IgnoreSubject("a/name49999", false), 0) ==
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

// Random trees below one repository, each with rules in random directories; git is asked once.
class Trees {
public:
    explicit Trees(const std::string& root) : root_(root) {
        paddock::testing::run_shell(root_, "git init -q --template= .");
        std::filesystem::create_directories(root_ + "/.git/info");
        IgnoreScope::Files files{.starts_repository = true};
        files.exclude = add_rules(".git/info/exclude", 3);
        files.global = add_rules(".git/global", 3);
        scopes_[""] = std::make_shared<const IgnoreScope>(nullptr, "", files);
    }

    void grow(const std::string& top) {
        std::vector<std::string> directories{top};
        for (auto left = 2 + random_() % 5; left > 0; --left) {
            std::string directory = directories[random_() % directories.size()];
            directories.push_back(directory.append("/").append(name()));
        }
        for (const std::string& directory : directories) {
            std::filesystem::create_directories(std::filesystem::path(root_) / directory);
            const std::string above = directory.substr(0, directory.rfind('/'));
            Scope& scope = scopes_[directory];
            if (scope != nullptr) continue;
            scope = scopes_[directory == top ? "" : above];
            if (directory == top || random_() % 2 == 0) {
                IgnoreScope::Files files;
                files.gitignore = add_rules(directory + "/.gitignore", 6);
                scope = std::make_shared<const IgnoreScope>(scope, directory, files);
            }
            for (const std::string& file : names()) {
                paths_.insert(std::string(directory).append("/").append(file));
            }
        }
    }

    // As a walk sees it: nothing below an ignored directory comes back.
    bool ignored(const std::string& path) const {
        std::string above;
        for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
            const std::string each = path.substr(0, slash);
            if (scopes_.at(above)->ignores(each, scopes_.contains(each))) return true;
            if (slash == std::string::npos) return false;
            above = each;
        }
    }

    std::set<std::string> ignored_by_git() const {
        std::ofstream input(root_ + "/.git/paths", std::ios::binary);
        for (const std::string& path : paths_) input << path << '\0';
        input.close();
        const int status = paddock::testing::run_shell(
            root_,
            "git -c core.excludesFile=.git/global check-ignore --no-index --stdin -z "
            "<.git/paths >.git/answer");
        EXPECT_EQ(status, 0);
        const std::string answer = content(root_ + "/.git/answer");
        std::set<std::string> ignored;
        for (std::size_t at = 0; at < answer.size(); at = answer.find('\0', at) + 1) {
            ignored.insert(answer.c_str() + at);
        }
        return ignored;
    }

    // What decides about a path: for the message of a failure.
    std::string rules_on(const std::string& path) const {
        std::string all;
        for (std::size_t slash = path.find('/'); slash != std::string::npos;
             slash = path.find('/', slash + 1)) {
            const std::string file = path.substr(0, slash) + "/.gitignore";
            all += file + ":\n" + content(root_ + "/" + file);
        }
        return all + "exclude:\n" + content(root_ + "/.git/info/exclude") + "global:\n" +
               content(root_ + "/.git/global");
    }

    const std::set<std::string>& paths() const { return paths_; }

private:
    static const std::vector<std::string>& names() {
        static const std::vector<std::string> all_names = {
            "a", "b", "ab", "ba", "a.c", "b.o", "ab.c", ".h", "a b", "#x", "!x", "a ", "\xC3\xA9"};
        return all_names;
    }
    const std::string& name() { return names()[random_() % names().size()]; }

    static std::string content(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string name_rule() {
        static const std::vector<std::string> pieces = {
            "a",  "b",    "*",    "?",  "*.c", "*.o",          "[ab]", "[!a]",     "a*",
            "*b", "\\a",  "*a**", ".h", "a.c", "[a-c]",        "[]b]", "a\\ b",    "[[:alpha:]]",
            "ab", "\\#x", "\\!x", "#x", "a b", "[[:digit:]a]", "[^.]", "\xC3\xA9", "[z-a]"};
        std::string rule = pieces[random_() % pieces.size()];
        if (random_() % 8 == 0) rule += pieces[random_() % pieces.size()];
        // The one known difference, see ignore.h.
        const std::size_t stars = rule.find("**");
        return stars == rule.npos || rule.find_first_of("*?[\\") < stars ? rule : "a";
    }

    std::string line() {
        static const std::vector<std::string> odd = {"",   "# a",  "!",        "/",   "//",  " ",
                                                     "a[", "a\\",  "**",       "/**", "**/", "a//b",
                                                     "/*", "!/*/", "[[:no:]]", "a/",  "!**"};
        if (random_() % 10 == 0) return odd[random_() % odd.size()];
        std::string rule = random_() % 4 == 0 ? "!" : "";
        if (random_() % 6 == 0) rule += "/";
        rule += name_rule();
        while (random_() % 4 == 0) rule += "/" + (random_() % 3 == 0 ? "**" : name_rule());
        if (random_() % 8 == 0) rule = "**/" + rule;
        if (random_() % 5 == 0) rule += "/";
        if (random_() % 12 == 0) rule += random_() % 2 == 0 ? "  " : "\\ ";
        return rule;
    }

    IgnoreScope::File add_rules(const std::string& path, unsigned most) {
        std::string rules = random_() % 16 == 0 ? "\xEF\xBB\xBF" : "";
        const std::string end = random_() % 8 == 0 ? "\r\n" : "\n";
        for (auto left = 1 + random_() % most; left > 0; --left) rules += line() + end;
        std::ofstream(root_ + "/" + path, std::ios::binary) << rules;
        return file_of(rules);
    }

    std::string root_;
    std::mt19937 random_{12345};  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    std::map<std::string, Scope> scopes_;
    std::set<std::string> paths_;
};

TEST(Ignore, agrees_with_git_on_random_trees) {
    if (!paddock::testing::has_program("git")) GTEST_SKIP() << "git is not installed";
    const paddock::testing::ScratchDir scratch;
    Trees trees(scratch.path());
    for (int i = 0; i < 200; ++i) trees.grow("t" + std::to_string(i));
    const std::set<std::string> wanted = trees.ignored_by_git();
    EXPECT_GT(wanted.size(), trees.paths().size() / 10) << "the cases say too little";
    EXPECT_LT(wanted.size(), trees.paths().size() * 9 / 10) << "the cases say too little";
    for (const std::string& path : trees.paths()) {
        ASSERT_EQ(trees.ignored(path), wanted.contains(path)) << path << "\n"
                                                              << trees.rules_on(path);
    }
}

}  // namespace
