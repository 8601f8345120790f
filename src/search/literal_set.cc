#include "search/literal_set.h"

#include <algorithm>

#include "base/check.h"

namespace paddock::search {

LiteralSet::LiteralSet(const std::vector<std::string>& needles, Case letters) {
    PADDOCK_CHECK(!needles.empty());
    std::vector<std::string> sorted = needles;
    std::sort(sorted.begin(), sorted.end());
    shortest_ = sorted.front().size();
    for (const std::string& needle : sorted) {
        PADDOCK_CHECK(!needle.empty());
        shortest_ = std::min(shortest_, needle.size());
        needles_.emplace_back(needle, letters);
    }
    choose_offset();
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        bounds_[bucket + 1] = (bucket + 1) * needles_.size() / kBuckets;
        for (std::size_t i = bounds_[bucket]; i < bounds_[bucket + 1]; ++i) {
            add_to_fingerprint(needles_[i], bucket);
        }
    }
}

// Where the strings, taken together, have the rarest bytes: "CONFIG_" in front of all tells little.
void LiteralSet::choose_offset() {
    prints_.bytes = std::min(shortest_, scan::Fingerprint::kBytesMax);
    double least = 0;
    for (std::size_t offset = 0; offset + prints_.bytes <= shortest_; ++offset) {
        double hits = 0;
        for (const FoldedBytes& needle : needles_) {
            double chance = 1;
            for (std::size_t i = 0; i < prints_.bytes; ++i) chance *= needle.frequency(offset + i);
            hits += chance;
        }
        if (offset > 0 && hits >= least) continue;
        least = hits;
        offset_ = offset;
    }
}

void LiteralSet::add_to_fingerprint(const FoldedBytes& needle, std::size_t bucket) {
    const auto bit = static_cast<std::uint8_t>(1U << bucket);
    for (std::size_t i = 0; i < prints_.bytes; ++i) {
        const unsigned byte = needle.byte(offset_ + i);
        const unsigned other_case = byte ^ needle.mask(offset_ + i);
        for (const unsigned spelling : {byte, other_case}) {
            prints_.low[i][spelling & 15U] |= bit;
            prints_.high[i][spelling >> 4U] |= bit;
        }
    }
}

bool LiteralSet::any_at(const char* at, const char* end, unsigned buckets) const noexcept {
    const auto room = static_cast<std::size_t>(end - at);
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        if ((buckets & (1U << bucket)) == 0) continue;
        for (std::size_t i = bounds_[bucket]; i < bounds_[bucket + 1]; ++i) {
            if (needles_[i].size() <= room && needles_[i].stands_at(at)) return true;
        }
    }
    return false;
}

std::size_t LiteralSet::find(std::string_view text, std::size_t from) const noexcept {
    if (text.size() < shortest_ || from > text.size() - shortest_) return std::string_view::npos;
    const char* const base = text.data();
    const char* const end = base + text.size();
    const char* at = base + from + offset_;
    const char* const last = end - (shortest_ - offset_ - prints_.bytes);
    for (;;) {
        const auto candidate = scan::functions().find_fingerprint(at, last, prints_);
        if (candidate.at == nullptr) return std::string_view::npos;
        const char* const start = candidate.at - offset_;
        if (any_at(start, end, candidate.buckets)) return static_cast<std::size_t>(start - base);
        at = candidate.at + 1;
    }
}

}  // namespace paddock::search
