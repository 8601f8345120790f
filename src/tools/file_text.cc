#include "tools/file_text.h"

#include <utility>

namespace paddock::tools {
namespace {

// How many malformed sequences were replaced.
std::size_t decode_all(std::string_view bytes, FileText& file) {
    text::Decoder decoder(file.format);
    decoder.decode(bytes, file.text);
    decoder.finish(file.text);
    return decoder.replaced();
}

}  // namespace

Attempt<FileText> decoded(std::string_view bytes, const std::string& name) {
    FileText file{text::format_of(bytes), {}};
    if (file.format.encoding == text::Encoding::kBinary) {
        return Problem(Code::kBinaryFile, name + " is not text. Only text can be edited.");
    }
    if (file.format.encoding == text::Encoding::kUtf8) {
        file.text = bytes;
        return file;
    }
    if (decode_all(bytes, file) == 0) return file;
    return Problem(Code::kUnsupportedEncoding,
                   name + " is malformed " + std::string(text::format_name(file.format)) +
                       " and would be damaged. Replace it as a whole with write_file.");
}

Attempt<std::string> encoded(std::string text, text::TextFormat format, const std::string& name) {
    if (format.encoding == text::Encoding::kUtf8) return text;
    const std::string what = name + " is " + std::string(text::format_name(format));
    const auto bytes = text::encode(text, format.encoding);
    if (!bytes) {
        return Problem(bytes.error().code,
                       what +
                           ", which does not have all characters of the new text. Use others, "
                           "or replace the file as a whole with write_file, as UTF-8.");
    }
    std::string marked = std::string(text::byte_order_mark(format)) + *bytes;
    if (marked.empty() || text::format_of(marked) == format) return marked;
    return Problem(Code::kUnsupportedEncoding,
                   what +
                       ", and would be taken for something else with the new text. Replace the "
                       "file as a whole with write_file, as UTF-8.");
}

std::optional<std::string> text_to_show(std::string_view bytes) {
    FileText file{text::format_of(bytes), {}};
    if (file.format.encoding == text::Encoding::kBinary) return std::nullopt;
    decode_all(bytes, file);
    return std::move(file.text);
}

}  // namespace paddock::tools
