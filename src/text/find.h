// Finding bytes in bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace paddock::text {

// Where `needle` first occurs at or after `from`; npos if nowhere. On hostile input a needle of up
// to 256 bytes costs at most the product, a longer one the sum, unlike std::string_view::find.
std::size_t find(std::string_view text, std::string_view needle, std::size_t from = 0) noexcept;

inline bool contains(std::string_view text, std::string_view needle) noexcept {
    return find(text, needle) != std::string_view::npos;
}

}  // namespace paddock::text
