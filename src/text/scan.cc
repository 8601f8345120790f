#include "text/scan.h"

#include "text/scan_loops.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace paddock::search::scan {
namespace {

// A vector of one byte: any processor, and where the baseline lacks an instruction.
struct Single {
    static constexpr std::ptrdiff_t kBytes = 1;
    unsigned char byte = 0;
    const std::uint8_t* entries = nullptr;

    static Single load(const char* p) { return {static_cast<unsigned char>(*p)}; }
    static Single splat(unsigned char value) { return {value}; }
    static Single table(const std::uint8_t* entries) { return {0, entries}; }
};

Single operator&(Single a, Single b) { return {static_cast<unsigned char>(a.byte & b.byte)}; }
Single look_up(Single table, Single index) { return {table.entries[index.byte]}; }
Single low_halves(Single a) { return {static_cast<unsigned char>(a.byte & 15U)}; }
Single high_halves(Single a) { return {static_cast<unsigned char>(a.byte >> 4U)}; }
bool has_any(Single a) { return a.byte != 0; }
std::ptrdiff_t first_set(Single) { return 0; }

#if defined(__SSE2__)

struct Wide {
    static constexpr std::ptrdiff_t kBytes = 16;
    __m128i bytes;

    static Wide load(const char* p) {
        return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
    }
    static Wide splat(unsigned char value) { return {_mm_set1_epi8(static_cast<char>(value))}; }
};

Wide operator&(Wide a, Wide b) { return {_mm_and_si128(a.bytes, b.bytes)}; }
Wide operator|(Wide a, Wide b) { return {_mm_or_si128(a.bytes, b.bytes)}; }
Wide equal(Wide a, Wide b) { return {_mm_cmpeq_epi8(a.bytes, b.bytes)}; }
unsigned set_bits(Wide a) {
    const __m128i zero = _mm_cmpeq_epi8(a.bytes, _mm_setzero_si128());
    return static_cast<unsigned>(_mm_movemask_epi8(zero)) ^ 0xffffU;
}
bool has_any(Wide a) { return set_bits(a) != 0; }
std::ptrdiff_t first_set(Wide a) { return __builtin_ctz(set_bits(a)); }
std::size_t count_set(Wide a) { return static_cast<std::size_t>(__builtin_popcount(set_bits(a))); }

#else

using Wide = Single;

Single operator|(Single a, Single b) { return {static_cast<unsigned char>(a.byte | b.byte)}; }
Single equal(Single a, Single b) { return {static_cast<unsigned char>(a.byte == b.byte)}; }
std::size_t count_set(Single a) { return a.byte; }

#endif

constexpr Functions kBaseline{&Loops<Wide>::find_pair, &Loops<Single>::find_fingerprint,
                              &Loops<Wide>::find_non_ascii, &Loops<Wide>::count_newlines};

}  // namespace

const Functions& baseline_functions() noexcept { return kBaseline; }

const Functions& functions() noexcept {
    static const Functions* const best =
        avx2_functions() != nullptr ? avx2_functions() : &kBaseline;
    return *best;
}

}  // namespace paddock::search::scan
