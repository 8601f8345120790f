#include "text/encoding.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"

using namespace paddock;
using namespace paddock::text;
using namespace std::string_view_literals;

namespace {

std::string format(std::string_view head, bool is_whole = true) {
    return std::string(format_name(sniff_format(head, is_whole)));
}

// The whole through the decoder, cut into chunks of `size`; "!" and a number if there were faults.
std::string decoded(std::string_view bytes, TextFormat from, std::size_t size) {
    Decoder decoder(from);
    std::string utf8;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) {
        decoder.decode(bytes.substr(0, size), utf8);
    }
    decoder.finish(utf8);
    if (decoder.replaced() != 0) utf8 += "!" + std::to_string(decoder.replaced());
    return utf8;
}

TEST(Encoding, is_recognised_by_the_first_bytes) {
    EXPECT_EQ(format(""), "UTF-8");
    EXPECT_EQ(format("plain\n"), "UTF-8");
    EXPECT_EQ(format("na\xC3\xAFve"), "UTF-8");
    EXPECT_EQ(format("\x1b[31mred\x01"), "UTF-8") << "only NUL makes UTF-8 binary";
    EXPECT_EQ(format("\xEF\xBB\xBFx"), "UTF-8 with BOM");
    EXPECT_EQ(format("\xFF\xFEh\0i\0"sv), "UTF-16 LE with BOM");
    EXPECT_EQ(format("\xFE\xFF\0h\0i"sv), "UTF-16 BE with BOM");
    EXPECT_EQ(format("\xFF\xFE\x42\x30\x44\x30"), "UTF-16 LE with BOM") << "no ASCII in it";
    EXPECT_EQ(format("w\0o\0r\0d\0\n\0"sv), "UTF-16 LE");
    EXPECT_EQ(format("\0w\0o\0r\0d\0\n"sv), "UTF-16 BE");
    EXPECT_EQ(format("na\xEFve\n"), "Latin-1");
}

TEST(Encoding, binary_is_not_taken_for_text) {
    EXPECT_EQ(format("a\0b"sv), "binary");
    EXPECT_EQ(format("\xEF\xBB\xBF\0"sv), "binary");
    EXPECT_EQ(format("na\xEFve\x01"), "binary");
    EXPECT_EQ(format("\xFF\xFE\0\0h\0\0\0"sv), "binary") << "UTF-32";
    EXPECT_EQ(format("\xFF\xFEh\0\x01\0"sv), "binary");
    EXPECT_EQ(format("\xFF\xFEh\0\0\xD8"sv), "binary") << "half a surrogate pair at the end";
    EXPECT_EQ(format("\xFF\xFEh\0i"sv), "binary") << "half a unit at the end";
    EXPECT_EQ(format("a\0b\0"sv), "binary") << "too short to be obvious";
    EXPECT_EQ(format("\x89PNG\r\n\x1A\n"), "binary");
}

TEST(Encoding, a_head_may_end_inside_a_character) {
    EXPECT_EQ(format("na\xC3"), "Latin-1");
    EXPECT_EQ(format("na\xC3", false), "UTF-8");
    EXPECT_EQ(format("na\xC3v", false), "Latin-1");
    EXPECT_EQ(format("\xFF\xFEh\0i"sv, false), "UTF-16 LE with BOM");
    EXPECT_EQ(format("\xFF\xFEh\0\0\xD8"sv, false), "UTF-16 LE with BOM");
}

TEST(Encoding, decodes_what_is_malformed_to_replacements) {
    for (std::size_t size = 1; size < 8; ++size) {
        EXPECT_EQ(decoded("a\xFF\xE2\x82", {}, size), "a\xEF\xBF\xBD\xEF\xBF\xBD!2");
        EXPECT_EQ(decoded("\xE2\x82z", {}, size), "\xEF\xBF\xBDz!1");
        EXPECT_EQ(decoded("\0\xDCz\0\0\xD8z\0z"sv, {Encoding::kUtf16Le}, size),
                  "\xEF\xBF\xBDz\xEF\xBF\xBDz\xEF\xBF\xBD!3");
    }
}

TEST(Encoding, latin1_has_a_byte_for_each_of_its_characters_only) {
    EXPECT_EQ(encode("na\xC3\xAFve", Encoding::kLatin1).value(), "na\xEFve");
    EXPECT_EQ(encode("\xE2\x82\xAC", Encoding::kLatin1).error().code, Code::kUnsupportedEncoding);
    EXPECT_EQ(encode("a\xFF", Encoding::kUtf8).error().code, Code::kInvalidArgument);
}

TEST(Encoding, every_text_makes_the_round_trip_in_chunks_of_any_size) {
    static const std::vector<char32_t> characters = {'a',    '\n',   0xE9,    0xFF,    0x20AC,
                                                     0xFFFD, 0xE000, 0x1F434, 0x10FFFF};
    static const std::vector<TextFormat> formats = {
        {Encoding::kUtf8, false},   {Encoding::kUtf8, true},     {Encoding::kUtf16Le, false},
        {Encoding::kUtf16Le, true}, {Encoding::kUtf16Be, false}, {Encoding::kUtf16Be, true},
        {Encoding::kLatin1, false}};
    std::mt19937 random(11);  // NOLINT(cert-msc32-c,cert-msc51-cpp)
    for (int i = 0; i < 5'000; ++i) {
        const TextFormat each = formats[random() % formats.size()];
        const std::size_t choice = each.encoding == Encoding::kLatin1 ? 4 : characters.size();
        std::string text;
        for (auto left = random() % 20; left > 0; --left) {
            append_utf8(text, characters[random() % choice]);
        }
        const auto encoded = encode(text, each.encoding);
        ASSERT_TRUE(encoded.has_value());
        const std::string file = std::string(byte_order_mark(each)) + *encoded;
        ASSERT_EQ(decoded(file, each, 1 + random() % 9), text);
    }
}

}  // namespace
