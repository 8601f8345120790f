// Finds the places in a text where one of many short patterns may begin, at several gigabytes a
// second: the first stage of the secret scanner.
//
// A lead is four bytes that every match of a pattern has, each given as a set. The leads are spread
// over sixteen buckets; for each bucket and each of the four positions two 16-entry tables say
// which low and which high halves of a byte occur there. Thirty-two places at once are looked up by
// shuffles, and what is left of them is checked in a bitmap of hashed four-byte values. Without
// AVX2 the bitmap alone does the work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "search/byte_set.h"

namespace paddock::search {

inline constexpr std::size_t kLeadBytes = 4;
using Lead = std::array<ByteSet, kLeadBytes>;

// Which share of the places in source text such a lead is expected at, roughly.
double expected_share(const Lead& lead) noexcept;

// Every combination takes an entry of a table: keep the sets narrow.
std::size_t combinations(const Lead& lead) noexcept;
inline constexpr std::size_t kLeadCombinationsMax = 2048;

class LeadFilter {
public:
    enum class Engine : std::uint8_t { kBest, kPortable };

    // None may have more than kLeadCombinationsMax combinations.
    explicit LeadFilter(std::span<const Lead> leads, Engine engine = Engine::kBest);

    static constexpr std::size_t kSpanMax = 2048;
    static constexpr std::size_t kAtOnce = 4;
    using Places = std::array<std::uint16_t, kSpanMax + kAtOnce>;

    // Writes the places in [from, to) of `text` where a lead may begin, in order and counted from
    // `from`, to `places`; returns how many. At most kSpanMax are looked at. A lead that is cut off
    // by the end of the text is not found.
    std::size_t find(std::string_view text, std::size_t from, std::size_t to,
                     Places& places) const noexcept;

    struct Entry {
        std::uint32_t bytes;
        std::uint32_t lead;  // its index
    };

    // The leads that do begin at `place`, which has four bytes.
    std::span<const Entry> leads_at(const char* place) const noexcept;

private:
    static constexpr std::size_t kBuckets = 16;
    // One bit for each of eight buckets, for each value of half a byte; twice, as shuffles want it.
    using Table = std::array<std::uint8_t, 32>;
    struct Halves {
        Table low, high;
    };

    void add_entries(const Lead& lead, std::uint32_t index);
    void fill_buckets(std::span<const Lead> leads);
    std::size_t may_begin(const char* place) const noexcept;
    std::size_t raise_alarms(std::string_view text, std::size_t& at, std::size_t to,
                             Places& places) const noexcept;

    bool wide_ = false;
    std::array<std::array<Halves, kLeadBytes>, kBuckets / 8> tables_{};
    std::vector<std::uint64_t> bitmap_;
    std::vector<Entry> entries_;        // sorted by hash, then by bytes, then by lead
    std::vector<std::uint32_t> slots_;  // where the entries begin whose hash begins so
};

}  // namespace paddock::search
