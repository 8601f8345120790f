#include "base/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

using namespace paddock;

namespace {

std::string repaired(std::string_view text) {
    std::string out;
    append_repaired(out, text);
    return out;
}

std::string encoded(char32_t value) {
    std::string text;
    append_utf8(text, value);
    return text;
}

TEST(Utf8, every_character_makes_the_round_trip) {
    for (char32_t value = 0; value <= 0x10FFFF; ++value) {
        if (value == 0xD800) value = 0xE000;
        const std::string text = encoded(value);
        const Character character = first_character(text);
        ASSERT_TRUE(character.valid);
        ASSERT_EQ(character.value, value);
        ASSERT_EQ(character.length, text.size());
        ASSERT_TRUE(is_utf8(text));
        for (std::size_t cut = 1; cut < text.size(); ++cut) {
            const Character part = first_character(std::string_view(text).substr(0, cut));
            ASSERT_TRUE(part.cut && !part.valid && part.length == cut);
        }
    }
    EXPECT_EQ(encoded(0xD800), encoded(kReplacement));
    EXPECT_EQ(encoded(0x110000), encoded(kReplacement));
}

// What is no encoding of a character is not accepted: the four-byte sequences by their number.
TEST(Utf8, nothing_else_is_valid) {
    std::size_t valid = 0;
    std::string text(4, '\0');
    for (unsigned lead = 0xC0; lead < 0x100; ++lead) {
        for (unsigned second = 0x70; second < 0xD0; ++second) {
            for (unsigned third = 0x7F; third < 0xC1; ++third) {
                for (const unsigned fourth : {0x41U, 0x7FU, 0x80U, 0xBFU, 0xC0U}) {
                    const unsigned bytes[] = {lead, second, third, fourth};
                    for (std::size_t i = 0; i < 4; ++i) text[i] = static_cast<char>(bytes[i]);
                    const Character character = first_character(text);
                    const bool decoded = character.valid;
                    ASSERT_EQ(decoded, valid_utf8_prefix(text) > 0);
                    if (!decoded) continue;
                    ASSERT_EQ(encoded(character.value), text.substr(0, character.length));
                    valid += character.length == 4 ? 1 : 0;
                }
            }
        }
    }
    EXPECT_EQ(valid, 0x100000U / 32) << "planes 1 to 16, two of 64 last bytes";
}

TEST(Utf8, finds_the_first_fault_wherever_it_lies) {
    const std::string good = "na\xC3\xAFve \xE2\x82\xAC \xF0\x9F\x90\xB4 ";
    for (std::size_t before = 0; before < 80; ++before) {
        for (std::size_t after = 0; after < 40; after += 13) {
            const std::string start = std::string(before, 'a') + good;
            const std::string text = start + "\xFF" + std::string(after, 'a');
            ASSERT_EQ(valid_utf8_prefix(text), start.size());
            ASSERT_FALSE(is_utf8(text));
            ASSERT_TRUE(is_utf8(start + std::string(after, 'a')));
        }
    }
    EXPECT_TRUE(is_utf8(""));
}

TEST(Utf8, repairs_as_unicode_recommends) {
    EXPECT_EQ(repaired("a\xF1\x80\x80\xE1\x80\xC2"
                       "b\x80"
                       "c\x80\xBF"
                       "d"),
              "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
              "b\xEF\xBF\xBD"
              "c\xEF\xBF\xBD\xEF\xBF\xBD"
              "d");
    EXPECT_EQ(repaired("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD") << "surrogate";
    EXPECT_EQ(repaired("\xE2\x82"), "\xEF\xBF\xBD");
    std::string out = "x";
    EXPECT_EQ(append_repaired(out, "a\xFF\xFE"), 2U);
    EXPECT_EQ(append_repaired(out, "abc"), 0U);
    EXPECT_EQ(out,
              "xa\xEF\xBF\xBD\xEF\xBF\xBD"
              "abc");
}

TEST(Utf8, cuts_between_characters) {
    const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x90\xB4";
    const std::vector<std::size_t> lengths = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (std::size_t most = 0; most < lengths.size(); ++most) {
        EXPECT_EQ(cut_utf8(text, most).size(), lengths[most]) << most;
    }
    const std::string junk(9, '\x80');
    EXPECT_EQ(cut_utf8(junk, 5).size(), 5U) << "bytes that are no characters are cut anywhere";
    EXPECT_EQ(cut_utf8("\xE2\x82\xE2\x82\xAC", 3).size(), 2U);
}

TEST(Utf8, repaired_text_is_valid_and_cuts_stay_valid) {
    static const std::vector<std::string> pieces = {"a",        "\xC3\xA9", "\xE2\x82\xAC",
                                                    "\xC3",     "\x80",     "\xF0\x9F\x90\xB4",
                                                    "\xE2\x82", "\xF0",     "\xFF"};
    std::mt19937 random(5);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (auto left = random() % 8; left > 0; --left) text += pieces[random() % pieces.size()];
        const std::string whole = repaired(text);
        ASSERT_TRUE(is_utf8(whole));
        if (is_utf8(text)) {
            ASSERT_EQ(whole, text);
        }
        const std::string_view cut = cut_utf8(whole, random() % 12);
        ASSERT_TRUE(is_utf8(cut) && whole.starts_with(cut));
    }
}

}  // namespace
