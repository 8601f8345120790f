// Text in files: which encoding it has, its way to UTF-8 and back.
//
// What decodes without replacement encodes back to the same bytes, so that an edit can leave all
// other bytes of a file as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/outcome.h"

namespace paddock::text {

enum class Encoding : std::uint8_t { kUtf8, kUtf16Le, kUtf16Be, kLatin1, kBinary };

struct TextFormat {
    Encoding encoding = Encoding::kUtf8;
    bool has_mark = false;  // starts with a byte order mark

    bool operator==(const TextFormat&) const = default;
};

// "UTF-16 LE with BOM", for people and models.
std::string_view format_name(TextFormat format) noexcept;

// Judges by the first bytes of a file (some kB; `is_whole`: these are all). Valid UTF-8 without NUL
// is UTF-8, and so is text of which more is valid than not. UTF-16 is believed with a mark, or
// where most of it is ASCII; never with NUL or control characters. Latin-1 is other text without
// control characters. All else, UTF-32 too, is binary.
TextFormat sniff_format(std::string_view head, bool is_whole) noexcept;

// What a file is judged by, however long it is.
inline constexpr std::size_t kSniffedBytes = 8192;

// The same of a whole file, with the verdict of whoever has read no more than its beginning.
inline TextFormat format_of(std::string_view content) noexcept {
    return sniff_format(content.substr(0, kSniffedBytes), content.size() <= kSniffedBytes);
}

// The mark that a file of this format starts with, or nothing.
std::string_view byte_order_mark(TextFormat format) noexcept;

// Turns a file into UTF-8 chunk by chunk; a character may be split anywhere. The mark is left out.
class Decoder {
public:
    explicit Decoder(TextFormat format) noexcept;  // not kBinary

    void decode(std::string_view chunk, std::string& utf8);

    // True if decoding the next chunk would only copy it; then the caller may do without.
    bool is_utf8_already(std::string_view chunk) const noexcept;
    void finish(std::string& utf8);  // a character cut off by the end becomes U+FFFD

    // Malformed sequences that became U+FFFD so far. If any, encode() would change the file.
    std::size_t replaced() const noexcept { return replaced_; }

private:
    std::string_view decode_utf8(std::string_view bytes, std::string& utf8);
    std::string_view decode_utf16(std::string_view bytes, std::string& utf8);
    void replace(std::string& utf8);

    Encoding encoding_;
    std::size_t mark_left_;  // bytes of the mark still to come
    std::string pending_;    // the start of a character
    std::size_t replaced_ = 0;
};

// Back to bytes, without a mark. unsupported_encoding: a character that Latin-1 does not have;
// invalid_argument: not UTF-8.
Outcome<std::string> encode(std::string_view utf8, Encoding encoding);

// Base64 (RFC 4648, with padding).
std::string base64(std::string_view bytes);

// What a file is, by its content; names and extensions are not asked. Text has no kind here, see
// encoding.h.
// How a model can be shown the file; not every image is one that models take.
enum class MediaBlock : std::uint8_t { kNone, kImage, kAudio };

struct FileKind {
    std::string_view name;  // "PNG image"
    std::string_view mime;  // "image/png"
    MediaBlock block = MediaBlock::kNone;
};

// Null if unknown. Looks at more than the first bytes where the format has more that is fixed, so
// that a text which starts like a picture is not taken for one; it is no check of the whole file.
const FileKind* file_kind(std::string_view head) noexcept;

}  // namespace paddock::text
