// A file as a succession of whole lines in one buffer, which is reused from file to file and grows
// only for a line that does not fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/outcome.h"

namespace paddock::search {

class LineBuffer {
public:
    enum class Filled : std::uint8_t {
        kMore,         // lines() ends with a line feed, or holds a NUL; the file goes on
        kEnd,          // lines() reaches the end of the file
        kLineTooLong,  // no line feed within limits::kSearchLineBytesMax
    };

    // Starts on another file, at `offset`. `size` as fstat says: what is appended later is not
    // read; 0 is not believed.
    void start(int fd, std::uint64_t size, std::uint64_t offset);

    // Reads on behind what is held.
    Outcome<Filled> fill();

    std::string_view lines() const noexcept { return {data_.get() + begin_, lines_ - begin_}; }
    std::uint64_t offset() const noexcept { return base_ + begin_; }  // of lines() in the file

    // Forgets the first bytes of lines().
    void drop(std::size_t bytes) noexcept { begin_ += bytes; }

private:
    bool holds_nul() const noexcept;
    void move_to_front() noexcept;
    bool grow();

    std::unique_ptr<char[]> data_;
    std::size_t capacity_ = 0;
    int fd_ = -1;
    std::uint64_t size_ = 0;
    std::uint64_t base_ = 0;  // offset of data_[0] in the file
    std::size_t begin_ = 0;   // what is held: lines, then the beginning of one
    std::size_t lines_ = 0;
    std::size_t filled_ = 0;
};

}  // namespace paddock::search
