// The glob tool finds what bash's globstar and git's ":(glob)" paths find in the same tree.
//
// The patterns keep to what all mean alike: bash knows no single item in braces and git no braces
// at all; git lets "**" cross directories behind plain text.
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <set>

#include <paddock/tools.h>

#include "escape/in_memory.h"
#include "json/write.h"
#include "reference/drafts.h"
#include "reference/patterns.h"
#include "text/lines.h"
#include "text/names.h"

namespace paddock::reference {
namespace {

using Paths = std::set<std::string>;

class GlobReference : public testing::InMemory {
protected:
    void grow(Random& random, const std::string& one_more_name) {
        const Words names = {"a",  "b", "ab",  "ba", "a.c",        "b.c",
                             ".a", "A", "a-b", "1",  one_more_name};
        std::filesystem::remove_all(ws());
        Words directories = {""};
        for (int i = 0; i < 12; ++i) {
            directories.push_back(pick(random, directories) + pick(random, names) + "/");
        }
        for (const std::string& directory : directories) {
            std::filesystem::create_directories(ws(directory));
        }
        for (const std::string& directory : directories) {
            for (const std::string& name : names) {
                if (!os_exists(ws(directory + name))) os_write(ws(directory + name), "");
            }
        }
        files_.clear();
        for (const auto& [path, file] : read_files(ws())) files_.insert(path);
        WorkspaceOptions options;
        options.root = ws();
        options.paths.resolver = testing::resolver_under_test();
        options.limits.calls_per_second.reset();
        workspace_.emplace(Workspace::open(options).value());
    }

    Paths found_by_tool(const std::string& pattern) {
        const json::Object arguments{// Without a slash it would be for names at any depth.
                                     {"pattern", "./" + pattern},
                                     {"hidden", true},
                                     {"ignored", true},
                                     {"limit", 5000}};
        const tools::Answer answer = tools::call(*workspace_, "glob", json::to_text(arguments));
        EXPECT_FALSE(answer.error) << pattern << ": " << answer.text();
        Paths paths;
        const std::string text = answer.text();
        const text::Lines lines(text);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const std::string line(text::body_of(lines[i]));
            if (line != "No files match.") paths.insert(text::unquote(line).value_or(line));
        }
        return paths;
    }

    // What a script printed for each pattern: paths, each ended by NUL, files only.
    Paths printed(int number) const {
        const std::string text = slurp(base() + "/answer" + std::to_string(number));
        Paths paths;
        for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
            const std::string path = text.c_str() + at;
            if (files_.contains(path)) paths.insert(path);
        }
        return paths;
    }

    // Has `command` answer for each pattern, which stands in it as "@", and compares.
    void compare(const Words& patterns, const std::string& start, const std::string& command) {
        std::string script = start;
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            std::string line = command;
            line.replace(line.find('@'), 1, patterns[i]);
            script += line + " >../answer" + std::to_string(i) + "\n";
        }
        ASSERT_TRUE(shell(ws(), script));
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            const Paths wanted = printed(static_cast<int>(i));
            ASSERT_EQ(found_by_tool(patterns[i]), wanted) << patterns[i];
            cases_ += files_.size();
            matched_ += wanted.size();
        }
    }

    Paths files_;
    std::optional<Workspace> workspace_;
    std::set<std::string> tried_;  // no pattern counts twice
    std::size_t cases_ = 0;        // of a pattern and a path
    std::size_t matched_ = 0;
};

std::string random_glob(Random& random, const Words& pieces) {
    std::string glob;
    for (auto names = 1 + random() % 4; names > 0; --names) {
        if (!glob.empty()) glob += '/';
        if (random() % 3 == 0) {
            glob += "**";
            continue;
        }
        for (auto parts = 1 + random() % 3; parts > 0; --parts) glob += pick(random, pieces);
    }
    return glob;
}

bool crosses_behind_text(const std::string& glob) {
    const std::size_t stars = glob.find("**");
    return stars != glob.npos && stars > 0 && glob[stars - 1] != '/';
}

TEST_F(GlobReference, bash_finds_the_same) {
    if (!have("bash")) GTEST_SKIP() << "bash is not installed";
    const Words pieces = {"a",  "b",        "*",           "*",         "?",         "[ab]", "[!a]",
                          ".c", "A",        "[[:upper:]]", "\xC3\xA9",  "\\a",       "[^.]", "a-b",
                          ".",  "[0-9a-b]", "{a,b}",       "a{.c,,b*}", "{a,{b,1}*}"};
    Random random = random_cases(51);
    for (long trees = 0; trees < times(2); ++trees) {
        grow(random, "\xC3\xA9");
        Words patterns;
        while (patterns.size() < 500) {
            const std::string glob = random_glob(random, pieces);
            // Names "." and ".." are steps here, and patterns to bash.
            const bool steps =
                ("/" + glob + "/").find("/./") != glob.npos || glob.find("..") != glob.npos;
            if (steps || glob.find("***") != glob.npos) continue;
            if (tried_.insert(glob).second) patterns.push_back(glob);
        }
        ASSERT_NO_FATAL_FAILURE(compare(patterns,
                                        "[ -n \"$BASH_VERSION\" ] || exec bash -e \"$0\"\n"
                                        "LC_ALL=C.UTF-8; shopt -s globstar dotglob nullglob\n",
                                        "printf '%s\\0' @"));
    }
    EXPECT_GT(cases_, 100'000U);
    EXPECT_GT(matched_, cases_ / 50) << "the cases say too little";
}

TEST_F(GlobReference, git_finds_the_same) {
    if (!have("git")) GTEST_SKIP() << "git is not installed";
    const Words pieces = {"a", "b", "*",           "*",   "?",        "[ab]", "[!a]", ".c",
                          "A", "1", "[[:upper:]]", "\\a", "[0-9a-b]", "[]a]", "[^.]", "a-b"};
    Random random = random_cases(52);
    for (long trees = 0; trees < times(2); ++trees) {
        grow(random, "x");  // "?" is a byte to git
        Words patterns;
        while (patterns.size() < 50) {
            const std::string glob = random_glob(random, pieces);
            // Plain text is a directory with all that is in it to git.
            const bool plain = glob.find_first_of("*?[") == glob.npos;
            if (plain || crosses_behind_text(glob)) continue;
            if (tried_.insert(glob).second) patterns.push_back(glob);
        }
        // The repository lies elsewhere, so that its files are not in the tree.
        ASSERT_NO_FATAL_FAILURE(compare(patterns,
                                        "rm -rf ../git && git init -q --bare ../git\n"
                                        "export GIT_DIR=\"$PWD/../git\" GIT_WORK_TREE=\"$PWD\"\n",
                                        "git ls-files -z --others -- ':(glob)@'"));
    }
    EXPECT_GT(cases_, 10'000U);
    EXPECT_GT(matched_, cases_ / 50) << "the cases say too little";
}

}  // namespace
}  // namespace paddock::reference
