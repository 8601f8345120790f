// Finds the places in a text where one of many short patterns may begin: the first stage of the
// secret scanner, which reads everything that leaves.
//
// A lead is four bytes that every match of a pattern has, each given as a set. The leads are spread
// over sixteen buckets. One pass of the shift-or algorithm finds the places where some bucket has a
// lead for each of the four bytes; a sorted table then says which leads really begin there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/byte_set.h"

namespace paddock::secrets {

inline constexpr std::size_t kLeadBytes = 4;
using Lead = std::array<text::ByteSet, kLeadBytes>;

// Which share of the bytes of source text is in the set, roughly.
double expected_share(const text::ByteSet& set) noexcept;

// Every combination takes an entry of a table: keep the sets narrow.
std::size_t combinations(const Lead& lead) noexcept;
inline constexpr std::size_t kLeadCombinationsMax = 2048;

class LeadFilter {
public:
    // None may have more than kLeadCombinationsMax combinations.
    explicit LeadFilter(std::span<const Lead> leads);

    struct Entry {
        std::uint32_t bytes;
        std::uint32_t lead;  // its index
    };
    struct Found {
        std::size_t place = 0;
        std::span<const Entry> leads;  // that begin there; none: no lead was found
    };

    // The first place in [from, to) of `text` where a lead begins. A lead that is cut off by the
    // end of the text is not found.
    Found find(std::string_view text, std::size_t from, std::size_t to) const noexcept;

private:
    void add_entries(const Lead& lead, std::uint32_t index);
    void fill_buckets(std::span<const Lead> leads);
    std::span<const Entry> leads_at(const char* place) const noexcept;

    // For each byte value, a bit for each bucket and position: set if no lead of the bucket has the
    // byte there.
    std::array<std::uint64_t, 256> misses_;
    std::vector<Entry> entries_;  // sorted
};

}  // namespace paddock::secrets
