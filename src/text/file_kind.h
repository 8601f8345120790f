// What a file is, by its content; names and extensions are not asked. Text has no kind here, see
// encoding.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace paddock::text {

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
