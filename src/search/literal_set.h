// Several strings searched for at once. A few bytes of each, at the same offset in all, make
// fingerprints in eight buckets; where one shows, the strings of its bucket are compared.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "search/literal.h"

namespace paddock::search {

class LiteralSet {
public:
    // At least one string, none of them empty.
    LiteralSet(const std::vector<std::string>& needles, Case letters);

    // Where the first occurrence of any of them begins, at or after `from`; npos if nowhere.
    std::size_t find(std::string_view text, std::size_t from = 0) const noexcept;

private:
    static constexpr std::size_t kBuckets = 8;

    void choose_offset();
    void add_to_fingerprint(const FoldedBytes& needle, std::size_t bucket);
    bool any_at(const char* at, const char* end, unsigned buckets) const noexcept;

    std::vector<FoldedBytes> needles_;                // sorted, so that a bucket holds like ones
    std::array<std::size_t, kBuckets + 1> bounds_{};  // of the buckets in needles_
    std::size_t shortest_ = 0;
    std::size_t offset_ = 0;  // of the fingerprint in each needle
    scan::Fingerprint prints_;
};

}  // namespace paddock::search
