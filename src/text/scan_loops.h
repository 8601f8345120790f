// The loops of scan.h, written once for vectors of any width.
//
// A Vector has kBytes, load, splat, table (16 bytes to look up in), the operators & and |, equal
// (all ones where equal), look_up (by indices 0 to 15), low_halves and high_halves of each byte,
// has_any, first_set (index of the first byte that is not zero) and count_set.
//
// Each source that includes this has its own Vector, in its unnamed namespace, and uses nothing of
// the standard library in here: a shared function that was compiled for AVX2 might be the copy that
// the linker keeps for all processors.
#pragma once

#include "text/scan.h"

namespace paddock::search::scan {

template <class Vector>
struct Loops {
    static constexpr std::ptrdiff_t kBytes = Vector::kBytes;

    static bool stands_here(const char* p, const BytePair& pair) {
        const auto first = static_cast<unsigned char>(*p);
        const auto second = static_cast<unsigned char>(p[pair.distance]);
        return (first | pair.first_mask) == pair.first &&
               (second | pair.second_mask) == pair.second;
    }

    static const char* find_pair(const char* p, const char* end, const BytePair& pair) {
        if (end - p <= static_cast<std::ptrdiff_t>(pair.distance)) return nullptr;
        const char* const stop = end - pair.distance;
        const Vector first = Vector::splat(pair.first);
        const Vector second = Vector::splat(pair.second);
        const Vector first_mask = Vector::splat(pair.first_mask);
        const Vector second_mask = Vector::splat(pair.second_mask);
        const auto found_at = [&](const char* at) {
            return equal(Vector::load(at) | first_mask, first) &
                   equal(Vector::load(at + pair.distance) | second_mask, second);
        };
        for (; stop - p >= 2 * kBytes; p += 2 * kBytes) {
            const Vector left = found_at(p);
            const Vector right = found_at(p + kBytes);
            if (!has_any(left | right)) continue;
            return has_any(left) ? p + first_set(left) : p + kBytes + first_set(right);
        }
        for (; p < stop; ++p) {
            if (stands_here(p, pair)) return p;
        }
        return nullptr;
    }

    static unsigned buckets_here(const char* p, const Fingerprint& prints) {
        unsigned buckets = 0xff;
        for (std::size_t i = 0; i < prints.bytes; ++i) {
            const auto byte = static_cast<unsigned char>(p[i]);
            buckets &= prints.low[i][byte & 15U];
            buckets &= prints.high[i][byte >> 4U];
        }
        return buckets;
    }

    template <std::size_t kPrintBytes>
    static Candidate find_print(const char* p, const char* end, const Fingerprint& prints) {
        const char* const stop = end - (kPrintBytes - 1);
        Vector low[kPrintBytes];
        Vector high[kPrintBytes];
        for (std::size_t i = 0; i < kPrintBytes; ++i) {
            low[i] = Vector::table(prints.low[i]);
            high[i] = Vector::table(prints.high[i]);
        }
        for (; stop - p >= kBytes; p += kBytes) {
            Vector passed = Vector::splat(0xff);
            for (std::size_t i = 0; i < kPrintBytes; ++i) {
                const Vector text = Vector::load(p + i);
                passed = passed & look_up(low[i], low_halves(text)) &
                         look_up(high[i], high_halves(text));
            }
            if (!has_any(passed)) continue;
            const char* const at = p + first_set(passed);
            return {at, buckets_here(at, prints)};
        }
        for (; p < stop; ++p) {
            if (const unsigned buckets = buckets_here(p, prints); buckets != 0) return {p, buckets};
        }
        return {};
    }

    static Candidate find_fingerprint(const char* p, const char* end, const Fingerprint& prints) {
        if (end - p < static_cast<std::ptrdiff_t>(prints.bytes)) return {};
        switch (prints.bytes) {
            case 1: return find_print<1>(p, end, prints);
            case 2: return find_print<2>(p, end, prints);
            default: return find_print<3>(p, end, prints);
        }
    }

    static const char* find_non_ascii(const char* p, const char* end) {
        const Vector sign = Vector::splat(0x80);
        for (; end - p >= kBytes; p += kBytes) {
            const Vector high = Vector::load(p) & sign;
            if (has_any(high)) return p + first_set(high);
        }
        for (; p < end; ++p) {
            if (static_cast<unsigned char>(*p) >= 0x80) return p;
        }
        return nullptr;
    }

    static std::size_t count_newlines(const char* p, const char* end) {
        const Vector newline = Vector::splat('\n');
        std::size_t count = 0;
        for (; end - p >= kBytes; p += kBytes) count += count_set(equal(Vector::load(p), newline));
        for (; p < end; ++p) count += *p == '\n' ? 1 : 0;
        return count;
    }
};

}  // namespace paddock::search::scan
