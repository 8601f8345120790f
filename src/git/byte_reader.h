// Reads numbers and bytes from a text that may be forged. A read past the end fails, and so does
// every read after it: callers check once, at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace paddock::git {

class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) noexcept : bytes_(bytes) {}

    bool failed() const noexcept { return failed_; }
    bool at_end() const noexcept { return failed_ || at_ == bytes_.size(); }
    std::size_t position() const noexcept { return at_; }

    // Empty if there are fewer.
    std::string_view take(std::size_t size) noexcept {
        if (failed_ || size > bytes_.size() - at_) {
            failed_ = true;
            return {};
        }
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }

    // The bytes before the next `mark`, which is passed over.
    std::string_view take_until(char mark) noexcept {
        const std::size_t end = failed_ ? bytes_.npos : bytes_.find(mark, at_);
        if (end == bytes_.npos) {
            failed_ = true;
            return {};
        }
        const std::string_view taken = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        return taken;
    }

    std::uint8_t byte() noexcept { return static_cast<std::uint8_t>(big_endian(1)); }
    std::uint16_t u16() noexcept { return static_cast<std::uint16_t>(big_endian(2)); }
    std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(big_endian(4)); }
    std::uint64_t u64() noexcept { return big_endian(8); }

    // The two forms of numbers of any length that git writes, seven bits a byte: of sizes, the
    // lowest bits first; of offsets, the highest first, and no number has two spellings.
    std::uint64_t size_number() noexcept { return more_of_size(0, 0); }
    std::uint64_t offset_number() noexcept {
        std::uint8_t next = byte();
        std::uint64_t number = next & 0x7fU;
        while ((next & 0x80U) != 0) {
            next = byte();
            if (number >= kNumberMax) failed_ = true;
            if (failed_) return 0;
            number = ((number + 1) << 7U) | (next & 0x7fU);
        }
        return number;
    }

    // A size of which `number`, the lowest `shift` bits, has been read.
    std::uint64_t more_of_size(std::uint64_t number, unsigned shift) noexcept {
        for (;; shift += 7) {
            const std::uint8_t next = byte();
            if (shift > kShiftMax) failed_ = true;
            if (failed_) return 0;
            number |= std::uint64_t{next & 0x7fU} << shift;
            if ((next & 0x80U) == 0) return number;
        }
    }

private:
    static constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 56;  // before seven more bits
    static constexpr unsigned kShiftMax = 56;

    std::uint64_t big_endian(std::size_t size) noexcept {
        std::uint64_t number = 0;
        for (const char c : take(size)) number = (number << 8U) | static_cast<std::uint8_t>(c);
        return number;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

}  // namespace paddock::git
