#include "text/encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/check.h"
#include "base/utf8.h"

namespace paddock::text {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LeMark = "\xFF\xFE";
constexpr std::string_view kUtf16BeMark = "\xFE\xFF";
constexpr std::string_view kUtf32LeMark{"\xFF\xFE\0\0", 4};

// Fewer units without a mark can be UTF-16 by chance.
constexpr std::size_t kUnmarkedUnitsMin = 4;

bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Tab to carriage return, backspace and escape occur in text (terminal logs, man pages).
bool is_stray_control(char32_t c) {
    return (c < 0x20 && (c < 0x08 || c > 0x0D) && c != 0x1B) || c == 0x7F;
}

char32_t utf16_unit(std::string_view bytes, std::size_t at, Encoding encoding) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return encoding == Encoding::kUtf16Le ? first | (char32_t{second} << 8)
                                          : second | (char32_t{first} << 8);
}

void append_unit(std::string& bytes, char32_t unit, Encoding encoding) {
    const auto low = static_cast<char>(unit & 0xFF);
    const auto high = static_cast<char>(unit >> 8);
    bytes += encoding == Encoding::kUtf16Le ? low : high;
    bytes += encoding == Encoding::kUtf16Le ? high : low;
}

// Well-formed UTF-16 without control characters, of which at least `ascii_percent` is ASCII.
bool is_utf16_text(std::string_view bytes, Encoding encoding, bool is_whole,
                   std::size_t ascii_percent) {
    if (bytes.size() % 2 != 0 && is_whole) return false;
    const std::size_t units = bytes.size() / 2;
    std::size_t ascii = 0;
    bool wants_low = false;
    for (std::size_t i = 0; i < units; ++i) {
        const char32_t unit = utf16_unit(bytes, 2 * i, encoding);
        if (is_stray_control(unit) || unit >= 0xFFFE) return false;
        if (is_low_surrogate(unit) != wants_low) return false;
        wants_low = is_high_surrogate(unit);
        if (unit < 0x80) ++ascii;
    }
    return !(wants_low && is_whole) && ascii * 100 >= units * ascii_percent;
}

bool is_utf8_text(std::string_view bytes, bool is_whole) {
    const std::string_view rest = bytes.substr(valid_utf8_prefix(bytes));
    return rest.empty() || (!is_whole && first_character(rest).cut);
}

// Of what is not ASCII more is well-formed than not: damaged UTF-8, and hardly another encoding.
bool is_mostly_utf8(std::string_view bytes) {
    std::size_t valid = 0;
    std::size_t malformed = 0;
    while (!bytes.empty()) {
        const Character character = first_character(bytes);
        if (character.valid && character.value >= 0x80) ++valid;
        if (!character.valid) ++malformed;
        bytes.remove_prefix(character.length);
    }
    return valid > malformed;
}

}  // namespace

std::string_view format_name(TextFormat format) noexcept {
    switch (format.encoding) {
        case Encoding::kUtf8: return format.has_mark ? "UTF-8 with BOM" : "UTF-8";
        case Encoding::kUtf16Le: return format.has_mark ? "UTF-16 LE with BOM" : "UTF-16 LE";
        case Encoding::kUtf16Be: return format.has_mark ? "UTF-16 BE with BOM" : "UTF-16 BE";
        case Encoding::kLatin1: return "Latin-1";
        case Encoding::kBinary: break;
    }
    return "binary";
}

TextFormat sniff_format(std::string_view head, bool is_whole) noexcept {
    for (const Encoding encoding : {Encoding::kUtf16Le, Encoding::kUtf16Be}) {
        const std::string_view mark = byte_order_mark({encoding, true});
        if (head.starts_with(mark) && !head.starts_with(kUtf32LeMark) &&
            is_utf16_text(head.substr(mark.size()), encoding, is_whole, 0)) {
            return {encoding, true};
        }
    }
    if (head.find('\0') != std::string_view::npos) {
        for (const Encoding encoding : {Encoding::kUtf16Le, Encoding::kUtf16Be}) {
            if (head.size() >= 2 * kUnmarkedUnitsMin &&
                is_utf16_text(head, encoding, is_whole, 75)) {
                return {encoding, false};
            }
        }
        return {Encoding::kBinary, false};
    }
    if (is_utf8_text(head, is_whole)) return {Encoding::kUtf8, head.starts_with(kUtf8Mark)};
    const bool is_text = std::none_of(head.begin(), head.end(), [](char c) {
        return is_stray_control(static_cast<unsigned char>(c));
    });
    if (!is_text) return {Encoding::kBinary, false};
    if (is_mostly_utf8(head)) return {Encoding::kUtf8, head.starts_with(kUtf8Mark)};
    return {Encoding::kLatin1, false};
}

