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

namespace {

std::string kind(std::string_view head) {
    const FileKind* found = file_kind(head);
    if (found == nullptr) return "unknown";
    switch (found->block) {
        case MediaBlock::kImage: return std::string(found->mime) + " (image)";
        case MediaBlock::kAudio: return std::string(found->mime) + " (audio)";
        case MediaBlock::kNone: break;
    }
    return std::string(found->mime);
}

std::string at(std::size_t offset, std::string_view bytes) {
    return std::string(offset, 'x') + std::string(bytes);
}

// A constant bit rate stream of empty frames: 128 kbit/s, 44.1 kHz.
std::string mp3(std::size_t frames) {
    std::string stream;
    for (; frames > 0; --frames) stream += "\xFF\xFB\x90\x64" + std::string(413, '\0');
    return stream;
}

TEST(FileKind, images_that_models_take) {
    EXPECT_EQ(kind("\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0"sv), "image/png (image)");
    EXPECT_EQ(kind("\xFF\xD8\xFF\xE0\0\x10JFIF\0"sv), "image/jpeg (image)");
    EXPECT_EQ(kind("\xFF\xD8\xFF\xDB\0\x43\0"sv), "image/jpeg (image)");
    EXPECT_EQ(kind("GIF89a\x01\0\x01\0\0\0\0,"sv), "image/gif (image)");
    EXPECT_EQ(kind("GIF87a\x01\0\x01\0\x80\0\0rgbrgb!"sv), "image/gif (image)");
    EXPECT_EQ(kind("RIFF\x1A\0\0\0WEBPVP8L"sv), "image/webp (image)");
}

TEST(FileKind, audio) {
    EXPECT_EQ(kind("RIFF\x24\0\0\0WAVEfmt "sv), "audio/wav (audio)");
    EXPECT_EQ(kind("ID3\x04\0\0\0\0\x01\x02"sv), "audio/mpeg (audio)");
    EXPECT_EQ(kind(mp3(2)), "audio/mpeg (audio)");
    EXPECT_EQ(kind("fLaC\0\0\0\x22\x10\0"sv), "audio/flac (audio)");
    const std::string ogg("OggS\0", 5);
    EXPECT_EQ(kind(ogg + at(23, "OpusHead")), "audio/ogg (audio)");
    EXPECT_EQ(kind(ogg + at(23, "\x80theora")), "application/ogg");
}

TEST(FileKind, the_usual_rest) {
    EXPECT_EQ(kind("%PDF-1.7\n"), "application/pdf");
    EXPECT_EQ(kind("\x7F"
                   "ELF\x02\x01\x01\0"sv),
              "application/x-elf");
    EXPECT_EQ(kind("\x1F\x8B\x08\0\0\0\0\0\0\x03"sv), "application/gzip");
    EXPECT_EQ(kind("PK\x03\x04\x14\0"sv), "application/zip");
    EXPECT_EQ(kind("\x28\xB5\x2F\xFD\x04"), "application/zstd");
    EXPECT_EQ(kind("\xFD"
                   "7zXZ\0\0\x04"sv),
              "application/x-xz");
    EXPECT_EQ(kind("BZh91AY&SY"), "application/x-bzip2");
    EXPECT_EQ(kind("SQLite format 3\0\x10"sv), "application/vnd.sqlite3");
    EXPECT_EQ(kind(at(257, "ustar\0"sv)), "application/x-tar");
    std::string program = "MZ" + std::string(58, '\0') + "\x40" + std::string(3, '\0');
    EXPECT_EQ(kind(program + std::string("PE\0\0", 4)),
              "application/vnd.microsoft.portable-executable");
    EXPECT_EQ(kind("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"sv), "image/bmp");
}

TEST(FileKind, is_not_deceived_by_a_beginning) {
    for (const std::string_view text : {""sv,
                                        "x"sv,
                                        "plain text\n"sv,
                                        "\x89PNG\r\n\x1A\n and so on, no header"sv,
                                        "\xFF\xD8\xFF"sv,
                                        "\xFF\xD8\xFF\xFF\xFF\xFF\xFF"sv,
                                        "GIF is a format"sv,
                                        "GIF89a"sv,
                                        "GIF89a# Notes, with a token below\n"sv,
                                        "GIF89aaaaabb,and so on"sv,
                                        "GIF89aaaaabb,\xC3"sv,
                                        "GIF89a\x01\0\0\0\0\0\0,"sv,
                                        "GIF89a\x01\0\x01\0\0\0\0token"sv,
                                        "GIF89a\x01\0\x01\0\x80\0\0,token"sv,
                                        "ID3\x04\x01\x10 abc, a text"sv,
                                        "RIFF is a word, WEBP"sv,
                                        "ID3 tags explained"sv,
                                        "BMW and others, a text"sv,
                                        "MZ was a person"sv,
                                        "%PDF-x"sv,
                                        "\x7F"
                                        "ELF\x09\x01\x01"sv,
                                        "fLaC is lossless"sv,
                                        "\x1F\x8B\x08\xFF\0\0\0\0\0\0"sv,
                                        "BZhang wrote"sv,
                                        "\xFF\xFEh\0i\0\n\0"sv,
                                        "\xCA\xFE\xBA\xBE\0\0\0\x02"sv,
                                        "PACKAGE"sv,
                                        "OTTOMAN"sv}) {
        EXPECT_EQ(kind(text), "unknown") << text;
    }
    EXPECT_EQ(kind(mp3(1)), "unknown") << "a single frame header may be chance";
    EXPECT_EQ(kind("MZ" + std::string(58, '\xFF') + "\xFF\xFF\xFF\xFF"), "unknown");
}

}  // namespace
