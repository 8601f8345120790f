#include "secrets/known_values.h"

#include <gtest/gtest.h>

#include <paddock/limits.h>

#include "secrets/scanner.h"

using namespace paddock;
using namespace paddock::secrets;

namespace {

SecretScanner knowing(const std::string& value) {
    const std::vector<KnownSecret> known = {{"MINE", value}};
    return SecretScanner::create(known).value();
}

std::string redacted(const SecretScanner& scanner, std::string text) {
    scanner.redact(text);
    return text;
}

std::string base64(std::string_view bytes, std::string_view last_two) {
    const std::string digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + std::string(last_two);
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned bits = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            bits =
                bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63U];
        }
    }
    return out;
}

TEST(KnownSecrets, finds_the_plain_value_anywhere) {
    const SecretScanner scanner = knowing("plain words too");
    EXPECT_EQ(redacted(scanner, "xplain words toox, plain words to"),
              "x[REDACTED:MINE]x, plain words to");
}

TEST(KnownSecrets, finds_it_inside_base64_at_every_place) {
    for (const std::string value : {"s3cr3t", "open sesame?>~", "\xff\xfe\xfd\xfc\xfb\xfa\xf9"}) {
        const SecretScanner scanner = knowing(value);
        for (const std::string_view last_two : {"+/", "-_"}) {
            for (std::size_t before = 0; before < 7; ++before) {
                for (std::size_t after = 0; after < 7; ++after) {
                    const std::string inside =
                        std::string(before, '.') + value + std::string(after, '.');
                    const std::string text = base64(inside, last_two);
                    const std::string out = redacted(scanner, text);
                    EXPECT_NE(out.find("[REDACTED:MINE]"), std::string::npos) << text;
                    // At most the two digits at each end that it shares with its neighbours stay.
                    const std::size_t stays = base64(std::string(before, '.'), last_two).size() +
                                              base64(std::string(after, '.'), last_two).size();
                    EXPECT_LE(out.size(), stays + std::string("[REDACTED:MINE]").size() + 4) << out;
                }
            }
        }
    }
}

TEST(KnownSecrets, finds_it_in_urls_and_json) {
    const SecretScanner scanner = knowing("a b/c?d=\"(e)\"\n");
    for (const std::string text :
         {"a%20b%2Fc%3Fd%3D%22%28e%29%22%0A", "a%20b%2fc%3fd%3d%22%28e%29%22%0a",
          "a%20b%2Fc%3Fd%3D%22(e)%22%0A", "a+b%2Fc%3Fd%3D%22%28e%29%22%0A",
          "a b/c?d=\\\"(e)\\\"\\n"}) {
        EXPECT_EQ(redacted(scanner, "<" + text + ">"), "<[REDACTED:MINE]>");
    }
}

// Every byte as it is or encoded, whatever the others are.
TEST(KnownSecrets, finds_it_with_any_of_its_bytes_percent_encoded) {
    const std::string value = "a b/%Z\xc3\xa9";
    const SecretScanner scanner = knowing(value);
    for (unsigned encoded = 0; encoded < 1U << value.size(); ++encoded) {
        for (const std::string digits : {"0123456789ABCDEF", "0123456789abcdef"}) {
            std::string text;
            for (std::size_t i = 0; i < value.size(); ++i) {
                const auto byte = static_cast<unsigned char>(value[i]);
                // A bare "%" among encoded bytes is what no encoder writes.
                const bool encode = (encoded >> i & 1U) != 0 || (value[i] == '%' && encoded != 0);
                text += encode ? std::string{'%', digits[byte >> 4], digits[byte & 15U]}
                               : std::string(1, value[i]);
            }
            ASSERT_EQ(redacted(scanner, "<" + text + ">"), "<[REDACTED:MINE]>") << text;
        }
    }
    for (const std::string text : {"a+b/%25Z\xc3\xa9", "%61+b%2F%25Z%C3%a9", "a%20b/%25Z%C3%A9"}) {
        EXPECT_EQ(redacted(scanner, text), "[REDACTED:MINE]") << text;
    }
    for (const std::string text : {"a%21b/%25Z%C3%A9", "a%2", "a+b/%25Z%C3", "a%2gb/%25Z%C3%A9"}) {
        EXPECT_EQ(redacted(scanner, text), text);
    }
}

TEST(KnownSecrets, finds_it_with_any_of_its_characters_escaped_as_in_json) {
    const SecretScanner scanner = knowing("aB/\"\\\n\xc3\xa9\xf0\x9f\x98\x80'");
    const std::vector<std::vector<std::string>> ways = {
        {"a", "\\u0061"},
        {"B", "\\u0042"},
        {"/", "\\/", "\\u002f", "\\u002F"},
        {"\"", "\\\"", "\\u0022"},
        {"\\\\", "\\u005c", "\\u005C"},
        {"\n", "\\n", "\\u000a"},
        {"\xc3\xa9", "\\u00e9", "\\u00E9"},
        {"\xf0\x9f\x98\x80", "\\ud83d\\ude00", "\\uD83D\\uDE00"},
        {"'", "\\'", "\\u0027"},
    };
    std::vector<std::string> texts = {""};
    for (const auto& choices : ways) {
        std::vector<std::string> longer;
        for (const std::string& text : texts) {
            for (const std::string& choice : choices) longer.push_back(text + choice);
        }
        texts = std::move(longer);
    }
    for (const std::string& text : texts) {
        ASSERT_EQ(redacted(scanner, "\"" + text + "\""), "\"[REDACTED:MINE]\"") << text;
    }
    const std::string other = "aB/\\\"\\\\\\n\\u00e8";
    EXPECT_EQ(redacted(scanner, other), other);
}

