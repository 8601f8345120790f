#include "tools/text_window.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <paddock/limits.h>

#include "search/sink.h"

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

Result<FileText> decoded(std::string_view bytes, const std::string& name) {
    FileText file{text::format_of(bytes), {}};
    if (file.format.encoding == text::Encoding::kBinary) {
        return tool_error(Code::kBinaryFile, name + " is not text. Only text can be edited.");
    }
    if (file.format.encoding == text::Encoding::kUtf8) {
        file.text = bytes;
        return file;
    }
    if (decode_all(bytes, file) == 0) return file;
    return tool_error(Code::kUnsupportedEncoding,
                      name + " is malformed " + std::string(text::format_name(file.format)) +
                          " and would be damaged. Replace the whole file with write_file.");
}

Result<std::string> encoded(std::string text, text::TextFormat format, const std::string& name) {
    if (format.encoding == text::Encoding::kUtf8) return text;
    const std::string what = name + " is " + std::string(text::format_name(format));
    const auto bytes = text::encode(text, format.encoding);
    if (!bytes) {
        return tool_error(
            bytes.error().code,
            what +
                ", which lacks some characters of the new text. Use others, or replace "
                "the whole file with write_file, as UTF-8.");
    }
    std::string marked = std::string(text::byte_order_mark(format)) + *bytes;
    if (marked.empty() || text::format_of(marked) == format) return marked;
    return tool_error(Code::kUnsupportedEncoding,
                      what +
                          ", and could not be recognised with the new text. Replace the whole file "
                          "with write_file, as UTF-8.");
}

std::optional<std::string> text_to_show(std::string_view bytes) {
    FileText file{text::format_of(bytes), {}};
    if (file.format.encoding == text::Encoding::kBinary) return std::nullopt;
    decode_all(bytes, file);
    return std::move(file.text);
}

namespace {

constexpr std::size_t kBlockBytes = 65536;

bool has_one_byte_newlines(text::Encoding encoding) {
    return encoding == text::Encoding::kUtf8 || encoding == text::Encoding::kLatin1;
}

class WindowReader {
public:
    WindowReader(const Files& files, OpenFile& file, text::TextFormat format,
                 const WindowWanted& wanted)
        : files_(files),
          file_(file),
          wanted_(wanted),
          decoder_(format),
          window_{text::LineWindow(
                      wanted.first, wanted.count,
                      {limits::kReadLineBytesMax, limits::kReadShownBytesMax, wanted.margin}),
                  format,
                  0,
                  {}} {}

    // The whole file, of which `head` was read already.
    Result<TextWindow> all(std::string_view head) {
        ReadTracker* const reads = files_.reads();
        const Identity& identity = file_.stat().identity;
        const bool is_small = head.size() < text::kSniffedBytes && head.size() == file_.stat().size;
        if (!is_small && reads != nullptr) passing_.emplace(*reads);
        take(head);
        if (!is_small) {
            const auto ended = read_from(head.size());
            if (!ended) return ended.error();
            if (!*ended) return std::move(window_);
        }
        finish();
        window_.total = window_.lines.lines_seen();
        const bool shows_nothing = window_.lines.size() == 0 && *window_.total > 0;
        if (reads == nullptr || shows_nothing) return std::move(window_);
        if (is_small) {
            reads->mark_read(identity, file_.path(), head);
        } else if (file_.stat().size <= limits::kScannedFileBytesMax) {
            reads->mark_read(identity, file_.path(), std::move(*passing_));
        }
        return std::move(window_);
    }

    Result<TextWindow> from(std::uint64_t position) {
        const auto ended = read_from(position);
        if (!ended) return ended.error();
        if (*ended) finish();
        return std::move(window_);
    }

