#include "search/grep.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

#include <paddock/limits.h>

#include "testing/jail.h"

namespace paddock::search {
namespace {

using testing::Jail;

// One line of text for each entry, as grep prints them.
class Collect final : public GrepSink {
public:
    Next file(const GrepFile& file) override {
        const std::string path(file.path);
        if (file.binary) text += path + ": binary\n";
        if (!file.binary && file.lines.empty()) {
            text += path + ":" + std::to_string(file.matches) + "\n";
        }
        for (const GrepLine& line : file.lines) {
            const char mark = line.kind == Line::Kind::kMatch ? ':' : '-';
            text +=
                path + mark + std::to_string(line.number) + mark + std::string(line.text) + "\n";
        }
        return ++files == files_max ? Next::kStop : Next::kGoOn;
    }
    Next problem(std::string_view path, const Failure& failure) override {
        problems += std::string(path) + ": " + std::string(code_name(failure.code)) + "\n";
        return Next::kGoOn;
    }

    std::string text;
    std::string problems;
    std::size_t files = 0;
    std::size_t files_max = SIZE_MAX;
};

class GrepTest : public Jail {
protected:
    std::string grep(GrepQuery query) {
        Collect collect;
        const auto done = search::grep(root(), query, collect);
        if (!done) return "error: " + std::string(code_name(done.error().code));
        summary_ = *done;
        problems_ = collect.problems;
        return collect.text;
    }
    std::string grep(std::string_view pattern) { return grep({.pattern = std::string(pattern)}); }

