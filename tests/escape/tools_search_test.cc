// Searches: patterns that climb, links that lead away or back, and files that never end.
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "escape/child.h"
#include "escape/operations.h"
#include "fault/budget.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

namespace stdfs = std::filesystem;

class ToolsSearch : public Desk {
protected:
    ToolsSearch() { options.limits.calls_per_second.reset(); }

    // What the C library's glob finds below the workspace.
    std::vector<std::string> naive_glob(const std::string& pattern) const {
        glob_t found{};
        std::vector<std::string> paths;
        if (::glob(ws(pattern).c_str(), GLOB_BRACE, nullptr, &found) == 0) {
            for (std::size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
        }
        ::globfree(&found);
        return paths;
    }

    // How many files of this name a walker finds that follows links, as deep as the OS lets it.
    static std::size_t naive_count(const std::string& directory, std::string_view name) {
        std::size_t count = 0;
        std::error_code ended;
        const auto follow = stdfs::directory_options::follow_directory_symlink;
        stdfs::recursive_directory_iterator walk(directory, follow, ended);
        for (; !ended && walk != stdfs::recursive_directory_iterator(); walk.increment(ended)) {
            if (walk->path().filename() == name) ++count;
        }
        return count;
    }

    // In order of path: which file is newer is of no interest here.
    std::string glob(const std::string& pattern, const std::string& path = ".") {
        std::istringstream answer(ok(
            "glob", {{"pattern", pattern}, {"path", path}, {"hidden", true}, {"ignored", true}}));
        std::vector<std::string> lines;
        for (std::string line; std::getline(answer, line);) lines.push_back(line + "\n");
        std::sort(lines.begin(), lines.end());
        std::string sorted;
        for (const std::string& line : lines) sorted += line;
        return sorted;
    }

    std::string grep(const std::string& pattern, const std::string& path = ".") {
        return ok("grep", {{"pattern", pattern},
                           {"path", path},
                           {"hidden", true},
                           {"ignored", true},
                           {"output_mode", "content"}});
    }
};

ATTACK_F(ToolsSearch, SP_23, fifo_in_a_searched_tree) {
    tree({"ROOT/d/p|", "ROOT/d/f=needle\n", "ROOT/link->d/p", "ROOT/.git/", "ROOT/.gitignore|"});
    const int waiting = end_of_child([&] {
        const itimerval soon{{0, 0}, {0, 20'000}};
        ::setitimer(ITIMER_REAL, &soon, nullptr);
        (void)os_read(ws("d/p"));
    });
    EXPECT_TRUE(WIFSIGNALED(waiting) && WTERMSIG(waiting) == SIGALRM) << "the plain OS waits";

    EXPECT_EQ(grep("needle"), "d/f\n1:needle\n");
    EXPECT_EQ(glob("**"), "d/f\nlink\n");
    EXPECT_EQ(ok("list_directory", {{"path", "d"}}), "d/\nf\np  (fifo)\n");
    EXPECT_EQ(ok("list_directory", {{"depth", 3}, {"ignore", json::Array{".git*", "link"}}}),
              "./\nd/\n  f\n  p  (fifo)\n");
    for (const char* path : {"d/p", "link"}) {
        EXPECT_EQ(refused("grep", {{"pattern", "x"}, {"path", path}}), "not_regular_file");
        EXPECT_EQ(refused("read_file", {{"path", path}}), "not_regular_file");
    }
    const std::string both = ok("read_files", {{"paths", json::Array{"d/p", "d/f"}}});
    EXPECT_NE(both.find("not_regular_file"), std::string::npos);
    EXPECT_NE(both.find("needle"), std::string::npos);
}

ATTACK_F(ToolsSearch, WK_02, link_back_into_the_tree) {
    tree({"ROOT/x=needle\n", "ROOT/d/x=needle\n", "ROOT/self->."});
    EXPECT_GT(naive_count(ws(), "x"), 2U);
    tree({"ROOT/d/up->..", "ROOT/abs->@/ROOT"});
    EXPECT_EQ(glob("**/x"), "d/x\nx\n");
    EXPECT_EQ(glob("x"), "d/x\nx\n");
    EXPECT_EQ(grep("needle"), "d/x\n1:needle\n\nx\n1:needle\n");
    EXPECT_EQ(grep("needle", "self"), "d/x\n1:needle\n\nx\n1:needle\n");
}

ATTACK_F(ToolsSearch, WK_04, pattern_that_climbs) {
    tree({"ROOT/a/f=x"});
    EXPECT_EQ(naive_glob("../OUT/*"), std::vector<std::string>{ws("../OUT/secret")});
    EXPECT_EQ(naive_glob("a/../../OUT/*"), std::vector<std::string>{ws("a/../../OUT/secret")});
    const std::string patterns[] = {
        "../*",   "a/../../*", "../OUT/**", "**/../../*", "a/*/../../..", "/etc/*",
        out("*"), "../ROOT/a", "\\.\\./*",  "./../*",     "..",           "a/..//../OUT/secret"};
    for (const std::string& pattern : patterns) {
        EXPECT_EQ(refused("glob", {{"pattern", pattern}}), "path_escape") << pattern;
        EXPECT_EQ(refused("glob", {{"pattern", pattern}, {"path", "a"}}), "path_escape") << pattern;
        EXPECT_EQ(refused("grep", {{"pattern", "x"}, {"glob", pattern}}), "path_escape") << pattern;
        EXPECT_EQ(refused("list_directory", {{"ignore", json::Array{pattern}}}), "path_escape");
    }
}

ATTACK_F(ToolsSearch, WK_06, climb_among_alternatives) {
    tree({"ROOT/a/f=x", "ROOT/x=x"});
    EXPECT_EQ(naive_glob("{..,a}/OUT/*"), std::vector<std::string>{ws("../OUT/secret")});
    for (const char* pattern : {"{..,a}/*", "{a,..}/OUT/*", "a/{x,../..}/*", "{a,{b,..}}/*",
                                "{,.}./*", "{.,a}{.,b}/*", "{/etc,a}/*"}) {
        EXPECT_EQ(refused("glob", {{"pattern", pattern}}), "path_escape") << pattern;
        EXPECT_EQ(refused("grep", {{"pattern", "x"}, {"glob", pattern}}), "path_escape") << pattern;
    }
    // No alternatives here, but patterns for names; and no directory lists the name "..".
    for (const char* pattern : {"@(..)/OUT/secret", "[.][.]/OUT/secret", "?./OUT/secret",
                                "*/OUT/secret", ".?/OUT/*", "{[.],x}[.]/OUT/*"}) {
        EXPECT_EQ(glob(pattern).find("No files match.\n"), 0U) << pattern;
        EXPECT_TRUE(
            ok("grep", {{"pattern", "."}, {"glob", pattern}}).starts_with("No matches in 0"))
            << pattern;
    }
}

// What the process holds more at the highest, in kB.
template <class Act>
long peak_growth(Act act) {
    const auto status = [](std::string_view wanted) {
        std::ifstream lines("/proc/self/status");
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with(wanted)) return std::stol(line.substr(wanted.size()));
        }
        return -1L;
    };
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak begins anew
    const long before = status("VmRSS:");
    act();
    return status("VmHWM:") - before;
}

ATTACK_F(ToolsSearch, WK_14, more_entries_than_the_bound) {
    constexpr std::size_t kEntries = limits::kListEntriesMax + 1000;
    tree({"ROOT/d/"});
    const UniqueFd directory(::open(ws("d").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::string padding(100, 'x');
    for (std::size_t i = 0; i < kEntries; ++i) {
        const std::string name = std::to_string(kEntries + i) + padding;
        ASSERT_EQ(::mknodat(directory.get(), name.c_str(), S_IFREG | 0600, 0), 0);
    }
    (void)workspace();
    const long growth = peak_growth([&] {
        std::string text = ok("list_directory", {{"path", "d"}});
        EXPECT_LT(text.size(), std::size_t{200'000});
        EXPECT_NE(text.find("1000 entries shown, at least 99000 more"), std::string::npos);
        EXPECT_NE(text.find("more than 100000 entries"), std::string::npos)
            << text.substr(text.size() - 300);
        text = ok("list_directory", {{"path", "d"}, {"offset", limits::kListOffsetMax}});
        EXPECT_EQ(text.find("There are no more entries"), std::string::npos) << text;
        EXPECT_NE(text.find("more than 100000 entries"), std::string::npos) << text;
        text = ok("glob", {{"pattern", "d/*"}});
        EXPECT_LT(text.size(), std::size_t{20'000});
        EXPECT_NE(text.find("Newest 100 of 101000 shown"), std::string::npos) << text;
        text = ok("grep", {{"pattern", "x"}, {"path", "d"}});
        EXPECT_NE(text.find("No matches in 101000 files"), std::string::npos) << text;
    });
    EXPECT_TRUE(kSanitized || growth < 128 << 10) << growth << " kB";
}

ATTACK_F(ToolsSearch, WK_07, names_behind_an_outward_link) {
    tree({"ROOT/l->../OUT", "ROOT/abs->@/OUT", "ROOT/d/x=x", "OUT/x=x", "ROOT/leaf->../OUT/x"});
    EXPECT_EQ(naive_glob("*/x").size(), 3U);
    EXPECT_EQ(glob("*/x"), "d/x\n");
    EXPECT_EQ(glob("**/x"), "d/x\n");
    EXPECT_EQ(glob("l/*").find("No files match.\n"), 0U);
    EXPECT_EQ(glob("l/x").find("No files match.\n"), 0U);
    EXPECT_EQ(glob("{l,abs}/**").find("No files match.\n"), 0U);
    EXPECT_EQ(glob("**/secret").find("No files match.\n"), 0U);
    for (const char* path : {"l", "abs", "l/", "d/../l"}) {
        EXPECT_EQ(refused("glob", {{"pattern", "*"}, {"path", path}}), "path_escape") << path;
        EXPECT_EQ(refused("list_directory", {{"path", path}}), "path_escape") << path;
    }
    const std::string listed = ok("list_directory", {{"depth", 5}});
    EXPECT_EQ(listed.find("secret"), std::string::npos) << listed;
}

ATTACK_F(ToolsSearch, WK_08, text_behind_an_outward_link) {
    tree(
        {"ROOT/l->../OUT", "ROOT/leaf->../OUT/secret", "ROOT/d/deep->../../OUT", "ROOT/f=plain\n"});
    EXPECT_GT(naive_count(ws(), "secret"), 1U);
    for (const std::string pattern : {"outside", "secret", "o.*t"}) {
        EXPECT_EQ(grep(pattern), "No matches in 1 files searched.\n") << pattern;
        for (const char* path : {"l", "leaf", "d/deep", "l/secret"}) {
            EXPECT_EQ(refused("grep", {{"pattern", pattern}, {"path", path}}), "path_escape");
        }
    }
    EXPECT_EQ(grep("secret", "d"), "No matches in 0 files searched.\n");
}

// The matcher that most globs begin as: exponential in the number of "**".
class NaiveMatcher {
public:
    explicit NaiveMatcher(std::size_t steps_max) : steps_max_(steps_max) {}

    bool matches(std::string_view pattern, std::string_view path) {
        if (++steps_ > steps_max_) return false;
        if (pattern.empty()) return path.empty();
        if (pattern.starts_with("**/")) {
            if (matches(pattern.substr(3), path)) return true;
            const std::size_t slash = path.find('/');
            return slash != path.npos && matches(pattern, path.substr(slash + 1));
        }
        return !path.empty() && pattern[0] == path[0] && matches(pattern.substr(1), path.substr(1));
    }

    bool gave_up() const { return steps_ > steps_max_; }

private:
    const std::size_t steps_max_;
    std::size_t steps_ = 0;
};

// An answer at all is the proof: where the work grows with every "**", this would not end.
ATTACK_F(ToolsSearch, WK_23, patterns_that_explode) {
    std::string deep;
    for (int i = 0; i < 60; ++i) deep += "a/";
    stdfs::create_directories(ws(deep));
    os_write(ws(deep + "x"), "needle\n");
    std::string stars;
    for (int i = 0; i < 200; ++i) stars += "**/a/";
    std::string thirty;
    for (int i = 0; i < 30; ++i) thirty += "**/a/";
    NaiveMatcher naive(1'000'000);
    EXPECT_FALSE(naive.matches(thirty + "y", deep + "x"));
    EXPECT_TRUE(naive.gave_up());

    EXPECT_EQ(glob(thirty + "y").find("No files match.\n"), 0U);
    EXPECT_EQ(glob(thirty + "x"), deep + "x\n");
    EXPECT_EQ(glob(stars + "x").find("No files match.\n"), 0U);
    EXPECT_EQ(glob("**/**/**/" + thirty + "*"), deep + "x\n");
    EXPECT_EQ(glob(std::string(2000, '*') + "x"), deep + "x\n");
    std::string wild;
    for (int i = 0; i < 200; ++i) wild += "*a";
    EXPECT_EQ(glob("**/" + wild).find("No files match.\n"), 0U);

    std::string lists, nested;
    for (int i = 0; i < 20; ++i) lists += "{a,b}";
    for (int i = 0; i < 200; ++i) nested += "{a,";
    for (const std::string& pattern : {lists, nested + "b" + std::string(200, '}')}) {
        const auto answer = call("glob", {{"pattern", pattern}});
        EXPECT_TRUE(!answer.error || answer.error == Code::kLimitReached) << answer.text();
        const auto filtered = call("grep", {{"pattern", "needle"}, {"glob", pattern}});
        EXPECT_TRUE(!filtered.error || filtered.error == Code::kLimitReached) << filtered.text();
    }
    EXPECT_EQ(refused("glob", {{"pattern", lists}}), "limit_reached");

    // The same for the text: what makes a backtracking engine hang.
    os_write(ws("f"), std::string(5000, 'a') + "\n");
    for (const char* pattern : {"(a+)+$", "(a*)*b", "(a|aa)+b", "(.*)(.*)(.*)(.*)(.*)x"}) {
        (void)call("grep", {{"pattern", pattern}, {"path", "f"}});
    }
}

}  // namespace
}  // namespace paddock::testing