    // Where the line begins that has `lines` - 1 lines after it; 0 if there are not so many.
    Result<std::uint64_t> start_of_tail(std::uint64_t lines) {
        const auto block = std::make_unique_for_overwrite<char[]>(kBlockBytes);
        std::uint64_t end = file_.stat().size;
        bool at_very_end = true;
        while (end > 0) {
            if (is_interrupted()) return interrupted();
            const std::size_t size = std::min<std::uint64_t>(end, kBlockBytes);
            const auto got = file_.read_at(end - size, block.get(), size);
            if (!got) return got.error();
            if (*got != size) return std::uint64_t{0};  // it was cut meanwhile
            for (std::size_t i = size; i > 0; --i) {
                if (block[i - 1] != '\n' || std::exchange(at_very_end, false)) continue;
                if (--lines == 0) return end - size + i;
            }
            at_very_end = false;
            end -= size;
        }
        return std::uint64_t{0};
    }

private:
    // The time begins behind the head, so that a small file does not even ask for it.
    bool is_interrupted() {
        if (!interruption_) interruption_.emplace(wanted_.time_max, wanted_.cancel);
        return interruption_->requested();
    }

    Error interrupted() const {
        if (interruption_->cause() == search::Interruption::Cause::kCancelled) {
            return call_cancelled();
        }
        return tool_error(
            Code::kLimitReached,
            "The lines were not reached within the time limit of a call, because " +
                files_.shown(file_.path()) + " has " + std::to_string(file_.stat().size) +
                " bytes. Read nearer to the start of the file, or search it with grep.");
    }

    // True at the end of the file, false if no more of it is needed or may be read.
    Result<bool> read_from(std::uint64_t at) {
        const bool scans = file_.stat().size <= limits::kScannedFileBytesMax;
        const auto block = std::make_unique_for_overwrite<char[]>(kBlockBytes);
        for (;;) {
            if (!scans && window_.lines.is_full()) return false;
            if (is_interrupted()) {
                const bool is_late = interruption_->cause() == search::Interruption::Cause::kTime;
                // What was reached is shown, if it counts from the start.
                if (is_late && wanted_.first > 0 && window_.lines.size() > 0) return false;
                return interrupted();
            }
            const auto got = file_.read_at(at, block.get(), kBlockBytes);
            if (!got) return got.error();
            if (*got == 0) return true;
            at += *got;
            take({block.get(), *got});
            if (scans && at > limits::kScannedFileBytesMax) return false;
            if (*got < kBlockBytes && at >= file_.stat().size) return true;
        }
    }

    void take(std::string_view bytes) {
        if (passing_) passing_->add(bytes);
        if (decoder_.is_utf8_already(bytes)) return window_.lines.feed(bytes);
        decoded_.clear();
        decoder_.decode(bytes, decoded_);
        window_.lines.feed(decoded_);
    }

    void finish() {
        decoded_.clear();
        decoder_.finish(decoded_);
        window_.lines.feed(decoded_);
        window_.lines.finish();
        window_.replaced = decoder_.replaced();
    }

    const Files& files_;
    OpenFile& file_;
    const WindowWanted& wanted_;
    std::optional<search::Interruption> interruption_;
    text::Decoder decoder_;
    std::string decoded_;
    std::optional<ReadTracker::Passing> passing_;
    TextWindow window_;
};

}  // namespace

Result<std::string> head_of(OpenFile& file) {
    // One byte more than there should be shows whether it has grown.
    std::string head(std::min<std::uint64_t>(text::kSniffedBytes, file.stat().size + 1), '\0');
    const auto got = file.read_at(0, head.data(), head.size());
    if (!got) return got.error();
    head.resize(*got);
    return head;
}

Result<TextWindow> read_window(const Files& files, OpenFile& file, std::string_view head,
                               text::TextFormat format, const WindowWanted& wanted) {
    WindowReader reader(files, file, format, wanted);
    const bool is_huge = file.stat().size > limits::kScannedFileBytesMax;
    if (wanted.first > 0 || !is_huge || !has_one_byte_newlines(format.encoding))
        return reader.all(head);
    const auto tail = reader.start_of_tail(static_cast<std::uint64_t>(-wanted.first));
    if (!tail) return tail.error();
    if (*tail == 0) return reader.all(head);
    auto window = reader.from(*tail);
    if (window) window->numbers_from_end = true;
    return window;
}

}  // namespace paddock::tools
