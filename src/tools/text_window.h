// Some lines of an open file, decoded, read in constant memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/encoding.h"
#include "text/line_window.h"
#include "tools/files.h"

namespace paddock::tools {

struct TextWindow {
    text::LineWindow lines;
    text::TextFormat format;
    std::size_t replaced = 0;            // malformed sequences that are shown as U+FFFD
    std::optional<std::uint64_t> total;  // lines of the whole file, if it was read to its end
    bool numbers_from_end = false;       // too far into a huge file to know the numbers
};

// `head`: of the file, from head_of(). `first` and `margin` as in LineWindow. Reads a file up to
// limits::kScannedFileBytesMax to its end and marks it as read; of a larger one no more than is
// needed, from its end if `first` is negative.
Attempt<TextWindow> read_window(const Files& files, OpenFile& file, std::string_view head,
                                text::TextFormat format, std::int64_t first, std::size_t count,
                                std::size_t margin);

// The first bytes of a file, for judging what it is.
Attempt<std::string> head_of(OpenFile& file);

}  // namespace paddock::tools