std::string_view byte_order_mark(TextFormat format) noexcept {
    if (!format.has_mark) return {};
    switch (format.encoding) {
        case Encoding::kUtf8: return kUtf8Mark;
        case Encoding::kUtf16Le: return kUtf16LeMark;
        case Encoding::kUtf16Be: return kUtf16BeMark;
        case Encoding::kLatin1:
        case Encoding::kBinary: break;
    }
    return {};
}

Decoder::Decoder(TextFormat format) noexcept
    : encoding_(format.encoding), mark_left_(byte_order_mark(format).size()) {
    PADDOCK_CHECK(encoding_ != Encoding::kBinary);
}

void Decoder::decode(std::string_view chunk, std::string& utf8) {
    const std::size_t mark = std::min(mark_left_, chunk.size());
    mark_left_ -= mark;
    chunk.remove_prefix(mark);
    if (encoding_ == Encoding::kLatin1) {
        for (const char c : chunk) append_utf8(utf8, static_cast<unsigned char>(c));
        return;
    }
    std::string joined;
    if (!pending_.empty()) {
        joined = pending_.append(chunk);
        chunk = joined;
    }
    pending_ = encoding_ == Encoding::kUtf8 ? decode_utf8(chunk, utf8) : decode_utf16(chunk, utf8);
}

bool Decoder::is_utf8_already(std::string_view chunk) const noexcept {
    return encoding_ == Encoding::kUtf8 && mark_left_ == 0 && pending_.empty() && is_utf8(chunk);
}

void Decoder::finish(std::string& utf8) {
    if (!pending_.empty()) replace(utf8);
    pending_.clear();
}

void Decoder::replace(std::string& utf8) {
    append_utf8(utf8, kReplacement);
    ++replaced_;
}

// Returns the bytes at the end that wait for more.
std::string_view Decoder::decode_utf8(std::string_view bytes, std::string& utf8) {
    for (;;) {
        const std::size_t good = valid_utf8_prefix(bytes);
        utf8 += bytes.substr(0, good);
        bytes.remove_prefix(good);
        if (bytes.empty()) return bytes;
        const Character bad = first_character(bytes);
        if (bad.cut) return bytes;
        replace(utf8);
        bytes.remove_prefix(bad.length);
    }
}

std::string_view Decoder::decode_utf16(std::string_view bytes, std::string& utf8) {
    while (bytes.size() >= 2) {
        const char32_t unit = utf16_unit(bytes, 0, encoding_);
        if (is_high_surrogate(unit)) {
            if (bytes.size() < 4) return bytes;
            const char32_t next = utf16_unit(bytes, 2, encoding_);
            if (is_low_surrogate(next)) {
                append_utf8(utf8, 0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00));
                bytes.remove_prefix(4);
                continue;
            }
        }
        if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
            replace(utf8);
        } else {
            append_utf8(utf8, unit);
        }
        bytes.remove_prefix(2);
    }
    return bytes;
}

Outcome<std::string> encode(std::string_view utf8, Encoding encoding) {
    if (!is_utf8(utf8)) return refuse(Code::kInvalidArgument, "is not UTF-8");
    if (encoding == Encoding::kUtf8) return std::string(utf8);
    std::string bytes;
    while (!utf8.empty()) {
        const Character character = first_character(utf8);
        const char32_t value = character.value;
        utf8.remove_prefix(character.length);
        if (encoding == Encoding::kLatin1 || encoding == Encoding::kBinary) {
            if (value > 0xFF) {
                return refuse(Code::kUnsupportedEncoding,
                              "the file is Latin-1, which lacks a character of the new text");
            }
            bytes += static_cast<char>(value);
        } else if (value < 0x10000) {
            append_unit(bytes, value, encoding);
        } else {
            append_unit(bytes, 0xD800 + ((value - 0x10000) >> 10), encoding);
            append_unit(bytes, 0xDC00 + ((value - 0x10000) & 0x3FF), encoding);
        }
    }
    return bytes;
}

