// Some lines of an open file, decoded, read in constant memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <paddock/limits.h>

#include "text/encoding.h"
#include "text/lines.h"
#include "tools/answer.h"
#include "tools/files.h"

namespace paddock::tools {

// The content of a file as the UTF-8 text that read_file shows, for whoever changes or compares it,
// and the way back to bytes. Errors name the file as `name`, which is how it is shown.

struct FileText {
    text::TextFormat format;
    // Of a UTF-8 file all its bytes, the mark and malformed ones too; else without a mark.
    std::string text;
};

// binary_file; unsupported_encoding if the way back would not lead to the same bytes.
Result<FileText> decoded(std::string_view bytes, const std::string& name);

// unsupported_encoding: the text has characters that the format has not, or would be taken for
// another format.
Result<std::string> encoded(std::string text, text::TextFormat format, const std::string& name);

// Only to be shown: what is malformed is replaced. Nothing of what is no text.
std::optional<std::string> text_to_show(std::string_view bytes);

struct TextWindow {
    text::LineWindow lines;
    text::TextFormat format;
    std::size_t replaced = 0;            // malformed sequences that are shown as U+FFFD
    std::optional<std::uint64_t> total;  // lines of the whole file, if it was read to its end
    bool numbers_from_end = false;       // too far into a huge file to know the numbers
};

struct WindowWanted {
    std::int64_t first = 1;  // this, `count` and `margin` as in LineWindow
    std::size_t count = 0;
    std::size_t margin = 0;
    std::stop_token cancel{};
    std::chrono::milliseconds time_max = limits::kSearchTimeMax;
};

// `head`: of the file, from head_of(). Reads a file up to limits::kScannedFileBytesMax to its end
// and marks it as read, unless it has lines and none of them is wanted; of a larger one no more
// than is needed, from its end if `first` is negative. Errors: cancelled; limit_reached, if no line
// was reached in time.
Result<TextWindow> read_window(const Files& files, OpenFile& file, std::string_view head,
                               text::TextFormat format, const WindowWanted& wanted);

// The first bytes of a file, for judging what it is.
Result<std::string> head_of(OpenFile& file);

}  // namespace paddock::tools
