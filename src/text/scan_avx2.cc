// Compiled for AVX2; run only where the processor has it.
#include "text/scan.h"

#if defined(__AVX2__)

#include <immintrin.h>

#include "text/scan_loops.h"

namespace paddock::search::scan {
namespace {

struct Wide {
    static constexpr std::ptrdiff_t kBytes = 32;
    __m256i bytes;

    static Wide load(const char* p) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
    }
    static Wide splat(unsigned char value) { return {_mm256_set1_epi8(static_cast<char>(value))}; }
    static Wide table(const std::uint8_t* entries) {
        return {_mm256_broadcastsi128_si256(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(entries)))};
    }
};

Wide operator&(Wide a, Wide b) { return {_mm256_and_si256(a.bytes, b.bytes)}; }
Wide operator|(Wide a, Wide b) { return {_mm256_or_si256(a.bytes, b.bytes)}; }
Wide equal(Wide a, Wide b) { return {_mm256_cmpeq_epi8(a.bytes, b.bytes)}; }
Wide look_up(Wide table, Wide index) { return {_mm256_shuffle_epi8(table.bytes, index.bytes)}; }
Wide low_halves(Wide a) { return a & Wide::splat(15); }
Wide high_halves(Wide a) { return Wide{_mm256_srli_epi16(a.bytes, 4)} & Wide::splat(15); }
bool has_any(Wide a) { return _mm256_testz_si256(a.bytes, a.bytes) == 0; }
unsigned set_bits(Wide a) {
    const __m256i zero = _mm256_cmpeq_epi8(a.bytes, _mm256_setzero_si256());
    return ~static_cast<unsigned>(_mm256_movemask_epi8(zero));
}
std::ptrdiff_t first_set(Wide a) { return __builtin_ctz(set_bits(a)); }
std::size_t count_set(Wide a) {
    return static_cast<std::size_t>(
        __builtin_popcount(static_cast<unsigned>(_mm256_movemask_epi8(a.bytes))));
}

constexpr Functions kAvx2{&Loops<Wide>::find_pair, &Loops<Wide>::find_fingerprint,
                          &Loops<Wide>::find_non_ascii, &Loops<Wide>::count_newlines};

}  // namespace

const Functions* avx2_functions() noexcept {
    return __builtin_cpu_supports("avx2") != 0 ? &kAvx2 : nullptr;
}

}  // namespace paddock::search::scan

#else

namespace paddock::search::scan {

const Functions* avx2_functions() noexcept { return nullptr; }

}  // namespace paddock::search::scan

#endif