    GrepSummary summary_;
    std::string problems_;
};

TEST_F(GrepTest, in_order_of_path) {
    tree({"ROOT/b=x", "ROOT/a.c=x", "ROOT/a/z=x", "ROOT/a/b/c=x\ny\nx", "ROOT/n=y"});
    EXPECT_EQ(grep("x"), "a/b/c:1:x\na/b/c:3:x\na/z:1:x\na.c:1:x\nb:1:x\n");
    EXPECT_EQ(summary_.files, 5U);
    EXPECT_EQ(summary_.matched, 4U);
    EXPECT_EQ(summary_.entries, 5U);
    EXPECT_EQ(summary_.cut, GrepSummary::Cut::kNone);
    EXPECT_EQ(grep({.pattern = "x", .mode = GrepMode::kCount}), "a/b/c:2\na/z:1\na.c:1\nb:1\n");
    EXPECT_EQ(grep({.pattern = "x", .mode = GrepMode::kFilesWithMatches}),
              "a/b/c:1\na/z:1\na.c:1\nb:1\n");
    EXPECT_EQ(grep({.pattern = "x", .path = "a"}), "a/b/c:1:x\na/b/c:3:x\na/z:1:x\n");
    EXPECT_EQ(grep({.pattern = "x", .path = "a/b/c", .after = 1}),
              "a/b/c:1:x\na/b/c-2-y\na/b/c:3:x\n");
}

TEST_F(GrepTest, errors_of_the_question) {
    tree({"ROOT/p|"});
    EXPECT_EQ(grep("("), "error: invalid_argument");
    EXPECT_EQ(grep({.pattern = "x", .path = "absent"}), "error: not_found");
    EXPECT_EQ(grep({.pattern = "x", .path = "../OUT"}), "error: path_escape");
    EXPECT_EQ(grep({.pattern = "x", .path = "p"}), "error: not_regular_file");
    EXPECT_EQ(grep({.pattern = "x", .globs = {"../*"}}), "error: path_escape");
    EXPECT_EQ(grep({.pattern = "x", .types = {"nope"}}), "error: invalid_argument");
}

TEST_F(GrepTest, links_and_fifos_are_passed_over) {
    tree({"ROOT/f=outside-secret", "ROOT/l->@/OUT/secret", "ROOT/d->@/OUT", "ROOT/p|"});
    expect_naive_leak("l");
    EXPECT_EQ(grep("outside-secret"), "f:1:outside-secret\n");
}

TEST_F(GrepTest, what_cannot_be_read_is_reported) {
    if (testing::is_root()) GTEST_SKIP() << "root may read everything";
    tree({"ROOT/closed/f=x", "ROOT/f=x", "ROOT/g=x"});
    ASSERT_EQ(::chmod(ws("closed").c_str(), 0), 0);
    ASSERT_EQ(::chmod(ws("f").c_str(), 0), 0);
    EXPECT_EQ(grep("x"), "g:1:x\n");
    EXPECT_EQ(problems_, "closed: permission_denied\nf: permission_denied\n");
    EXPECT_EQ(summary_.problems, 2U);
    ASSERT_EQ(::chmod(ws("closed").c_str(), 0700), 0);
}

TEST_F(GrepTest, ignore_files_hold) {
    tree({"ROOT/.gitignore=*.o\nbuild/\n", "ROOT/a.o=x", "ROOT/a.c=x", "ROOT/build/b.c=x",
          "ROOT/src/.ignore=c.c", "ROOT/src/c.c=x", "ROOT/src/d.c=x", "ROOT/.hidden=x",
          "ROOT/.git/info/exclude=d.c"});
    EXPECT_EQ(grep("x"), "a.c:1:x\n");
    EXPECT_EQ(grep({.pattern = "x", .path = "src"}), "");
    EXPECT_EQ(grep({.pattern = "x", .walk = {.ignored = true}}),
              "a.c:1:x\na.o:1:x\nbuild/b.c:1:x\nsrc/c.c:1:x\nsrc/d.c:1:x\n");
    EXPECT_EQ(grep({.pattern = "x", .walk = {.hidden = true}}), ".hidden:1:x\na.c:1:x\n");
    // What the caller names is searched.
    EXPECT_EQ(grep({.pattern = "x", .path = "build"}), "build/b.c:1:x\n");
    EXPECT_EQ(grep({.pattern = "x", .path = "a.o"}), "a.o:1:x\n");
}

TEST_F(GrepTest, hostile_ignore_files_do_no_harm) {
    tree({"ROOT/.git/", "ROOT/.gitignore->@/OUT/secret", "ROOT/d/.gitignore|", "ROOT/d/f=x",
          "ROOT/e/.ignore/", "ROOT/e/f=x"});
    EXPECT_EQ(grep("x"), "d/f:1:x\ne/f:1:x\n");
    os_write(ws("e/.gitignore"), std::string(limits::kIgnoreFileBytesMax + 1, 'f'));
    EXPECT_EQ(grep("x"), "d/f:1:x\ne/f:1:x\n");
}

TEST_F(GrepTest, rules_of_the_workspace_hide) {
    tree({"ROOT/a/secret/f=x", "ROOT/a/f=x", "ROOT/b.pem=x"});
    GrepQuery query{.pattern = "x"};
    query.walk.visible = [](std::string_view path, FileType) {
        return path != "a/secret" && !path.ends_with(".pem");
    };
    EXPECT_EQ(grep(query), "a/f:1:x\n");
}

TEST_F(GrepTest, globs_and_types) {
    tree({"ROOT/src/a.py=x", "ROOT/src/a.c=x", "ROOT/lib/a.py=x", "ROOT/Makefile=x"});
    EXPECT_EQ(grep({.pattern = "x", .globs = {"src/**"}}), "src/a.c:1:x\nsrc/a.py:1:x\n");
    EXPECT_EQ(grep({.pattern = "x", .globs = {"*.py", "!lib/**"}}), "src/a.py:1:x\n");
    EXPECT_EQ(grep({.pattern = "x", .types = {"py"}}), "lib/a.py:1:x\nsrc/a.py:1:x\n");
    EXPECT_EQ(grep({.pattern = "x", .types = {"make", "c"}}), "Makefile:1:x\nsrc/a.c:1:x\n");
}

TEST_F(GrepTest, binary_files_are_named) {
    tree({"ROOT/a=x"});
    os_write(ws("b"), std::string("x\n\0x", 4));
    os_write(ws("c"), std::string("\0x", 2));
    EXPECT_EQ(grep("x"), "a:1:x\nb: binary\n");
    EXPECT_EQ(summary_.binary, 1U);
}

TEST_F(GrepTest, offset_and_limit_cut_the_ordered_answer) {
    tree({"ROOT/a=x1\nx2\nx3", "ROOT/b=x4", "ROOT/c=x5\nx6"});
    const std::string all = "a:1:x1\na:2:x2\na:3:x3\nb:1:x4\nc:1:x5\nc:2:x6\n";
    for (std::uint64_t offset = 0; offset < 8; ++offset) {
        for (std::uint64_t limit = 0; limit < 8; ++limit) {
            const std::string got =
                grep({.pattern = "x", .offset = offset, .limit = limit, .threads = 2});
            const std::size_t from = std::min<std::size_t>(offset * 7, all.size());
            EXPECT_EQ(got, all.substr(from, limit * 7)) << offset << " " << limit;
            EXPECT_EQ(summary_.cut == GrepSummary::Cut::kLimit, offset + limit < 6);
        }
    }
    EXPECT_EQ(grep({.pattern = "x", .mode = GrepMode::kCount, .offset = 1, .limit = 1}), "b:1\n");
    EXPECT_EQ(grep({.pattern = "x", .limit = UINT64_MAX}), all);
}

TEST_F(GrepTest, of_one_file_no_offset_is_too_large) {
    tree({"ROOT/d/"});
    std::string content;
    constexpr std::uint64_t kLines = limits::kGrepFileBytesMax / 40;  // more than are held
    for (std::uint64_t i = 0; i < kLines; ++i) content += "x\n";
    os_write(ws("d/a"), content + "last x\nno\n");
    const std::string last = std::to_string(kLines + 1);
    GrepQuery query{.pattern = "x", .path = "d/a", .offset = kLines - 1, .limit = 2};
    EXPECT_EQ(grep(query), "d/a:" + std::to_string(kLines) + ":x\nd/a:" + last + ":last x\n");
    EXPECT_EQ(summary_.cut, GrepSummary::Cut::kNone);
    query.limit = 1;
    EXPECT_EQ(grep(query), "d/a:" + std::to_string(kLines) + ":x\n");
    EXPECT_EQ(summary_.cut, GrepSummary::Cut::kLimit);
    EXPECT_EQ(summary_.entries, kLines);
    query.offset = kLines + 1;
    EXPECT_EQ(grep(query), "");
    EXPECT_EQ(summary_.entries, kLines + 1);
    query.after = 1;
    EXPECT_EQ(grep(query), "d/a-" + std::to_string(kLines + 2) + "-no\n");
    EXPECT_EQ(problems_, "");
    // Of a directory it is not known how many lines come before.
    query.path = "d";
    EXPECT_EQ(grep(query), "");
    EXPECT_EQ(problems_, "d/a: limit_reached\n");
}

TEST_F(GrepTest, an_offset_into_a_large_file) {
    std::string content(5 * kSearchPartBytes, '\n');
    for (std::size_t at = 0; at < content.size(); at += 1 << 20) content[at] = 'x';
    os_write(ws("a"), content);
    std::string all = grep({.pattern = "x", .path = "a", .threads = 2});
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 20);
    std::string paged;
    for (std::uint64_t offset = 0; offset < 20; offset += 7) {
        paged += grep({.pattern = "x", .path = "a", .offset = offset, .limit = 7, .threads = 2});
    }
    EXPECT_EQ(paged, all);
    content.back() = '\0';
    os_write(ws("a"), content);
    EXPECT_EQ(grep({.pattern = "x", .path = "a", .offset = 1}), "") << "binary: one entry";
    EXPECT_EQ(grep({.pattern = "x", .path = "a"}), "a: binary\n");
}

TEST_F(GrepTest, the_sink_may_stop) {
    tree({"ROOT/a=x", "ROOT/b=x"});
    Collect collect;
    collect.files_max = 1;
    const auto summary = search::grep(root(), {.pattern = "x"}, collect);
    EXPECT_EQ(collect.text, "a:1:x\n");
    EXPECT_EQ(summary->cut, GrepSummary::Cut::kSink);
}

TEST_F(GrepTest, budgets_give_a_part_and_say_so) {
    tree({"ROOT/a=x\n", "ROOT/b/c=x\n", "ROOT/d=x\n"});
    EXPECT_EQ(grep({.pattern = "x", .bytes_max = 3}), "a:1:x\n");
    EXPECT_EQ(summary_.cut, GrepSummary::Cut::kBytes);
    EXPECT_EQ(grep({.pattern = "x", .bytes_max = 4}), "a:1:x\nb/c:1:x\n");
    EXPECT_EQ(summary_.cut, GrepSummary::Cut::kBytes);
    grep({.pattern = "x", .time_max = std::chrono::milliseconds(-1)});
    EXPECT_EQ(summary_.cut, GrepSummary::Cut::kTime);
    std::stop_source cancelled;
    cancelled.request_stop();
    EXPECT_EQ(grep({.pattern = "x", .cancel = cancelled.get_token()}), "");
    EXPECT_EQ(summary_.cut, GrepSummary::Cut::kCancelled);
}

TEST_F(GrepTest, long_lines_are_cut_for_the_answer) {
    tree({"ROOT/a="});
    os_write(ws("a"), "x" + std::string(5000, 'y') + "\nx\n");
    EXPECT_EQ(grep({.pattern = "x", .line_bytes_max = 3}), "a:1:xyy\na:2:x\n");
    EXPECT_EQ(grep({.pattern = "^x", .line_bytes_max = 3}), "a:1:xyy\na:2:x\n");
}

TEST_F(GrepTest, what_is_left_of_a_long_line_shows_the_match) {
    tree({"ROOT/a="});
    os_write(ws("a"),
             std::string(4000, '-') + "\xe2\x82\xacneedle" + std::string(4000, '+') + "\n");
    EXPECT_EQ(grep({.pattern = "ne+dle", .line_bytes_max = 16}), "a:1:-\xe2\x82\xacneedle++++++\n");
    EXPECT_EQ(grep({.pattern = "ne+dle", .line_bytes_max = 12}), "a:1:\xe2\x82\xacneedle+++\n");
    EXPECT_EQ(grep({.pattern = "[+]$", .line_bytes_max = 4}), "a:1:++++\n");
}

TEST_F(GrepTest, what_is_searched_in_pieces_is_named) {
    std::string pattern = "n[e]+dle|";
    for (int i = 0; i < 20; ++i) pattern += "[p-z]{1000}";
    std::string content = std::string(20000, '-') + "needle" + std::string(20000, '+') + "\n";
    os_write(ws("a"), content);
    EXPECT_EQ(grep({.pattern = pattern, .line_bytes_max = 8}), "a:1:--needle\n");
    EXPECT_EQ(problems_, "");
    content = std::string(20000, '-') + "\n" + content;
    os_write(ws("a"), content);
    EXPECT_EQ(grep({.pattern = pattern, .line_bytes_max = 8}), "a:2:--needle\n");
    EXPECT_EQ(problems_, "a: limit_reached\n");
    // It ends no search of a large file in parts.
    content.insert(0, 4 * kSearchPartBytes, '\n');
    os_write(ws("a"), content.substr(content.size() / 2) + content);
    EXPECT_EQ(grep({.pattern = pattern, .mode = GrepMode::kCount, .threads = 2}), "a:2\n");
    EXPECT_EQ(problems_, "a: limit_reached\n");
}

TEST_F(GrepTest, the_answer_does_not_depend_on_threads) {
    std::mt19937 random(21);
    for (int i = 0; i < 300; ++i) {
        std::string path = "ROOT/";
        for (auto depth = random() % 4; depth > 0; --depth) {
            path += std::string(1, static_cast<char>('a' + random() % 4)) + "/";
        }
        path += "f" + std::to_string(i) + "=";
        for (auto lines = random() % 6; lines > 0; --lines) {
            path += random() % 2 == 0 ? "needle\n" : "hay\n";
        }
        tree({path});
    }
    for (const std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{37}, UINT64_MAX}) {
        const std::string alone = grep({.pattern = "needle", .limit = limit, .threads = 1});
        const GrepSummary alone_summary = summary_;
        EXPECT_FALSE(alone.empty());
        for (const unsigned threads : {2U, 8U}) {
            EXPECT_EQ(grep({.pattern = "needle", .limit = limit, .threads = threads}), alone);
            EXPECT_EQ(summary_.entries, alone_summary.entries);
            EXPECT_EQ(summary_.matched, alone_summary.matched);
        }
    }
}

