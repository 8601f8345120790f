#include "search/searcher.h"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <random>

#include <paddock/limits.h>

#include "sys/files.h"
#include "testing/jail.h"

namespace paddock::search {
namespace {

class CollectLines final : public Sink {
public:
    explicit CollectLines(std::size_t most = SIZE_MAX) : most_(most) {}

    Next line(const Line& line) override {
        text += std::to_string(line.number);
        text += line.kind == Line::Kind::kMatch ? ':' : '-';
        text += line.text;
        text += '\n';
        return ++count == most_ ? Next::kStop : Next::kGoOn;
    }
    std::string text;
    std::size_t count = 0;

private:
    std::size_t most_;
};

class SearcherTest : public testing::Jail {
protected:
    struct Answer {
        std::string text;
        FileReport report;
    };

    Answer search(std::string_view pattern, std::string_view content, SearchOptions options = {},
                  MatchOptions match = {}, Extent extent = {}, std::size_t most = SIZE_MAX) {
        os_write(ws("file"), content);
        const auto fd = sys::openat(AT_FDCWD, ws("file").c_str(), O_RDONLY).value();
        const auto matcher = Matcher::compile(pattern, match).value();
        Interruption never(std::nullopt, {});
        Searcher searcher(matcher, options, never);
        CollectLines collect(most);
        extent.size = content.size();
        const auto report = searcher.search(fd.get(), extent, collect);
        return {collect.text, report.value()};
    }
};

TEST_F(SearcherTest, lines_with_numbers) {
    EXPECT_EQ(search("b", "a\nb\nc\nbb").text, "2:b\n4:bb\n");
    EXPECT_EQ(search("b", "").text, "");
    EXPECT_EQ(search("^", "\n\n").text, "1:\n2:\n");
    EXPECT_EQ(search("b", "a\r\nb\r\n").text, "2:b\r\n");
}

TEST_F(SearcherTest, context) {
    const std::string ten = "1\n2\n3x\n4\n5\n6x\n7\n8\n9\n10x";
    EXPECT_EQ(search("x", ten, {1, 1}).text, "2-2\n3:3x\n4-4\n5-5\n6:6x\n7-7\n9-9\n10:10x\n");
    EXPECT_EQ(search("x", ten, {0, 2}).text, "3:3x\n4-4\n5-5\n6:6x\n7-7\n8-8\n10:10x\n");
    EXPECT_EQ(search("x", ten, {9, 0}).text,
              "1-1\n2-2\n3:3x\n4-4\n5-5\n6:6x\n7-7\n8-8\n9-9\n10:10x\n");
    EXPECT_EQ(search("3x|4", ten, {1, 1}).text, "2-2\n3:3x\n4:4\n5-5\n");
}

// Small buffers would hide mistakes at their borders, so the file is many buffers long.
TEST_F(SearcherTest, borders_of_buffers_do_not_show) {
    std::mt19937 random(11);
    for (const SearchOptions options : {SearchOptions{}, SearchOptions{2, 3}}) {
        std::string content;
        std::vector<std::string> lines;
        while (content.size() < 5 * kSearchBufferBytes) {
            std::string line(random() % 300, 'a');
            if (random() % 9 == 0) line += "needle";
            content += line + "\n";
            lines.push_back(std::move(line));
        }
        std::string expected;
        std::vector<char> shown(lines.size(), ' ');
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (lines[i].find("needle") == std::string::npos) continue;
            for (std::size_t j = i - std::min(i, options.before);
                 j <= std::min(lines.size() - 1, i + options.after); ++j) {
                if (shown[j] == ' ') shown[j] = '-';
            }
            shown[i] = ':';
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (shown[i] != ' ') expected += std::to_string(i + 1) + shown[i] + lines[i] + "\n";
        }
        EXPECT_TRUE(search("needle", content, options).text == expected);
        EXPECT_TRUE(search("n[e]+dle", content, options).text == expected);
    }
}

TEST_F(SearcherTest, parts_together_are_the_whole) {
    std::mt19937 random(12);
    std::string content;
    while (content.size() < 300000) {
        content += std::string(random() % 400, 'a') + (random() % 3 == 0 ? "needle\n" : "\n");
    }
    const std::string whole = search("needle", content, {0, 0, false}).text;
    for (const std::uint64_t part : {1000U, 4096U, 100000U, 299999U}) {
        std::string joined;
        std::uint64_t newlines = 0;
        for (std::uint64_t begin = 0; begin < content.size(); begin += part) {
            const auto answer =
                search("needle", content, {0, 0, false}, {}, {0, begin, begin + part});
            joined += answer.text;
            newlines += search("needle", content, {}, {}, {0, begin, begin + part}).report.newlines;
        }
        EXPECT_TRUE(joined == whole) << part;
        EXPECT_EQ(newlines,
                  static_cast<std::uint64_t>(std::count(content.begin(), content.end(), '\n')));
    }
}

TEST_F(SearcherTest, a_long_line_is_one_line) {
    const std::string longer(3 * kSearchBufferBytes, 'x');
    const auto answer = search("needle", "a\n" + longer + "needle" + longer + "\nneedle\n");
    EXPECT_TRUE(answer.text == "2:" + longer + "needle" + longer + "\n3:needle\n");
}

TEST_F(SearcherTest, a_line_without_end_is_given_up) {
    const std::string endless(limits::kSearchLineBytesMax + 10, 'x');
    const auto answer = search("needle", "needle\n" + endless + "\nneedle\n");
    EXPECT_EQ(answer.report.end, FileReport::End::kLineTooLong);
    EXPECT_TRUE(answer.report.matched);
}

TEST_F(SearcherTest, a_nul_ends_the_text) {
    using namespace std::literals;
    const auto before = search("foo", "foo\n\0bar foo\n"sv);
    EXPECT_TRUE(before.report.binary && before.report.matched);
    const auto behind = search("foo", "bar\n\0\nfoo\n"sv);
    EXPECT_TRUE(behind.report.binary);
    EXPECT_FALSE(behind.report.matched);
    EXPECT_FALSE(search("foo", "bar\0"sv).report.matched);
    // In a later buffer.
    const std::string filler(3 * kSearchBufferBytes, '\n');
    EXPECT_TRUE(search("foo", "foo\n" + filler + std::string(1, '\0')).report.binary);
    EXPECT_FALSE(search("foo", filler + std::string(1, '\0') + filler + "foo\n").report.matched);
}

TEST_F(SearcherTest, byte_order_marks) {
    EXPECT_EQ(search("^foo",
                     "\xef\xbb\xbf"
                     "foo\n")
                  .text,
              "1:foo\n");
    using namespace std::literals;
    EXPECT_EQ(search("^f.o$",
                     "\xff\xfe"
                     "f\0\xe4\0o\0\n\0"sv)
                  .text,
              "1:f\xc3\xa4o\n");
    EXPECT_EQ(search("^foo$",
                     "\xfe\xff"
                     "\0x\0\n\0f\0o\0o"sv)
                  .text,
              "2:foo\n");
    EXPECT_EQ(search("\xf0\x9f\x98\x80", "\xff\xfe\x3d\xd8\x00\xde"sv).text,
              "1:\xf0\x9f\x98\x80\n");
}

TEST_F(SearcherTest, the_sink_stops_the_search) {
    const auto answer = search("a", "a\na\na\n", {}, {}, {}, 2);
    EXPECT_EQ(answer.text, "1:a\n2:a\n");
    EXPECT_EQ(answer.report.end, FileReport::End::kStopped);
}

TEST_F(SearcherTest, matches_across_lines) {
    const MatchOptions multiline{.multiline = true};
    EXPECT_EQ(search("b\nc", "a\nb\nc\nd\n", {1, 1}, multiline).text, "1-a\n2:b\n3:c\n4-d\n");
    EXPECT_EQ(search("a.b", "a\nb\n", {}, multiline).text, "");
    EXPECT_EQ(search("(?s)a.b", "a\nb\n", {}, multiline).text, "1:a\n2:b\n");
    EXPECT_EQ(search("b\nc|a", "a b\nc\n", {}, multiline).text, "1:a b\n2:c\n");
    EXPECT_EQ(search("b\n", "b\nc\nb", {}, multiline).text, "1:b\n");
    EXPECT_EQ(search("^$", "a\n\nb\n", {}, multiline).text, "2:\n");
    EXPECT_EQ(search("x*", "a\nb", {}, multiline).text, "1:a\n2:b\n");
    EXPECT_EQ(search("a", "", {}, multiline).text, "");
}

// Alternatives that match nothing here, so that little text is searched at once.
std::string large_pattern(std::string_view pattern) {
    std::string large(pattern);
    large += "|";
    for (int i = 0; i < 20; ++i) large += "[p-z]{1000}";
    return large;
}

TEST_F(SearcherTest, pieces_of_long_lines_hide_no_short_match) {
    std::mt19937 random(13);
    const std::size_t piece = Matcher::compile(large_pattern("a"), {}).value().bytes_at_once();
    ASSERT_LT(piece, 10000U);
    std::string content;
    for (int i = 0; i < 300; ++i) {
        std::string line(random() % (i % 10 == 0 ? 10 * piece : piece / 2), 'a');
        if (i % 3 == 0) line.insert(random() % (line.size() + 1), " needle ");
        content += line + "\n";
    }
    for (const char* pattern : {"needle", "\\bn.{4}e\\b", "(?:^|a) needle (?:$|a)"}) {
        const auto expected = search(pattern, content, {1, 2});
        const auto answer = search(large_pattern(pattern), content, {1, 2});
        EXPECT_TRUE(answer.text == expected.text) << pattern;
        EXPECT_FALSE(expected.report.in_pieces);
        EXPECT_TRUE(answer.report.in_pieces) << "of lines without a match";
    }
    const MatchOptions multiline{.multiline = true};
    for (const char* pattern : {"needle", "dle a{0,400}\\n", "a\\na{1,9}", "needle[^b]{1,40}"}) {
        const auto expected = search(pattern, content, {1, 0}, multiline);
        const auto answer = search(large_pattern(pattern), content, {1, 0}, multiline);
        EXPECT_TRUE(answer.text == expected.text) << pattern;
        EXPECT_TRUE(answer.report.in_pieces);
    }
}

TEST_F(SearcherTest, only_what_may_be_missing_is_said_to_be_searched_in_pieces) {
    const std::string longer(100000, 'a');
    EXPECT_FALSE(search(large_pattern("a$"), longer).report.in_pieces) << "found";
    EXPECT_FALSE(search("b" + large_pattern("").substr(1), longer).report.in_pieces)
        << "no match without a b";
    EXPECT_FALSE(search(large_pattern("b"), "aaa\naaa\n").report.in_pieces) << "short lines";
    const std::string literal = "b" + std::string(60000, 'a') + "b";
    const auto answer = search(literal, longer + literal + longer, {}, {.literal = true});
    EXPECT_TRUE(answer.report.matched && !answer.report.in_pieces);
    EXPECT_FALSE(search(literal, longer + longer, {}, {.literal = true}).report.in_pieces);
}

// Says stop when it is asked for the last time.
class CountedInterruption final : public Interruption {
public:
    explicit CountedInterruption(std::size_t most = SIZE_MAX)
        : Interruption(std::nullopt, {}), most_(most) {}

