// Bytes as lines. A line ends with LF or CRLF and keeps its ending; a lone CR is an ordinary byte.
// "a\nb" has two lines, "a\n" one, "" none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace paddock::text {

// "\n", "\r\n" or "": the ending of one line, and the line without it.
std::string_view ending_of(std::string_view line) noexcept;
std::string_view body_of(std::string_view line) noexcept;

// An index of the lines of a text that must outlive it; at most 4 GiB.
class Lines {
public:
    explicit Lines(std::string_view text);

    std::size_t size() const noexcept { return starts_.size(); }
    std::string_view text() const noexcept { return text_; }

    // The line with its ending; `index` counts from 0.
    std::string_view operator[](std::size_t index) const noexcept {
        return text_.substr(offset(index), offset(index + 1) - offset(index));
    }

    // Where the line begins; the end of the text for size().
    std::size_t offset(std::size_t index) const noexcept {
        return index < starts_.size() ? starts_[index] : text_.size();
    }

private:
    std::string_view text_;
    std::vector<std::uint32_t> starts_;  // 32 bits: an index of a file of empty lines stays small
};

}  // namespace paddock::text