TEST_F(GrepTest, a_large_file_in_parts_is_as_a_whole) {
    std::string content;
    std::string expected;
    std::mt19937 random(22);
    for (std::uint64_t line = 1; content.size() < 5 * kSearchPartBytes; ++line) {
        content += std::string(random() % 5000, 'a');
        if (random() % 500 == 0) {
            content += "needle";
            expected += "big:" + std::to_string(line) + ":\n";
        }
        content += '\n';
    }
    os_write(ws("big"), content);
    os_write(ws("small"), "needle");
    expected += "small:1:\n";
    GrepQuery query{.pattern = "needle", .line_bytes_max = 0};
    for (const unsigned threads : {1U, 2U, 4U}) {
        query.threads = threads;
        EXPECT_EQ(grep(query), expected) << threads;
        EXPECT_EQ(summary_.files, 2U);
    }
    query.limit = 3;
    const std::string first = grep(query);
    EXPECT_EQ(first, expected.substr(0, first.size()));
    EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 3);
    query.limit = UINT64_MAX;
    query.mode = GrepMode::kFilesWithMatches;
    EXPECT_EQ(grep(query), "big:1\nsmall:1\n");
    // A NUL near the end makes all of it binary.
    query.mode = GrepMode::kContent;
    content[content.size() - 100] = '\0';
    os_write(ws("big"), content);
    EXPECT_EQ(grep(query), "big: binary\nsmall:1:\n");
}

