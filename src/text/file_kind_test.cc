#include "text/file_kind.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

using namespace paddock::text;
using namespace std::string_view_literals;

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
