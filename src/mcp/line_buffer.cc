#include "mcp/line_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace paddock::mcp {
namespace {

// What a pipe holds.
constexpr std::size_t kReadBytes = 65536;

}  // namespace

LineBuffer::LineBuffer(std::size_t line_bytes_max)
    : line_bytes_max_(line_bytes_max),
      capacity_(2 * kReadBytes),
      bytes_(std::make_unique_for_overwrite<char[]>(capacity_)) {}

std::span<char> LineBuffer::room() {
    if (dropped_) {
        dropped_->read({bytes_.get() + begin_, end_ - begin_});
        begin_ = end_;
    }
    const std::size_t kept = end_ - begin_;
    const bool is_large_for_nothing = kept == 0 && capacity_ > 16 * kReadBytes;
    if (capacity_ - end_ < kReadBytes || is_large_for_nothing) {
        const std::size_t wanted = std::max(2 * kReadBytes, kept + kReadBytes);
        // Twice as much each time, so that a long line is moved a few times only.
        const std::size_t larger = wanted > capacity_ ? std::max(wanted, 2 * capacity_) : capacity_;
        if (larger != capacity_ || is_large_for_nothing) {
            capacity_ = is_large_for_nothing ? wanted : larger;
            auto bytes = std::make_unique_for_overwrite<char[]>(capacity_);
            std::memcpy(bytes.get(), bytes_.get() + begin_, kept);
            bytes_ = std::move(bytes);
        } else {
            std::memmove(bytes_.get(), bytes_.get() + begin_, kept);
        }
        scanned_ = scanned_ > begin_ ? scanned_ - begin_ : 0;
        begin_ = 0;
        end_ = kept;
    }
    return {bytes_.get() + end_, std::min(capacity_ - end_, kReadBytes)};
}

std::optional<LineBuffer::Line> LineBuffer::next() {
    scanned_ = std::max(scanned_, begin_);
    const char* from = bytes_.get() + scanned_;
    const void* found = std::memchr(from, '\n', end_ - scanned_);
    if (found == nullptr) {
        scanned_ = end_;
        if (end_ - begin_ > line_bytes_max_ && !dropped_) dropped_.emplace();
        return std::nullopt;
    }
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes_.get());
    const std::string_view text(bytes_.get() + begin_, at - begin_);
    begin_ = at + 1;
    return line_of(text);
}

// `text` is the line, or the end of one that is being dropped.
LineBuffer::Line LineBuffer::line_of(std::string_view text) {
    if (!dropped_ && text.size() <= line_bytes_max_) return {text};
    RequestId id = std::exchange(dropped_, std::nullopt).value_or(RequestId());
    id.read(text);
    return {{}, true, id.found()};
}

std::optional<LineBuffer::Line> LineBuffer::rest() {
    if (begin_ == end_ && !dropped_) return std::nullopt;
    const std::string_view text(bytes_.get() + begin_, end_ - begin_);
    begin_ = end_;
    return line_of(text);
}

}  // namespace paddock::mcp