TEST_F(GrepTest, a_sparse_giant_is_left_at_its_first_hole) {
    os_write(ws("giant"), "needle\n");
    ASSERT_EQ(::truncate(ws("giant").c_str(), off_t{1} << 40), 0);
    EXPECT_EQ(grep({.pattern = "needle", .threads = 2}), "giant: binary\n");
    EXPECT_LT(summary_.bytes, std::uint64_t{1} << 30);
}

TEST_F(GrepTest, deep_trees_need_few_descriptors) {
    std::string path = "ROOT/";
    for (int i = 0; i < 600; ++i) path += "d/";
    tree({path + "f=needle"});
    for (int i = 0; i < 600; i += 50) {
        tree({"ROOT/" + path.substr(5, static_cast<std::size_t>(i) * 2) + "z=needle"});
    }
    const std::size_t before = testing::open_descriptors();
    const std::string found = grep({.pattern = "needle", .threads = 2});
    EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 13);
    EXPECT_EQ(problems_, "");
    EXPECT_EQ(testing::open_descriptors(), before);
}

}  // namespace

namespace {

TEST(MemoryBudget, issue_17_10_is_never_exceeded) {
    MemoryBudget budget(100);
    std::atomic<int> held = 0;
    std::atomic<int> most = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 16; ++i) {
            threads.emplace_back([&] {
                Interruption none({}, {});
                for (int round = 0; round < 200; ++round) {
                    const auto part = budget.take(40, none);
                    ASSERT_TRUE(part);
                    const int now = ++held;
                    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                    }
                    --held;
                }
            });
        }
    }
    EXPECT_LE(most, 2);
    Interruption none({}, {});
    EXPECT_TRUE(budget.take(100, none)) << "all was given back";
}

TEST(MemoryBudget, issue_17_10_who_waits_can_be_cancelled) {
    MemoryBudget budget(100);
    Interruption none({}, {});
    const auto all = budget.take(100, none);
    std::stop_source stop;
    stop.request_stop();
    Interruption cancelled({}, stop.get_token());
    EXPECT_FALSE(budget.take(1, cancelled));
}

}  // namespace
}  // namespace paddock::search