    bool requested() noexcept override {
        if (++asks == most_) request(Cause::kCancelled);
        return Interruption::requested();
    }
    std::size_t asks = 0;

private:
    std::size_t most_;
};

TEST_F(SearcherTest, it_asks_for_an_interruption_between_all_calls_that_may_take_long) {
    const std::string pattern = large_pattern("x");
    const std::string one_line(400000, 'a');
    std::string many_lines;
    while (many_lines.size() < one_line.size()) many_lines += std::string(99, 'a') + "\n";
    for (const bool multiline : {false, true}) {
        const auto matcher = Matcher::compile(pattern, {.multiline = multiline}).value();
        for (const std::string& content : {one_line, many_lines}) {
            os_write(ws("file"), content);
            const auto fd = sys::openat(AT_FDCWD, ws("file").c_str(), O_RDONLY).value();
            const auto search = [&](CountedInterruption& interruption) {
                CollectLines collect;
                return Searcher(matcher, {}, interruption)
                    .search(fd.get(), {content.size()}, collect)
                    ->end;
            };
            CountedInterruption never;
            EXPECT_EQ(search(never), FileReport::End::kComplete);
            EXPECT_GE(never.asks, content.size() / matcher.bytes_at_once());
            CountedInterruption soon(50);
            EXPECT_EQ(search(soon), FileReport::End::kInterrupted);
            EXPECT_LE(soon.asks, 52U);
        }
    }
}

TEST_F(SearcherTest, an_interruption_ends_it) {
    os_write(ws("file"), "a\n");
    const auto fd = sys::openat(AT_FDCWD, ws("file").c_str(), O_RDONLY).value();
    const auto matcher = Matcher::compile("a", {}).value();
    Interruption interruption(std::nullopt, {});
    interruption.request(Interruption::Cause::kCancelled);
    Searcher searcher(matcher, {}, interruption);
    CollectLines collect;
    EXPECT_EQ(searcher.search(fd.get(), {2}, collect)->end, FileReport::End::kInterrupted);
    EXPECT_EQ(collect.count, 0U);
}

}  // namespace
}  // namespace paddock::search
