// The innermost loops: where in a block of bytes could something stand? They run over every byte of
// every file, so each exists for 32 bytes at a time (AVX2, if this processor has it) and for less.
//
// Nothing here reads outside [begin, end). Every function is pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace paddock::search::scan {

// Two bytes at a fixed distance. A mask of 0x20 with a lower-case letter finds both cases.
struct BytePair {
    unsigned char first = 0;
    unsigned char second = 0;
    unsigned char first_mask = 0;
    unsigned char second_mask = 0;
    std::size_t distance = 0;
};

// Up to eight buckets of short byte sequences. A sequence of bucket b lets through, at its i-th
// byte, the low and the high half of that byte: bit b of low[i][byte & 15] and high[i][byte >> 4].
struct Fingerprint {
    static constexpr std::size_t kBytesMax = 3;

    std::size_t bytes = 1;
    std::uint8_t low[kBytesMax][16] = {};
    std::uint8_t high[kBytesMax][16] = {};
};

struct Candidate {
    const char* at = nullptr;  // nullptr: there is none
    unsigned buckets = 0;      // those that let it through
};

struct Functions {
    // The first place p such that *p and p[distance] are the pair; nullptr if there is none.
    const char* (*find_pair)(const char* begin, const char* end, const BytePair& pair);

    // The first place where all bytes of some bucket pass. May be wrong, never misses one.
    Candidate (*find_fingerprint)(const char* begin, const char* end, const Fingerprint& prints);

    const char* (*find_non_ascii)(const char* begin, const char* end);  // nullptr: there is none

    std::size_t (*count_newlines)(const char* begin, const char* end);
};

// The best for this processor, chosen once.
const Functions& functions() noexcept;

// Those that every processor has, and those of AVX2 (nullptr if it has none): for comparing them.
const Functions& baseline_functions() noexcept;
const Functions* avx2_functions() noexcept;

}  // namespace paddock::search::scan
