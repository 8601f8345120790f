// The rules of the house, as a test. Each failure names the file and the rule.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <set>

#include <re2/re2.h>

#include "testing/jail.h"
#include "tidy/repository.h"

namespace paddock::tidy {
namespace {

const std::vector<std::string> kCode = {".h", ".cc", ".c"};

bool is_test(const std::string& path) { return path.ends_with("_test.cc"); }

void expect_absent(const std::vector<SourceFile>& files, const std::string& pattern,
                   const std::string& rule, const std::set<std::string>& exempt = {}) {
    const RE2 banned(pattern);
    ASSERT_TRUE(banned.ok()) << banned.error();
    for (const SourceFile& file : files) {
        if (exempt.contains(file.path)) continue;
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const std::string code = file.lines[i].substr(0, file.lines[i].find("//"));
            EXPECT_FALSE(RE2::PartialMatch(code, banned))
                << file.path << ":" << i + 1 << ": " << rule << ": " << file.lines[i];
        }
    }
}

std::vector<SourceFile> library_code() {
    std::vector<SourceFile> code;
    for (SourceFile& file : files_of({"src", "include"}, kCode)) {
        if (!is_test(file.path) && !file.path.starts_with("src/cli/"))
            code.push_back(std::move(file));
    }
    return code;
}

// folder -> folders it may use, read from the one place that says so.
std::map<std::string, std::set<std::string>> layers() {
    const std::string cmake = files_of({"src/CMakeLists.txt"}).at(0).text;
    std::map<std::string, std::set<std::string>> uses;
    const std::regex folder(R"(paddock_folder\((\w+)\s+(?:USES\s+([\w\s]*?)\s+)?SOURCES)");
    for (std::sregex_iterator it(cmake.begin(), cmake.end(), folder), end; it != end; ++it) {
        std::set<std::string>& allowed = uses[(*it)[1]];
        allowed.insert((*it)[1]);
        const std::string names = (*it)[2];
        const std::regex word(R"(\w+)");
        for (std::sregex_iterator name(names.begin(), names.end(), word), last; name != last;
             ++name) {
            allowed.insert(name->str());
        }
    }
    return uses;
}

TEST(Repository, includes_only_point_downward) {
    const auto allowed = layers();
    ASSERT_TRUE(allowed.contains("fs") && allowed.contains("sys") && allowed.contains("base"));
    EXPECT_FALSE(allowed.at("sys").contains("fs"));
    const std::regex include(R"re(#include "(\w+)/)re");
    for (const SourceFile& file : library_code()) {
        std::smatch folder;
        if (!std::regex_search(file.path, folder, std::regex("^src/(\\w+)/"))) continue;
        ASSERT_TRUE(allowed.contains(folder[1])) << file.path << ": no target for its folder";
        for (const std::string& line : file.lines) {
            std::smatch used;
            if (!std::regex_search(line, used, include)) continue;
            EXPECT_TRUE(allowed.at(folder[1]).contains(used[1])) << file.path << ": " << line;
        }
    }
}

TEST(Repository, public_headers_include_only_public_ones) {
    expect_absent(files_of({"include"}, kCode), R"(#include ")",
                  "private header in the public API");
}

TEST(Repository, architecture_names_every_folder) {
    const std::string text = files_of({"ARCHITECTURE.md"}).at(0).text;
    for (const auto& [folder, uses] : layers()) {
        EXPECT_NE(text.find("`src/" + folder + "/`"), std::string::npos) << folder;
    }
}

TEST(Repository, system_calls_live_in_sys) {
    std::vector<SourceFile> files;
    for (SourceFile& file : library_code()) {
        if (!file.path.starts_with("src/sys/")) files.push_back(std::move(file));
    }
    expect_absent(files,
                  R"((^|[^\w>])::(open|openat|stat|lstat|fstat|fstatat|statx|read|write)\()"
                  R"(|(^|[^\w>])::(unlink|rename|mkdir)\()"
                  R"(|\b(realpath|fopen|opendir|syscall|popen|system)\s*\()"
                  R"(|std::(filesystem|ifstream|ofstream|fstream))",
                  "system calls belong to src/sys");
}

// What a tool cannot reach it cannot forget to check. Those that walk get the pinned directory and
// ask the rules by Files::visibility.
TEST(Repository, tools_reach_files_only_by_way_of_files) {
    std::vector<SourceFile> tools;
    for (SourceFile& file : files_of({"src/tools"}, kCode)) {
        if (file.text.find("static const Declaration kTool") == std::string::npos) continue;
        tools.push_back(std::move(file));
    }
    ASSERT_GT(tools.size(), 10U);
    expect_absent(tools, R"re(#include "(fs|sys)/|#include <paddock/root\.h>|\blinkless(_|\())re",
                  "a tool reaches files by way of Files",
                  {"src/tools/glob.cc", "src/tools/grep.cc", "src/tools/list_directory.cc"});
}

TEST(Repository, library_is_silent) {
    expect_absent(library_code(),
                  R"(\b(getenv|printf|fprintf|puts|fputs|exit|perror|syslog)\s*\()"
                  R"(|std::(cout|cerr|clog)|\bthrow\b)",
                  "libraries never print, exit, throw or read the environment",
                  {"src/base/check.cc"});
}

