#include "search/lead_alarms.h"

#include <algorithm>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace paddock::search {

AlarmEngine best_alarm_engine() noexcept {
    for (const AlarmEngine engine : {AlarmEngine::kBytes, AlarmEngine::kHalves}) {
        if (has_engine(engine)) return engine;
    }
    return AlarmEngine::kNone;
}

void AlarmTables::add(std::size_t bucket, std::size_t position, const ByteSet& bytes) noexcept {
    Table& table = tables_[bucket / 8][position];
    const auto bit = static_cast<std::uint8_t>(1U << bucket % 8);
    bytes.for_each([&](char c) {
        const auto byte = static_cast<unsigned char>(c);
        table.bytes[byte & 127U] |= bit;
        for (const unsigned twin : {0U, 16U}) {
            table.low[(byte & 15U) + twin] |= bit;
            table.high[(byte >> 4) + twin] |= bit;
        }
    });
}

std::size_t AlarmTables::raise(AlarmEngine engine, std::string_view text, std::size_t& at,
                               std::size_t to, AlarmPlaces& places) const noexcept {
    switch (engine) {
        case AlarmEngine::kHalves: return raise_by_halves(text, at, to, places);
        case AlarmEngine::kBytes: return raise_by_bytes(text, at, to, places);
        case AlarmEngine::kNone: break;
    }
    return 0;
}

#if defined(__x86_64__)

namespace {

// Appends the places of the bits that are set. Four are written whether they are there or not: a
// loop that ends here or there, as chance has it, costs more.
__attribute__((target("bmi,popcnt"), always_inline)) inline std::uint16_t* append_places(
    std::uint64_t bits, std::size_t base, std::uint16_t* to) noexcept {
    const auto count = static_cast<std::size_t>(std::popcount(bits));
    for (std::size_t i = 0; i < std::max(count, kAlarmsAtOnce); ++i, bits &= bits - 1) {
        to[i] = static_cast<std::uint16_t>(base + _tzcnt_u64(bits));
    }
    return to + count;
}

__attribute__((target("avx2"), always_inline)) inline __m256i load_32(const void* bytes) noexcept {
    return _mm256_loadu_si256(static_cast<const __m256i*>(bytes));
}

}  // namespace

bool has_engine(AlarmEngine engine) noexcept {
    switch (engine) {
        case AlarmEngine::kHalves: return __builtin_cpu_supports("avx2") != 0;
        case AlarmEngine::kBytes:
            return __builtin_cpu_supports("avx512bw") != 0 &&
                   __builtin_cpu_supports("avx512vbmi") != 0;
        case AlarmEngine::kNone: break;
    }
    return true;
}

__attribute__((target("avx2,bmi,popcnt"))) std::size_t AlarmTables::raise_by_halves(
    std::string_view text, std::size_t& at, std::size_t to, AlarmPlaces& places) const noexcept {
    const __m256i half = _mm256_set1_epi8(15);
    const std::size_t from = at;
    std::uint16_t* out = places.data();
    std::size_t here = from;
    for (; here + 32 <= to; here += 32) {
        __m256i alarm[kGroups] = {_mm256_set1_epi8(-1), _mm256_set1_epi8(-1)};
        for (std::size_t i = 0; i < kLeadBytes; ++i) {
            const __m256i bytes = load_32(text.data() + here + i);
            const __m256i low = _mm256_and_si256(bytes, half);
            const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
            for (std::size_t group = 0; group < kGroups; ++group) {
                const Table& table = tables_[group][i];
                const __m256i both =
                    _mm256_and_si256(_mm256_shuffle_epi8(load_32(table.low.data()), low),
                                     _mm256_shuffle_epi8(load_32(table.high.data()), high));
                alarm[group] = _mm256_and_si256(alarm[group], both);
            }
        }
        const __m256i none =
            _mm256_cmpeq_epi8(_mm256_or_si256(alarm[0], alarm[1]), _mm256_setzero_si256());
        const auto raised = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(none));
        out = append_places(raised, here - from, out);
    }
    at = here;
    return static_cast<std::size_t>(out - places.data());
}

__attribute__((target("avx512f,avx512bw,avx512vbmi,bmi,popcnt"))) std::size_t
AlarmTables::raise_by_bytes(std::string_view text, std::size_t& at, std::size_t to,
                            AlarmPlaces& places) const noexcept {
    const std::size_t from = at;
    std::uint16_t* out = places.data();
    std::size_t here = from;
    for (; here + 64 <= to; here += 64) {
        __m512i alarm[kGroups] = {_mm512_set1_epi8(-1), _mm512_set1_epi8(-1)};
        for (std::size_t i = 0; i < kLeadBytes; ++i) {
            const __m512i bytes = _mm512_loadu_si512(text.data() + here + i);
            for (std::size_t group = 0; group < kGroups; ++group) {
                const std::uint8_t* const table = tables_[group][i].bytes.data();
                const __m512i found = _mm512_permutex2var_epi8(_mm512_load_si512(table), bytes,
                                                               _mm512_load_si512(table + 64));
                alarm[group] = _mm512_and_si512(alarm[group], found);
            }
        }
        const __m512i any = _mm512_or_si512(alarm[0], alarm[1]);
        out = append_places(_mm512_test_epi8_mask(any, any), here - from, out);
    }
    at = here;
    return static_cast<std::size_t>(out - places.data());
}

#else

bool has_engine(AlarmEngine engine) noexcept { return engine == AlarmEngine::kNone; }

std::size_t AlarmTables::raise_by_halves(std::string_view, std::size_t&, std::size_t,
                                         AlarmPlaces&) const noexcept {
    return 0;
}

std::size_t AlarmTables::raise_by_bytes(std::string_view, std::size_t&, std::size_t,
                                        AlarmPlaces&) const noexcept {
    return 0;
}

#endif

}  // namespace paddock::search
