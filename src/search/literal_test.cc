#include "search/literal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>

#include <re2/re2.h>

namespace paddock::search {
namespace {

std::string lower(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return text;
}

std::string random_text(std::mt19937& random, std::size_t size, std::string_view letters) {
    std::string text(size, ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    return text;
}

TEST(Literal, finds_what_string_find_finds) {
    std::mt19937 random(2);
    for (int i = 0; i < 3000; ++i) {
        const std::string text = random_text(random, random() % 300, "abAB_\xc3\xa9");
        const std::string needle = random_text(random, 1 + random() % 5, "abAB_\xc3\xa9");
        const std::size_t from = random() % (text.size() + 2);
        EXPECT_EQ(Literal(needle).find(text, from), text.find(needle, from)) << needle;
        EXPECT_EQ(Literal(needle, Case::kAsciiInsensitive).find(text, from),
                  lower(text).find(lower(needle), from))
            << needle << " in " << text;
    }
}

TEST(Literal, only_letters_have_two_cases) {
    // Bytes that differ from these in the bit that tells the cases of letters apart.
    EXPECT_EQ(Literal("[@", Case::kAsciiInsensitive).find("{`"), std::string_view::npos);
    EXPECT_EQ(Literal("_x", Case::kAsciiInsensitive).find("\x7fX_X"), 2U);
}

TEST(Literal, reads_only_its_text) {
    const std::string text = "needl";
    EXPECT_EQ(Literal("needle").find(std::string_view(text).substr(0, 5)), std::string_view::npos);
    EXPECT_EQ(Literal("needle").find(""), std::string_view::npos);
}

std::size_t first_of(const std::string& text, const std::vector<std::string>& needles,
                     std::size_t from) {
    std::size_t first = std::string::npos;
    for (const std::string& needle : needles) first = std::min(first, text.find(needle, from));
    return first;
}

TEST(LiteralSet, finds_the_first_of_all) {
    std::mt19937 random(3);
    for (int i = 0; i < 3000; ++i) {
        const std::string text = random_text(random, random() % 300, "abcABC__..");
        std::vector<std::string> needles(1 + random() % 20);
        for (std::string& needle : needles) {
            needle = random_text(random, 2 + random() % 5, "abcABC_");
        }
        if (i % 3 == 0) needles.front() = needles.front().substr(0, 1);
        const std::size_t from = random() % (text.size() + 2);
        EXPECT_EQ(LiteralSet(needles, Case::kSensitive).find(text, from),
                  first_of(text, needles, from));
        for (std::string& needle : needles) needle = lower(needle);
        EXPECT_EQ(LiteralSet(needles, Case::kAsciiInsensitive).find(text, from),
                  first_of(lower(text), needles, from));
    }
}

TEST(LiteralSet, common_beginnings_do_not_hide_the_differences) {
    const LiteralSet set({"CONFIG_FOO", "CONFIG_BAR", "CONFIG_QUX"}, Case::kSensitive);
    EXPECT_EQ(set.find("CONFIG_BAZ CONFIG_QUX"), 11U);
    EXPECT_EQ(set.find("CONFIG_QU"), std::string_view::npos);
}

}  // namespace

namespace {

using Strings = std::vector<std::string>;

Required of(std::string_view pattern, Case letters = Case::kSensitive) {
    return required_by(pattern, letters);
}

TEST(Required, text_is_all_that_is_needed) {
    EXPECT_EQ(of("foo").literals, Strings{"foo"});
    EXPECT_TRUE(of("foo").exact);
    EXPECT_EQ(of("a\\.b\\t").literals, Strings{"a.b\t"});
    EXPECT_EQ(of("foo|bar").literals, (Strings{"bar", "foo"}));
    EXPECT_TRUE(of("foo|bar").exact);
    EXPECT_EQ(of("(?:a|b)c").literals, (Strings{"ac", "bc"}));
    EXPECT_EQ(of("colou?r").literals, (Strings{"color", "colour"}));
    EXPECT_EQ(of("[Ff]oo").literals, (Strings{"Foo", "foo"}));
    EXPECT_EQ(of("(ab){2}").literals, Strings{"abab"});
    EXPECT_EQ(of("\xce\xb1\xce\xb2").literals, Strings{"\xce\xb1\xce\xb2"});
}

TEST(Required, the_rarest_run_stands_for_the_rest) {
    const auto inner = of("[A-Z]+_RESUME");
    EXPECT_EQ(inner.literals, Strings{"_RESUME"});
    EXPECT_FALSE(inner.exact);
    EXPECT_EQ(of("\\w+ = kmem_cache\\(").literals, Strings{" = kmem_cache("});
    EXPECT_EQ(of("e.*xylophone").literals, Strings{"xylophone"});
    EXPECT_EQ(of("(foo|bar.)+x*").literals, (Strings{"bar", "foo"}));
    EXPECT_EQ(of("a{2,}bcd").literals, Strings{"bcd"});
}

TEST(Required, an_assertion_needs_the_engine) {
    EXPECT_EQ(of("\\bfoo\\b").literals, Strings{"foo"});
    EXPECT_FALSE(of("\\bfoo\\b").exact);
    EXPECT_FALSE(of("^foo").exact);
    EXPECT_FALSE(of("(?:^|x)foo").exact);
}

TEST(Required, nothing_is_known) {
    for (const char* pattern :
         {"", "\\w+", "a*", "foo|.", "(foo)?", "x{0,3}", ".", "[a-z]", "foo|", "(?i:foo)bar(?i)",
          "\\Qfoo\\E", "\\Cfoo", "\\101", "(?si)foo", "^", "(foo|)"}) {
        EXPECT_FALSE(of(pattern).useful()) << pattern;
        EXPECT_FALSE(of(pattern).exact) << pattern;
    }
}

TEST(Required, letters_without_case_leave_out_those_with_a_third_form) {
    const auto folded = of("task_Struct", Case::kAsciiInsensitive);
    EXPECT_EQ(folded.literals, Strings{"truct"});
    EXPECT_FALSE(folded.exact);
    EXPECT_TRUE(of("foo", Case::kAsciiInsensitive).exact);
    EXPECT_EQ(of("(?i)foo").letters, Case::kAsciiInsensitive);
    EXPECT_FALSE(of("sks", Case::kAsciiInsensitive).useful());
    EXPECT_FALSE(of("\xce\xb1", Case::kAsciiInsensitive).useful());
}

TEST(Required, classes_beyond_ascii) {
    EXPECT_TRUE(of("\\p{Greek}").non_ascii);
    EXPECT_TRUE(of("x?[\xce\xb1-\xcf\x89]+").non_ascii);
    EXPECT_TRUE(of("[^\\x00-\\x7F]").non_ascii);
    EXPECT_FALSE(of("\\p{Lu}").non_ascii);
    EXPECT_FALSE(of("\\P{Greek}").non_ascii);
    EXPECT_FALSE(of("\\p{Greek}|a.").useful());
}

TEST(Required, a_spelled_line_feed_is_noticed) {
    EXPECT_TRUE(of("a\\nb").newline);
    EXPECT_TRUE(of("a\nb").newline);
    EXPECT_TRUE(of("a(\\n)?").newline);
    EXPECT_FALSE(of("a[\\n]b").newline);
    EXPECT_FALSE(of("a\\sb").newline);
}

TEST(Required, hostile_patterns_end) {
    EXPECT_FALSE(of(std::string(900, '(') + "a" + std::string(900, ')')).useful());
    std::string product;
    for (int i = 0; i < 200; ++i) product += "(a|b)";
    EXPECT_FALSE(of(product).exact);
    std::string alternatives = "a0";
    for (int i = 1; i < 2000; ++i) alternatives += "|a" + std::to_string(i);
    EXPECT_FALSE(of(alternatives).useful());
    for (const char* cut : {"[", "[^", "(", "(?", "\\", "\\p", "\\p{", "[[:", "(?P<", "a{2"}) {
        of(cut);
    }
}

// Random patterns, random texts: whatever RE2 matches must contain what was said to be required,
// and if that was said to be exact, RE2 must match whatever contains it.
TEST(Required, never_contradicts_the_engine) {
    const std::vector<std::string> pieces = {
        "a",          "b",     "K",           "s",     "_",        ".",     "\\.",  "[ab]",
        "[^a]",       "[a-c]", "\\w",         "\\d",   "\\b",      "^",     "$",    "(a|b)",
        "(?:ab|a_|)", "*",     "+",           "?",     "{2}",      "{1,2}", "{0}",  "{2,}",
        "|",          "(",     ")",           "\\x41", "\xc3\xa9", "[_k]",  "(?i)", "(?s)",
        "{,2}",       "[]a]",  "[[:alpha:]]", "\\pL",  "\\n",      "]",     "}",    "-",
    };
    std::mt19937 random(5);
    int useful = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string pattern;
        for (auto n = 1 + random() % 6; n > 0; --n) pattern += pieces[random() % pieces.size()];
        const Case letters = i % 2 == 0 ? Case::kSensitive : Case::kAsciiInsensitive;
        RE2::Options options(RE2::Quiet);
        options.set_case_sensitive(letters == Case::kSensitive);
        const RE2 engine("(?m)" + pattern, options);
        if (!engine.ok()) continue;
        const Required required = of(pattern, letters);
        if (!required.useful()) continue;
        ++useful;
        for (int j = 0; j < 20; ++j) {
            const std::string letters_used = "abkKsSAB_.]-}1\xc3\xa9 ";
            std::string text;
            for (auto n = random() % 12; n > 0; --n) {
                text += letters_used[random() % letters_used.size()];
            }
            if (random() % 8 == 0) text += "\xe2\x84\xaa";  // the third form of k
            bool contains = false;
            for (const std::string& literal : required.literals) {
                contains = contains || Literal(literal, required.letters).find(text) != text.npos;
            }
            for (const char c : text) {
                if (required.non_ascii) contains = contains || static_cast<unsigned char>(c) > 127;
            }
            const bool matches = RE2::PartialMatch(text, engine);
            EXPECT_FALSE(matches && !contains) << pattern << " in " << text;
            if (required.exact) {
                EXPECT_EQ(matches, contains) << pattern << " in " << text;
            }
        }
    }
    EXPECT_GT(useful, 2000);
}

}  // namespace
}  // namespace paddock::search