TEST(Repository, code_is_in_shape) {
    for (const SourceFile& file :
         files_of({"include", "src", "tests", "bench", "fuzz", "examples"}, kCode)) {
        EXPECT_TRUE(file.text.ends_with('\n')) << file.path << ": no final newline";
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const std::string& line = file.lines[i];
            const std::string where = file.path + ":" + std::to_string(i + 1);
            EXPECT_LE(line.size(), 100U) << where << ": longer than 100 columns";
            EXPECT_FALSE(line.ends_with(' ')) << where << ": trailing space";
            for (const char c : line) {
                ASSERT_TRUE(c >= ' ' && c <= '~') << where << ": not plain ASCII";
            }
        }
        if (!file.path.ends_with(".h")) continue;
        EXPECT_TRUE(file.text.starts_with("//"))
            << file.path << ": does not open with its contract";
        EXPECT_NE(file.text.find("#pragma once"), std::string::npos) << file.path;
    }
}

TEST(Repository, comments_name_files_that_exist) {
    const auto files = files_of({"include", "src", "tests", "bench", "fuzz", "examples"}, kCode);
    std::set<std::string> names;
    for (const SourceFile& file : files) {
        names.insert(file.path.substr(file.path.rfind('/') + 1));
    }
    const RE2 named(R"((\w+\.(?:h|cc))\b)");
    for (const SourceFile& file : files) {
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const std::size_t comment = file.lines[i].find("//");
            if (comment == std::string::npos) continue;
            re2::StringPiece rest(file.lines[i]);
            rest.remove_prefix(comment);
            for (std::string name; RE2::FindAndConsume(&rest, named, &name);) {
                EXPECT_TRUE(names.contains(name) ||
                            file.text.find("<linux/" + name) != file.text.npos)
                    << file.path << ":" << i + 1 << ": there is no " << name;
            }
        }
    }
}

TEST(Repository, nothing_is_left_open_or_tied_to_one_machine) {
    auto files = files_of({"include", "src", "tests", "bench", "fuzz", "examples", "scripts",
                           "cmake", "docs", ".ci", "README.md", "ARCHITECTURE.md", "SECURITY.md",
                           "CONTRIBUTING.md", "CHANGELOG.md", "CMakeLists.txt"});
    ASSERT_GT(files.size(), 50U);
    const RE2 left_open(R"(\b(TO)"
                        "DO|FIX"
                        R"(ME|XX)"
                        R"(X)\b)");
    const RE2 one_machine(
        "/(wor"
        "k|roo"
        "t|farm)/");
    for (const SourceFile& file : files) {
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const std::string where = file.path + ":" + std::to_string(i + 1);
            EXPECT_FALSE(RE2::PartialMatch(file.lines[i], left_open)) << where;
            EXPECT_FALSE(RE2::PartialMatch(file.lines[i], one_machine)) << where;
        }
    }
}

TEST(Repository, scripts_can_be_run) {
    for (const SourceFile& file : files_of({"scripts", ".ci"})) {
        EXPECT_EQ(::access(path_of(file.path).c_str(), X_OK), 0) << file.path;
        EXPECT_TRUE(file.text.starts_with("#!/usr/bin/env bash\n")) << file.path;
    }
}

// Where no package is installed and `programs` are all there is besides what the script uses.
std::string setup_says(const std::string& programs) {
    const testing::ScratchDir scratch;
    const std::string script =
        "cd '" + scratch.path() +
        "' && for name in bash env sed grep id; do ln -s \"$(command -v $name)\" .; done && "
        "for name in dpkg-query apt-get " +
        programs + "; do printf '#!/bin/bash\\n' > $name; chmod +x $name; done && PATH=. exec '" +
        path_of("scripts/setup") + "' test 2>&1";
    std::string said;
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(script.c_str(), "r"),
                                                               ::pclose);
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
        said += static_cast<char>(c);
    }
    return said + ' ';
}

TEST(Repository, setup_brings_npm_only_where_there_is_none) {
    const std::regex npm(R"(\snpm\s)");
    const std::string without = setup_says("");
    EXPECT_TRUE(std::regex_search(without, npm)) << without;
    const std::string with = setup_says("npm");
    EXPECT_NE(with.find(" python3-venv "), with.npos) << with;
    EXPECT_FALSE(std::regex_search(with, npm)) << with;
}

TEST(Repository, the_readme_shows_both_commands) {
    const std::string readme = files_of({"README.md"}).at(0).text;
    EXPECT_NE(readme.find("scripts/run"), std::string::npos);
    EXPECT_NE(readme.find("scripts/test"), std::string::npos);
    EXPECT_NE(files_of({"CHANGELOG.md"}).at(0).text.find("## "), std::string::npos);
}

TEST(Repository, the_promise_is_told_the_same_everywhere) {
    const auto words = [](std::string text) {
        text = std::regex_replace(text, std::regex(R"(//|>)"), " ");
        return std::regex_replace(text, std::regex(R"(\s+)"), " ");
    };
    const std::string promise =
        "every object acted on was reached from the root by names, without passing a link that "
        "leaves it, a magic link or a foreign mount, and was inside at some instant during the "
        "call; "
        "nothing above the root is ever looked up";
    for (const char* file : {"SECURITY.md", "include/paddock/root.h"}) {
        EXPECT_NE(words(files_of({file}).at(0).text).find(promise), std::string::npos) << file;
    }
}

}  // namespace
}  // namespace paddock::tidy
