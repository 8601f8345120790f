// The content of a file as the UTF-8 text that read_file shows, for whoever changes or compares it,
// and the way back to bytes. Errors name the file as `name`, which is how it is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/encoding.h"
#include "tools/answer.h"

namespace paddock::tools {

struct FileText {
    text::TextFormat format;
    // Of a UTF-8 file all its bytes, the mark and malformed ones too; else without a mark.
    std::string text;
};

// binary_file; unsupported_encoding if the way back would not lead to the same bytes.
Attempt<FileText> decoded(std::string_view bytes, const std::string& name);

// unsupported_encoding: the text has characters that the format has not, or would be taken for
// another format.
Attempt<std::string> encoded(std::string text, text::TextFormat format, const std::string& name);

// Only to be shown: what is malformed is replaced. Nothing of what is no text.
std::optional<std::string> text_to_show(std::string_view bytes);

}  // namespace paddock::tools
