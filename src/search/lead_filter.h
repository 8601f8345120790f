// Finds the places in a text where one of many short patterns may begin, at several gigabytes a
// second: the first stage of the secret scanner.
//
// A lead is four bytes that every match of a pattern has, each given as a set. Places where one may
// begin are found many at once (lead_alarms.h), and checked in a bitmap of hashed four-byte values.
// Where the processor cannot do the first, the bitmap alone does the work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "search/byte_set.h"
#include "search/lead_alarms.h"

namespace paddock::search {

using Lead = std::array<ByteSet, kLeadBytes>;

// Which share of the bytes of source text is in the set, roughly.
double expected_share(const ByteSet& set) noexcept;

// Every combination takes an entry of a table: keep the sets narrow.
std::size_t combinations(const Lead& lead) noexcept;
inline constexpr std::size_t kLeadCombinationsMax = 2048;

class LeadFilter {
public:
    // None may have more than kLeadCombinationsMax combinations.
    explicit LeadFilter(std::span<const Lead> leads, AlarmEngine engine = best_alarm_engine());

    static constexpr std::size_t kSpanMax = kAlarmSpanMax;
    using Places = AlarmPlaces;

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
    void add_entries(const Lead& lead, std::uint32_t index);
    void fill_buckets(std::span<const Lead> leads);
    std::size_t may_begin(const char* place) const noexcept;

    AlarmTables alarms_;
    std::vector<std::uint64_t> bitmap_;
    std::vector<Entry> entries_;        // sorted by hash, then by bytes, then by lead
    std::vector<std::uint32_t> slots_;  // where the entries begin whose hash begins so
    AlarmEngine engine_;
};

}  // namespace paddock::search
