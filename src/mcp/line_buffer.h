// Messages out of a stream of bytes, one for each line. A line that is too long is dropped while it
// arrives, so that it costs no memory, and the next one is read as usual.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace paddock::mcp {

class LineBuffer {
public:
    explicit LineBuffer(std::size_t line_bytes_max);

    // Where to put the next bytes, never empty; filled() tells how many came.
    std::span<char> room();
    void filled(std::size_t bytes) noexcept { end_ += bytes; }

    struct Line {
        std::string_view text;  // valid until room() is called
        bool is_too_long = false;
    };
    // The next whole line. Nothing: more bytes are needed.
    std::optional<Line> next();
    std::size_t capacity() const noexcept { return capacity_; }

    // What came after the last line end.
    std::optional<Line> rest();

private:
    std::size_t line_bytes_max_;
    std::size_t capacity_;
    std::unique_ptr<char[]> bytes_;
    std::size_t begin_ = 0;    // of the line that is next
    std::size_t scanned_ = 0;  // no line end before it
    std::size_t end_ = 0;
    bool dropping_ = false;
};

}  // namespace paddock::mcp
