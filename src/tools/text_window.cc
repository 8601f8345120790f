#include "tools/text_window.h"

#include <algorithm>
#include <array>

#include <paddock/limits.h>

namespace paddock::tools {
namespace {

constexpr std::size_t kBlockBytes = 65536;

// Where the line begins that has `lines` - 1 lines after it; 0 if there are not so many.
Attempt<std::uint64_t> start_of_tail(OpenFile& file, std::uint64_t lines) {
    std::array<char, kBlockBytes> block;
    std::uint64_t end = file.stat().size;
    bool at_very_end = true;
    while (end > 0) {
        const std::size_t size = std::min<std::uint64_t>(end, block.size());
        const auto got = file.read_at(end - size, block.data(), size);
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

bool has_one_byte_newlines(text::Encoding encoding) {
    return encoding == text::Encoding::kUtf8 || encoding == text::Encoding::kLatin1;
}

class WindowReader {
public:
    WindowReader(const Files& files, OpenFile& file, text::TextFormat format, std::int64_t first,
                 std::size_t count, std::size_t margin)
        : files_(files),
          file_(file),
          decoder_(format),
          window_{text::LineWindow(first, count,
                                   {limits::kReadLineBytesMax, limits::kReadShownBytesMax, margin}),
                  format,
                  0,
                  {}} {
        if (files.reads() != nullptr) passing_.emplace(*files.reads());
    }

    Attempt<TextWindow> from(std::uint64_t position) {
        const bool scans = file_.stat().size <= limits::kScannedFileBytesMax;
        std::array<char, kBlockBytes> block;
        std::string decoded;
        for (std::uint64_t at = position;;) {
            if (!scans && window_.lines.is_full()) return std::move(window_);
            const auto got = file_.read_at(at, block.data(), block.size());
            if (!got) return got.error();
            if (*got == 0) break;
            at += *got;
            take({block.data(), *got}, decoded);
            if (scans && at > limits::kScannedFileBytesMax) return std::move(window_);
            if (*got < block.size() && at >= file_.stat().size) break;
        }
        decoded.clear();
        decoder_.finish(decoded);
        window_.lines.feed(decoded);
        window_.lines.finish();
        window_.replaced = decoder_.replaced();
        if (position == 0) end_of_file();
        return std::move(window_);
    }

private:
    void take(std::string_view bytes, std::string& decoded) {
        if (passing_) passing_->add(bytes);
        decoded.clear();
        decoder_.decode(bytes, decoded);
        window_.lines.feed(decoded);
    }

    void end_of_file() {
        window_.total = window_.lines.lines_seen();
        if (!passing_ || file_.stat().size > limits::kScannedFileBytesMax) return;
        files_.reads()->mark_read(file_.stat().identity, file_.path(), *passing_);
    }

    const Files& files_;
    OpenFile& file_;
    text::Decoder decoder_;
    std::optional<ReadTracker::Passing> passing_;
    TextWindow window_;
};

}  // namespace

Attempt<std::string> head_of(OpenFile& file) {
    constexpr std::size_t kHeadBytes = 8192;
    std::string head(kHeadBytes, '\0');
    const auto got = file.read_at(0, head.data(), head.size());
    if (!got) return got.error();
    head.resize(*got);
    return head;
}

Attempt<TextWindow> read_window(const Files& files, OpenFile& file, text::TextFormat format,
                                std::int64_t first, std::size_t count, std::size_t margin) {
    const bool is_huge = file.stat().size > limits::kScannedFileBytesMax;
    std::uint64_t start = 0;
    if (first < 0 && is_huge && has_one_byte_newlines(format.encoding)) {
        const auto tail = start_of_tail(file, static_cast<std::uint64_t>(-first));
        if (!tail) return tail.error();
        start = *tail;
    }
    auto window = WindowReader(files, file, format, first, count, margin).from(start);
    if (window) window->numbers_from_end = start > 0;
    return window;
}

}  // namespace paddock::tools
