// Messages out of a stream of bytes, one for each line. A line that is too long is dropped while it
// arrives, so that it costs no memory; only its id is kept. The next one is read as usual.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mcp/request_id.h"

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
        std::string id{};  // of a request that is too long: see request_id.h
    };
    // The next whole line. Nothing: more bytes are needed.
    std::optional<Line> next();
    std::size_t capacity() const noexcept { return capacity_; }

    // What came after the last line end.
    std::optional<Line> rest();

private:
    Line line_of(std::string_view text);

    std::size_t line_bytes_max_;
    std::size_t capacity_;
    std::unique_ptr<char[]> bytes_;
    std::size_t begin_ = 0;    // of the line that is next
    std::size_t scanned_ = 0;  // no line end before it
    std::size_t end_ = 0;
    std::optional<RequestId> dropped_{};  // of the line that is being dropped
};

}  // namespace paddock::mcp