std::string base64(std::string_view bytes) {
    static constexpr char kBase64Digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t at) -> std::uint32_t {
            return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
        };
        const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        text += kBase64Digits[group >> 18];
        text += kBase64Digits[(group >> 12) & 63];
        text += i + 1 < bytes.size() ? kBase64Digits[(group >> 6) & 63] : '=';
        text += i + 2 < bytes.size() ? kBase64Digits[group & 63] : '=';
    }
    return text;
}

namespace {

using namespace std::string_view_literals;

unsigned byte_at(std::string_view head, std::size_t at) {
    return at < head.size() ? static_cast<unsigned char>(head[at]) : 0;
}

// The first byte says no to nearly everything.
bool holds(std::string_view head, std::size_t at, std::string_view bytes) {
    if (bytes.empty()) return true;
    return at < head.size() && head[at] == bytes[0] && head.substr(at).starts_with(bytes);
}

std::size_t little_endian(std::string_view head, std::size_t at) {
    return byte_at(head, at) | (byte_at(head, at + 1) << 8) | (byte_at(head, at + 2) << 16) |
           (std::size_t{byte_at(head, at + 3)} << 24);
}

// For signatures that are letters only: a text could start so.
bool is_binary(std::string_view head) { return head.find('\0') != std::string_view::npos; }

bool is_jpeg(std::string_view head) {
    const unsigned marker = byte_at(head, 3);
    const unsigned length = (byte_at(head, 4) << 8) | byte_at(head, 5);
    return head.size() > 6 && marker >= 0xC0 && marker <= 0xFE && length >= 2;
}

// Width and height, the table of colours if there is one, and a block: an extension, a picture, or
// the end.
bool is_gif(std::string_view head) {
    const bool has_size =
        (byte_at(head, 6) | byte_at(head, 7)) != 0 && (byte_at(head, 8) | byte_at(head, 9)) != 0;
    const unsigned flags = byte_at(head, 10);
    const std::size_t colours = (flags & 0x80) != 0 ? std::size_t{6} << (flags & 7) : 0;
    const unsigned block = byte_at(head, 13 + colours);
    return (holds(head, 3, "87a") || holds(head, 3, "89a")) && has_size &&
           (block == '!' || block == ',' || block == ';');
}

bool is_bmp(std::string_view head) {
    constexpr std::array<std::size_t, 6> kHeaderSizes = {12, 40, 52, 56, 108, 124};
    const auto size = little_endian(head, 14);
    return little_endian(head, 6) == 0 &&
           std::find(kHeaderSizes.begin(), kHeaderSizes.end(), size) != kHeaderSizes.end();
}

bool is_id3(std::string_view head) {
    const bool sizes_fit =
        ((byte_at(head, 6) | byte_at(head, 7) | byte_at(head, 8) | byte_at(head, 9)) & 0x80) == 0;
    return head.size() >= 10 && byte_at(head, 3) >= 2 && byte_at(head, 3) <= 4 &&
           (byte_at(head, 5) & 0x0F) == 0 && sizes_fit;
}

// Length of the MPEG audio layer III frame that starts at `at`, 0 if there is none.
std::size_t mp3_frame(std::string_view head, std::size_t at) {
    constexpr std::array<std::size_t, 15> kVersion1 = {0,   32,  40,  48,  56,  64,  80, 96,
                                                       112, 128, 160, 192, 224, 256, 320};
    constexpr std::array<std::size_t, 15> kVersion2 = {0,  8,  16, 24,  32,  40,  48, 56,
                                                       64, 80, 96, 112, 128, 144, 160};
    constexpr std::array<std::size_t, 3> kRates = {44100, 48000, 32000};
    if (at + 4 > head.size() || byte_at(head, at) != 0xFF) return 0;
    const unsigned second = byte_at(head, at + 1);
    const unsigned version = (second >> 3) & 3;  // 3: 1, 2: 2, 0: 2.5
    const unsigned bitrate = byte_at(head, at + 2) >> 4;
    const unsigned rate = (byte_at(head, at + 2) >> 2) & 3;
    const bool is_layer3 = (second & 0xE6) == 0xE2;
    if (!is_layer3 || version == 1 || bitrate == 0 || bitrate == 15 || rate == 3) return 0;
    const std::size_t padding = (byte_at(head, at + 2) >> 1) & 1;
    if (version == 3) return 144'000 * kVersion1[bitrate] / kRates[rate] + padding;
    return 72'000 * kVersion2[bitrate] / (kRates[rate] / (version == 2 ? 2 : 4)) + padding;
}

// One frame header is two bytes by chance; two in a row are not.
bool is_mp3(std::string_view head) {
    const std::size_t length = mp3_frame(head, 0);
    return length != 0 && mp3_frame(head, length) != 0;
}

bool is_flac(std::string_view head) {
    return (byte_at(head, 4) & 0x7F) == 0 && holds(head, 5, "\0\0\x22"sv);
}

bool is_ogg_audio(std::string_view head) {
    return holds(head, 28, "OpusHead") || holds(head, 28, "\x01vorbis") ||
           holds(head, 28,
                 "\x7F"
                 "FLAC") ||
           holds(head, 28, "Speex   ");
}

bool is_elf(std::string_view head) {
    const auto one_or_two = [&](std::size_t at) {
        return byte_at(head, at) == 1 || byte_at(head, at) == 2;
    };
    return one_or_two(4) && one_or_two(5) && byte_at(head, 6) == 1;
}

bool is_pe(std::string_view head) { return holds(head, little_endian(head, 60), "PE\0\0"sv); }

bool is_java_class(std::string_view head) {
    const unsigned major = (byte_at(head, 6) << 8) | byte_at(head, 7);
    return major >= 45 && major < 256;
}

bool is_gzip(std::string_view head) { return head.size() >= 10 && (byte_at(head, 3) & 0xE0) == 0; }

bool has_digit_after(std::string_view head, std::size_t at) {
    return byte_at(head, at) >= '0' && byte_at(head, at) <= '9';
}

bool is_pdf(std::string_view head) { return has_digit_after(head, 5); }

bool is_bzip2(std::string_view head) {
    return has_digit_after(head, 3) && holds(head, 4, "1AY&SY");
}

struct Signature {
    std::size_t at;
    std::string_view bytes;
    std::size_t also_at;  // with `also`, unless that is empty
    std::string_view also;
    bool (*check)(std::string_view head);  // may be null
    FileKind kind;
};

constexpr auto kImage = MediaBlock::kImage;
constexpr auto kAudio = MediaBlock::kAudio;

// The first that fits is taken.
constexpr Signature kSignatures[] = {
    {0, "\x89PNG\r\n\x1A\n", 12, "IHDR", nullptr, {"PNG image", "image/png", kImage}},
    {0, "\xFF\xD8\xFF", 0, "", is_jpeg, {"JPEG image", "image/jpeg", kImage}},
    {0, "GIF", 0, "", is_gif, {"GIF image", "image/gif", kImage}},
    {0, "RIFF", 8, "WEBPVP8", is_binary, {"WebP image", "image/webp", kImage}},
    {0, "BM", 0, "", is_bmp, {"BMP image", "image/bmp"}},
    {0, "II*\0"sv, 0, "", nullptr, {"TIFF image", "image/tiff"}},
    {0, "MM\0*"sv, 0, "", nullptr, {"TIFF image", "image/tiff"}},
    {4, "ftypavif", 0, "", is_binary, {"AVIF image", "image/avif"}},
    {4, "ftyphei", 0, "", is_binary, {"HEIC image", "image/heic"}},
    {0, "8BPS\0\x01"sv, 0, "", nullptr, {"Photoshop image", "image/vnd.adobe.photoshop"}},
    {0, "RIFF", 8, "WAVE", is_binary, {"WAV audio", "audio/wav", kAudio}},
    {0, "ID3", 0, "", is_id3, {"MP3 audio", "audio/mpeg", kAudio}},
    {0, "\xFF", 0, "", is_mp3, {"MP3 audio", "audio/mpeg", kAudio}},
    {0, "OggS\0"sv, 0, "", is_ogg_audio, {"Ogg audio", "audio/ogg", kAudio}},
    {0, "OggS\0"sv, 0, "", nullptr, {"Ogg media", "application/ogg"}},
    {0, "fLaC", 0, "", is_flac, {"FLAC audio", "audio/flac", kAudio}},
    {4, "ftypM4A", 0, "", is_binary, {"MPEG-4 audio", "audio/mp4"}},
    {4, "ftyp", 0, "", is_binary, {"MPEG-4 media", "video/mp4"}},
    {0, "RIFF", 8, "AVI ", is_binary, {"AVI video", "video/x-msvideo"}},
    {0, "\x1A\x45\xDF\xA3", 0, "", nullptr, {"Matroska media", "video/x-matroska"}},
    {0, "%PDF-", 0, "", is_pdf, {"PDF document", "application/pdf"}},
    {0,
     "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
     0,
     "",
     nullptr,
     {"Microsoft Office document", "application/x-ole-storage"}},
    {0,
     "\x7F"
     "ELF",
     0,
     "",
     is_elf,
     {"ELF program or library", "application/x-elf"}},
    {0,
     "MZ",
     0,
     "",
     is_pe,
     {"Windows program or library", "application/vnd.microsoft.portable-executable"}},
    {0, "\xCF\xFA\xED\xFE", 0, "", nullptr, {"Mach-O program", "application/x-mach-binary"}},
    {0, "\xCA\xFE\xBA\xBE", 0, "", is_java_class, {"Java class", "application/java-vm"}},
    {0, "\0asm\x01\0\0\0"sv, 0, "", nullptr, {"WebAssembly module", "application/wasm"}},
    {0, "!<arch>\n", 0, "", nullptr, {"ar archive", "application/x-archive"}},
    {0, "\x1F\x8B\x08", 0, "", is_gzip, {"gzip data", "application/gzip"}},
    {0, "PK\x03\x04", 0, "", nullptr, {"ZIP archive", "application/zip"}},
    {0, "PK\x05\x06", 0, "", nullptr, {"ZIP archive", "application/zip"}},
    {0, "\x28\xB5\x2F\xFD", 0, "", nullptr, {"Zstandard data", "application/zstd"}},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     0,
     "",
     nullptr,
     {"XZ data", "application/x-xz"}},
    {0, "BZh", 0, "", is_bzip2, {"bzip2 data", "application/x-bzip2"}},
    {0, "\x04\x22\x4D\x18", 0, "", nullptr, {"LZ4 data", "application/x-lz4"}},
    {0, "7z\xBC\xAF\x27\x1C", 0, "", nullptr, {"7-Zip archive", "application/x-7z-compressed"}},
    {0, "Rar!\x1A\x07", 0, "", nullptr, {"RAR archive", "application/vnd.rar"}},
    {257, "ustar", 0, "", is_binary, {"tar archive", "application/x-tar"}},
    {0, "SQLite format 3\0"sv, 0, "", nullptr, {"SQLite database", "application/vnd.sqlite3"}},
    {0, "PACK\0\0\0\x02"sv, 0, "", nullptr, {"git pack", "application/x-git-packed-objects"}},
    {0, "DIRC\0\0\0"sv, 0, "", nullptr, {"git index", "application/x-git-index"}},
    {0, "wOFF", 0, "", is_binary, {"WOFF font", "font/woff"}},
    {0, "wOF2", 0, "", is_binary, {"WOFF2 font", "font/woff2"}},
    {0, "OTTO\0"sv, 0, "", nullptr, {"OpenType font", "font/otf"}},
    {0, "\0\x01\0\0\0"sv, 0, "", nullptr, {"TrueType font", "font/ttf"}},
    {0, "\x89HDF\r\n\x1A\n", 0, "", nullptr, {"HDF5 data", "application/x-hdf5"}},
    {0, "PAR1", 0, "", is_binary, {"Parquet data", "application/vnd.apache.parquet"}},
    {0, "BC\xC0\xDE", 0, "", nullptr, {"LLVM bitcode", "application/x-llvm-bitcode"}},
};

// No picture and no sound is without a zero and without a byte that text cannot have. The head may
// end within a character.
bool is_text(std::string_view head) {
    if (is_binary(head)) return false;
    for (std::size_t cut = 0; cut < 4 && cut <= head.size(); ++cut) {
        if (is_utf8(head.substr(0, head.size() - cut))) return true;
    }
    return false;
}

}  // namespace

const FileKind* file_kind(std::string_view head) noexcept {
    for (const Signature& each : kSignatures) {
        if (holds(head, each.at, each.bytes) && holds(head, each.also_at, each.also) &&
            (each.check == nullptr || each.check(head))) {
            const bool is_shown = each.kind.block != MediaBlock::kNone;
            return is_shown && is_text(head) ? nullptr : &each.kind;
        }
    }
    return nullptr;
}

}  // namespace paddock::text
