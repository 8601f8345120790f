#include "search/literal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>

#include "search/literal_set.h"

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
}  // namespace paddock::search
