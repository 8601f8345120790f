#include "search/line_buffer.h"

#include <algorithm>
#include <cstring>

#include <paddock/limits.h>

#include "sys/io.h"

namespace paddock::search {

void LineBuffer::start(int fd, std::uint64_t size, std::uint64_t offset) {
    fd_ = fd;
    size_ = size;
    base_ = offset;
    begin_ = lines_ = filled_ = 0;
}

Outcome<LineBuffer::Filled> LineBuffer::fill() {
    move_to_front();
    for (;;) {
        if (filled_ == capacity_ && filled_ > 0 && holds_nul()) {
            lines_ = filled_;
            return Filled::kMore;
        }
        if (filled_ == capacity_ && !grow()) return Filled::kLineTooLong;
        PADDOCK_ASSIGN(
            got, sys::read_at(fd_, data_.get() + filled_, capacity_ - filled_, base_ + filled_));
        const char* const fresh = data_.get() + filled_;
        filled_ += got;
        if (got == 0 || (size_ > 0 && base_ + filled_ >= size_)) {
            lines_ = filled_;
            return Filled::kEnd;
        }
        if (const void* const last = ::memrchr(fresh, '\n', got)) {
            lines_ = static_cast<std::size_t>(static_cast<const char*>(last) - data_.get()) + 1;
            return Filled::kMore;
        }
    }
}

bool LineBuffer::holds_nul() const noexcept {
    return std::memchr(data_.get(), '\0', filled_) != nullptr;
}

void LineBuffer::move_to_front() noexcept {
    if (begin_ == 0) return;
    filled_ -= begin_;
    std::memmove(data_.get(), data_.get() + begin_, filled_);
    base_ += begin_;
    begin_ = lines_ = 0;
}

bool LineBuffer::grow() {
    if (capacity_ >= limits::kSearchLineBytesMax) return false;
    const std::size_t capacity = std::max(limits::kSearchBufferBytes, 2 * capacity_);
    auto data = std::make_unique_for_overwrite<char[]>(capacity);
    if (filled_ > 0) std::memcpy(data.get(), data_.get(), filled_);
    data_ = std::move(data);
    capacity_ = capacity;
    return true;
}

}  // namespace paddock::search
