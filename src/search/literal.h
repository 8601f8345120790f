// One string, found by its two rarest bytes: places where both stand at the right distance are
// found many at a time, and only those are compared.
#pragma once

#include <string>
#include <string_view>

#include "search/scan.h"

namespace paddock::search {

enum class Case : bool { kSensitive, kAsciiInsensitive };

// Bytes to compare with, letters possibly without their case.
class FoldedBytes {
public:
    FoldedBytes(std::string_view bytes, Case letters);

    std::size_t size() const noexcept { return bytes_.size(); }
    bool stands_at(const char* text) const noexcept;  // size() bytes must be readable
    unsigned char byte(std::size_t i) const noexcept {
        return static_cast<unsigned char>(bytes_[i]);
    }
    // 0x20 where byte(i) is a letter whose case does not matter, else 0.
    unsigned char mask(std::size_t i) const noexcept {
        return static_cast<unsigned char>(masks_.empty() ? 0 : masks_[i]);
    }
    // Either case counted, if it does not matter.
    double frequency(std::size_t i) const noexcept;

private:
    std::string bytes_;
    std::string masks_;  // empty: all 0
};

class Literal {
public:
    // `needle` must not be empty.
    explicit Literal(std::string_view needle, Case letters = Case::kSensitive);

    // Where it begins, at or after `from`; npos if nowhere.
    std::size_t find(std::string_view text, std::size_t from = 0) const noexcept;

private:
    FoldedBytes needle_;
    scan::BytePair pair_;
    std::size_t first_at_ = 0;  // index in the needle of the pair's first byte
};

}  // namespace paddock::search