TEST(KnownSecrets, finds_each_line_of_several) {
    const SecretScanner scanner =
        knowing("first secret line\n  second/line \r\nshort\n\nthird line\n");
    EXPECT_EQ(redacted(scanner, "     1\tfirst secret line\n     2\t  second/line \n     3\tshort"),
              "     1\t[REDACTED:MINE]\n     2\t  [REDACTED:MINE] \n     3\tshort");
    EXPECT_EQ(redacted(scanner, "first secret line\r\nsecond\\/line\r\nthird%20line\r\n"),
              "[REDACTED:MINE]\r\n[REDACTED:MINE]\r\n[REDACTED:MINE]\r\n");
    EXPECT_EQ(redacted(scanner, "first secret line\n  second/line \r\nshort\n\nthird line\n"),
              "[REDACTED:MINE]");
}

// Else no other key would be known any more.
TEST(KnownSecrets, leaves_the_frame_of_a_private_key) {
    const std::string begin = std::string("-----BEGIN ") + "PRIVATE KEY-----\n";
    const std::string end = "\n-----END PRIVATE KEY-----";
    const std::string mine = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ";
    const std::string other = "MC4CAQAwBQYDK2VwBCIEIDx7rV2nQm8sYtWz5cUe3oKpLhJ1";
    const SecretScanner scanner = knowing(begin + mine + end);
    EXPECT_EQ(redacted(scanner, "7\t" + mine), "7\t[REDACTED:MINE]");
    EXPECT_EQ(redacted(scanner, begin + other + end), "[REDACTED:private-key]");
    EXPECT_EQ(redacted(scanner, begin + "..." + end), begin + "..." + end);
}

TEST(KnownSecrets, finds_it_in_quoted_file_names) {
    const SecretScanner scanner = knowing("p\xc3\xa4ss\a\tw\"\\\xff");
    EXPECT_EQ(redacted(scanner, "\"a/p\\303\\244ss\\a\\tw\\\"\\\\\\377.txt\""),
              "\"a/[REDACTED:MINE].txt\"");
    const std::string other = "\"p\\303\\245ss\\a\\tw\\\"\\\\\\377\"";
    EXPECT_EQ(redacted(scanner, other), other);
}

TEST(KnownSecrets, prefers_the_longer_value) {
    const std::vector<KnownSecret> known = {{"SHORT", "abcdef"}, {"LONG", "abcdefghijkl"}};
    const SecretScanner scanner = SecretScanner::create(known).value();
    EXPECT_EQ(redacted(scanner, "abcdefghijkl abcdefghi"), "[REDACTED:LONG] [REDACTED:SHORT]ghi");
}

TEST(KnownSecrets, is_a_border_for_shapes) {
    const SecretScanner scanner = knowing("known-value");
    const std::string token = "AKIA" + std::string("Q3EGB5WZ7LNXKJ2M");
    EXPECT_EQ(redacted(scanner, token + "known-value"), "[REDACTED:aws-access-key][REDACTED:MINE]");
}

TEST(KnownSecrets, finds_what_a_chunk_border_cuts) {
    const SecretScanner scanner = knowing("cut me anywhere");
    const std::string text = "1 cut me anywhere 2 cut me anywher 3 " +
                             base64("x cut me anywhere", "+/") +
                             " 4 cut%20me%20anywhere 5 cut+me+anywhere" +
                             " 6 c%75t me%20anywher%65 7 \\u0063ut\\u0020me anywhere";
    const std::string whole = redacted(scanner, text);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        SecretStream stream(scanner);
        std::string out;
        stream.feed(text.substr(0, cut), out);
        stream.feed(text.substr(cut), out);
        stream.finish(out);
        EXPECT_EQ(out, whole) << cut;
        EXPECT_EQ(stream.count(), 6U);
    }
}

TEST(KnownSecrets, refuses_what_it_cannot_use) {
    const auto code = [](std::string name, std::string value) {
        const std::vector<KnownSecret> known = {{std::move(name), std::move(value)}};
        const auto made = SecretScanner::create(known);
        return made ? "" : std::string(code_name(made.error().code));
    };
    EXPECT_EQ(code("GOOD_name-1.x", "123456"), "");
    EXPECT_EQ(code("MINE", "12345"), "invalid_argument");
    EXPECT_EQ(code("MINE", std::string(limits::kKnownSecretBytesMax + 1, 'x')), "invalid_argument");
    EXPECT_EQ(code("", "123456"), "invalid_argument");
    EXPECT_EQ(code("a]b", "123456"), "invalid_argument");
    const std::vector<KnownSecret> many(limits::kKnownSecretsMax + 1, {"MINE", "123456"});
    EXPECT_FALSE(SecretScanner::create(many).has_value());
}

}  // namespace
