// How often each byte stands in text that people search: source code and documents of several
// languages. Decides which bytes of a pattern are looked for first; never what is found.
#pragma once

#include <cstdint>

namespace paddock::search {

// Halves every 8 steps; the most frequent byte, the space, has kCommonest.
inline constexpr int kCommonest = 160;
std::uint8_t commonness(unsigned char byte) noexcept;

// Of one byte in ordinary text: the share of bytes that are equal to it.
double frequency(unsigned char byte) noexcept;

}  // namespace paddock::search
