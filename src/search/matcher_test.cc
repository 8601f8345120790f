#include "search/matcher.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <random>

#include <paddock/limits.h>

namespace paddock::search {
namespace {

using Lines = std::vector<std::string>;

Lines lines_matching(std::string_view pattern, std::string_view text, MatchOptions options = {}) {
    const auto matcher = Matcher::compile(pattern, options);
    if (!matcher) return {"error: " + matcher.error().message()};
    Lines lines;
    std::size_t from = 0;
    while (const auto line = matcher->next_line(text, from)) {
        lines.emplace_back(text.substr(line->begin, line->end - line->begin));
        from = line->end + 1;
    }
    return lines;
}

Code code_of(std::string_view pattern, MatchOptions options = {}) {
    const auto matcher = Matcher::compile(pattern, options);
    return matcher ? Code::kInternal : matcher.error().code;
}

TEST(Matcher, each_matching_line_once) {
    const std::string text = "one foo\ntwo\nfoo foo\n\nlast foo";
    EXPECT_EQ(lines_matching("foo", text), (Lines{"one foo", "foo foo", "last foo"}));
    EXPECT_EQ(lines_matching("f[o]+", text), (Lines{"one foo", "foo foo", "last foo"}));
    EXPECT_EQ(lines_matching("^$", text), Lines{""});
    EXPECT_EQ(lines_matching("o$", text), (Lines{"one foo", "two", "foo foo", "last foo"}));
    EXPECT_EQ(lines_matching("x*", "a\nb\n"), (Lines{"a", "b"}));
    EXPECT_EQ(lines_matching("x*", ""), Lines{});
    EXPECT_EQ(lines_matching("^", "\n"), Lines{""});
}

TEST(Matcher, a_match_stays_in_its_line) {
    EXPECT_EQ(lines_matching("a\\s+b", "a\nb\na b\n"), Lines{"a b"});
    EXPECT_EQ(lines_matching("a[^x]b", "a\nb\na.b\n"), Lines{"a.b"});
    EXPECT_EQ(lines_matching("(?s)a.b", "a\nb\n"), Lines{});
    EXPECT_EQ(lines_matching("\\s", "\n\n"), Lines{});
}

TEST(Matcher, text_is_not_a_pattern) {
    const MatchOptions literal{.literal = true};
    EXPECT_EQ(lines_matching("a.b(", "axb(\na.b(\n", literal), Lines{"a.b("});
    EXPECT_EQ(lines_matching("-v", "-v\nv\n", literal), Lines{"-v"});
    EXPECT_EQ(lines_matching("\xff\xfe", "a\n\xff\xfe\n", literal), Lines{"\xff\xfe"});
    EXPECT_EQ(lines_matching("A.B", "a.b\naxb\n", {.literal = true, .ignore_case = true}),
              Lines{"a.b"});
    EXPECT_EQ(lines_matching("", "a\nb\n", literal), (Lines{"a", "b"}));
}

TEST(Matcher, case_is_folded_as_unicode_says) {
    const MatchOptions either{.ignore_case = true};
    EXPECT_EQ(lines_matching("kelvin",
                             "\xe2\x84\xaa"
                             "ELVIN\nKelvin\n",
                             either)
                  .size(),
              2U);
    EXPECT_EQ(lines_matching("\xc3\xa9t\xc3\xa9", "\xc3\x89T\xc3\x89\n", either).size(), 1U);
    EXPECT_EQ(lines_matching("straw", "\xc5\xbftraw\nSTRAW\n", either).size(), 2U);
}

TEST(Matcher, words) {
    const MatchOptions words{.words = true};
    EXPECT_EQ(lines_matching("foo", "foobar\na foo.\n", words), Lines{"a foo."});
    EXPECT_EQ(lines_matching("a|b", "ab\nb\n", words), Lines{"b"});
    EXPECT_EQ(code_of("a)(b", words), Code::kInvalidArgument);
    EXPECT_EQ(lines_matching("->b", "a->b\na ->b;\n->bc\n", words), Lines{"a ->b;"});
    EXPECT_EQ(lines_matching("na", "na\xc3\xafve\n\xe2\x80\x9cna\xe2\x80\x9d\n", words),
              Lines{"\xe2\x80\x9cna\xe2\x80\x9d"})
        << "letters and quotes of other scripts";
    const auto across = Matcher::compile("b\nc", {.words = true, .multiline = true});
    EXPECT_EQ(across->next_match("a\nb\nc\nd", 0)->begin, 2U) << "in its own lines";
}

TEST(Matcher, errors_name_the_part_and_the_way_out) {
    for (const char* pattern : {"foo(", "a)b", "[z-a]", "a**", "*", "\\", "(?=a)", "\\1", "[",
                                "a{1001}", "\xff", "(?P<n", "a(b"}) {
        EXPECT_EQ(code_of(pattern), Code::kInvalidArgument) << pattern;
    }
    const auto error = Matcher::compile("foo(", {}).error();
    EXPECT_EQ(error.message(),
              "invalid_argument: pattern 'foo(': has a ( that is not closed. Write \\( for a "
              "parenthesis, or set 'literal' for plain text. Correct the call.");
    EXPECT_EQ(code_of("a\\nb"), Code::kInvalidArgument);
    EXPECT_EQ(code_of("a\\nb", {.multiline = true}), Code::kInternal);
    EXPECT_EQ(code_of("a\nb", {.literal = true}), Code::kInvalidArgument);
}

TEST(Matcher, memory_is_bounded) {
    EXPECT_EQ(code_of("((((a{100}){100}){100}){100})"), Code::kInvalidArgument);
    std::string large;
    for (int i = 0; i < 400; ++i) large += "(\\pL{0,99}x)";
    EXPECT_EQ(code_of(large), Code::kLimitReached);
    EXPECT_EQ(code_of(std::string(limits::kPatternBytesMax + 1, 'a')), Code::kLimitReached);
}

TEST(Matcher, a_hostile_pattern_takes_linear_time) {
    const std::string text = std::string(200000, 'a') + "\n";
    EXPECT_EQ(lines_matching("(a*)*(a|aa)+$x", text), Lines{});
    EXPECT_EQ(lines_matching("(x+x+)+y", std::string(200000, 'x')), Lines{});
}

std::string repeated(std::string_view part, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += part;
    return all;
}

TEST(Matcher, what_costs_too_much_for_each_byte_is_refused) {
    const auto error = Matcher::compile(repeated("(?:[ab]{1000})", 60) + "[xy]", {}).error();
    EXPECT_EQ(error.code, Code::kLimitReached);
    EXPECT_NE(error.message().find("repeat less often"), std::string::npos) << error.message();
    EXPECT_EQ(code_of(std::string(65000, 'a')), Code::kLimitReached);
    EXPECT_EQ(code_of(std::string(65000, 'a'), {.literal = true}), Code::kInternal);
}

TEST(Matcher, a_call_is_given_less_the_larger_the_pattern_is) {
    const auto bytes_at_once = [](std::string_view pattern, MatchOptions options = {}) {
        return Matcher::compile(pattern, options).value().bytes_at_once();
    };
    for (const char* ordinary :
         {"foo", "foo.*bar", "\\bfn\\s+\\w+\\(", "(?i)error|warning", ".{0,50}x"}) {
        EXPECT_GT(bytes_at_once(ordinary), kSearchBufferBytes) << ordinary;
    }
    EXPECT_GT(bytes_at_once("foo", {.words = true}), 400000U);
    const std::string large = repeated("[ab]{1000}", 30);
    EXPECT_LE(bytes_at_once(large), (std::size_t{1} << 27) / 30000);
    EXPECT_GT(bytes_at_once(large), 2000U);
    // One string is compared fast, and has to fit twice.
    EXPECT_EQ(bytes_at_once(std::string(65536, 'a'), {.literal = true}), 131072U);
}

TEST(Matcher, what_stands_around_a_part_counts) {
    const auto found = [](std::string_view pattern, std::size_t from, std::size_t end) {
        const auto matcher = Matcher::compile(pattern, {}).value();
        return matcher.next_match("one two\nthree", from, end).has_value();
    };
    EXPECT_TRUE(found("ne", 1, 3));
    EXPECT_FALSE(found("one", 1, 8)) << "it begins before";
    EXPECT_FALSE(found("one", 0, 2)) << "it ends behind";
    EXPECT_FALSE(found("^n", 1, 8));
    EXPECT_FALSE(found("[nt]w$", 0, 6));
    EXPECT_TRUE(found("[nt]wo$", 0, 7));
    EXPECT_FALSE(found("\\bn", 1, 8));
    EXPECT_TRUE(found("\\bt", 4, 8));
    EXPECT_FALSE(found("thre\\b", 8, 12));
}

TEST(Matcher, spans_across_lines) {
    const std::string text = "struct a {\n  int b;\n};\nint b;\n";
    const auto matcher = Matcher::compile("\\{\\s+int", {.multiline = true});
    ASSERT_TRUE(matcher.has_value());
    const auto span = matcher->next_match(text, 0);
    ASSERT_TRUE(span.has_value());
    EXPECT_EQ(text.substr(span->begin, span->end - span->begin), "{\n  int");
    EXPECT_FALSE(matcher->next_match(text, span->end).has_value());
    const auto literal = Matcher::compile(";\n}", {.literal = true, .multiline = true});
    EXPECT_EQ(literal->next_match(text, 0)->begin, text.find(";\n}"));
}

// With the prefilter and without, by RE2 on each line: the same lines.
TEST(Matcher, finds_what_re2_finds_line_by_line) {
    const std::vector<std::string> patterns = {
        "abc",      "a.c",       "[ab]+c", "\\bab\\b",   "^a",       "c$",     "a|bc|c_",
        "(ab|c_)+", "\\w+_\\w+", "_a",     "[^a]b",      "\\d",      "\\.",    "a{2,}",
        "b{2}",     "(?i)ABC",   "\\s",    "\\p{Greek}", "\xce\xb1", "[^ -~]", "",
        "ab?c",     "\\Bb",      "a\\b.",  "(a|b)(c|_)", "\\pL\\d",  "x",      "_+$",
    };
    std::mt19937 random(7);
    for (int round = 0; round < 30; ++round) {
        std::string text;
        for (int i = 0; i < 3000; ++i) {
            const std::string letters = "abc_  \n1.AB";
            text += random() % 60 == 0 ? "\xce\xb1" : std::string(1, letters[random() % 11]);
        }
        for (const std::string& pattern : patterns) {
            Lines expected;
            const RE2 engine("(?m)" + pattern, RE2::Quiet);
            std::string_view rest = text;
            while (!rest.empty()) {
                const std::string_view line = rest.substr(0, rest.find('\n'));
                rest.remove_prefix(std::min(line.size() + 1, rest.size()));
                if (RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), engine)) {
                    expected.emplace_back(line);
                }
            }
            EXPECT_EQ(lines_matching(pattern, text), expected) << pattern;
        }
    }
}

}  // namespace
}  // namespace paddock::search
