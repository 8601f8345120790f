#include "search/lead_filter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace paddock::search {
namespace {

constexpr unsigned kHashBits = 17;
constexpr unsigned kSlotBits = 12;

std::uint32_t load(const char* place) noexcept {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, place, sizeof bytes);
    return bytes;
}

std::uint32_t hash(std::uint32_t bytes) noexcept {
    return (bytes * 0x9E3779B1U) >> (32 - kHashBits);
}

std::size_t slot(std::uint32_t hashed) noexcept { return hashed >> (kHashBits - kSlotBits); }

// How often bytes turn up in source text, only roughly: the common ones in order, then the rest.
constexpr std::array<double, 256> make_shares() {
    constexpr std::string_view kCommon =
        " etnirsaocdl_pufm\n0,*xh)(g;1b2y.vk-EwT=/RSA>ICN3O4DL\"\t6:5qP8M&zjF79\\U+GB#[]'{}|XV%WHK";
    std::array<double, 256> shares{};
    shares.fill(0.0002);
    double share = 0.1;
    for (const char c : kCommon) {
        shares[static_cast<unsigned char>(c)] = share;
        share *= 0.94;
    }
    return shares;
}

constexpr std::array<double, 256> kShares = make_shares();

// Which halves of a byte occur at a position: what the tables of a bucket can tell apart.
struct Halves {
    std::uint16_t low = 0;
    std::uint16_t high = 0;
    double share = 0;  // of bytes in source text that are made of them

    // Most of the time there is nothing new, and nothing to be summed up.
    void add(unsigned more_low, unsigned more_high) noexcept {
        const auto lows = static_cast<std::uint16_t>(low | more_low);
        const auto highs = static_cast<std::uint16_t>(high | more_high);
        if (lows == low && highs == high) return;
        low = lows;
        high = highs;
        share = 0;
        for (unsigned rows = high; rows != 0; rows &= rows - 1) {
            const auto row = static_cast<std::size_t>(std::countr_zero(rows)) * 16;
            for (unsigned columns = low; columns != 0; columns &= columns - 1) {
                share += kShares[row + static_cast<std::size_t>(std::countr_zero(columns))];
            }
        }
    }
};

struct Coverage {
    std::array<Halves, kLeadBytes> halves{};

    void add(const Coverage& other) noexcept {
        for (std::size_t i = 0; i < kLeadBytes; ++i) {
            halves[i].add(other.halves[i].low, other.halves[i].high);
        }
    }

    // How often such a bucket is expected to raise an alarm.
    double alarms() const noexcept {
        double product = 1;
        for (const Halves& each : halves) product *= each.share;
        return product;
    }
};

Coverage coverage_of(const Lead& lead) {
    Coverage covered;
    for (std::size_t i = 0; i < kLeadBytes; ++i) {
        unsigned low = 0;
        unsigned high = 0;
        lead[i].for_each([&](char c) {
            const auto byte = static_cast<unsigned char>(c);
            low |= 1U << (byte & 15U);
            high |= 1U << (byte >> 4);
        });
        covered.halves[i].add(low, high);
    }
    return covered;
}

}  // namespace

double expected_share(const ByteSet& set) noexcept {
    double sum = 0;
    set.for_each([&](char c) { sum += kShares[static_cast<unsigned char>(c)]; });
    return sum;
}

std::size_t combinations(const Lead& lead) noexcept {
    std::size_t product = 1;
    for (const ByteSet& set : lead) product *= set.size();
    return product;
}

LeadFilter::LeadFilter(std::span<const Lead> leads, AlarmEngine engine)
    : bitmap_((std::size_t{1} << kHashBits) / 64),
      slots_((std::size_t{1} << kSlotBits) + 1),
      engine_(engine) {
    for (std::uint32_t i = 0; i < leads.size(); ++i) add_entries(leads[i], i);
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return std::pair(hash(a.bytes), a.bytes) < std::pair(hash(b.bytes), b.bytes);
    });
    for (const Entry& entry : entries_) {
        bitmap_[hash(entry.bytes) / 64] |= std::uint64_t{1} << hash(entry.bytes) % 64;
        ++slots_[slot(hash(entry.bytes)) + 1];
    }
    std::partial_sum(slots_.begin(), slots_.end(), slots_.begin());
    fill_buckets(leads);
}

void LeadFilter::add_entries(const Lead& lead, std::uint32_t index) {
    PADDOCK_CHECK(combinations(lead) <= kLeadCombinationsMax);
    lead[0].for_each([&](char a) {
        lead[1].for_each([&](char b) {
            lead[2].for_each([&](char c) {
                lead[3].for_each([&](char d) {
                    const std::array<char, kLeadBytes> bytes{a, b, c, d};
                    entries_.push_back({load(bytes.data()), index});
                });
            });
        });
    });
}

// The commonest first, each lead goes to the bucket that it makes least worse.
void LeadFilter::fill_buckets(std::span<const Lead> leads) {
    struct Rated {
        Coverage covered{};
        double alarms = 0;
        const Lead* lead = nullptr;
    };
    std::vector<Rated> waiting;
    for (const Lead& lead : leads) {
        const Coverage covered = coverage_of(lead);
        waiting.push_back({covered, covered.alarms(), &lead});
    }
    std::sort(waiting.begin(), waiting.end(),
              [](const Rated& a, const Rated& b) { return a.alarms > b.alarms; });
    std::array<Rated, kLeadBuckets> buckets{};
    for (const Rated& added : waiting) {
        std::array<Rated, kLeadBuckets> grown = buckets;
        std::array<double, kLeadBuckets> growth{};
        for (std::size_t i = 0; i < kLeadBuckets; ++i) {
            grown[i].covered.add(added.covered);
            grown[i].alarms = grown[i].covered.alarms();
            growth[i] = grown[i].alarms - buckets[i].alarms;
        }
        const auto best = static_cast<std::size_t>(std::min_element(growth.begin(), growth.end()) -
                                                   growth.begin());
        buckets[best] = grown[best];
        for (std::size_t i = 0; i < kLeadBytes; ++i) alarms_.add(best, i, (*added.lead)[i]);
    }
}

std::size_t LeadFilter::may_begin(const char* place) const noexcept {
    const std::uint32_t hashed = hash(load(place));
    return bitmap_[hashed / 64] >> hashed % 64 & 1;
}

std::span<const LeadFilter::Entry> LeadFilter::leads_at(const char* place) const noexcept {
    const std::uint32_t bytes = load(place);
    const std::size_t index = slot(hash(bytes));
    const std::span<const Entry> all(entries_.data() + slots_[index],
                                     entries_.data() + slots_[index + 1]);
    std::size_t first = 0;
    while (first < all.size() && all[first].bytes != bytes) ++first;
    std::size_t last = first;
    while (last < all.size() && all[last].bytes == bytes) ++last;
    return all.subspan(first, last - first);
}

std::size_t LeadFilter::find(std::string_view text, std::size_t from, std::size_t to,
                             Places& places) const noexcept {
    if (text.size() < kLeadBytes) return 0;
    to = std::min(to, text.size() - kLeadBytes + 1);
    std::size_t count = 0;
    std::size_t at = from;
    const std::size_t alarms = alarms_.raise(engine_, text, at, to, places);
    for (std::size_t i = 0; i < alarms; ++i) {
        const std::uint16_t place = places[i];
        places[count] = place;
        count += may_begin(text.data() + from + place);
    }
    for (; at < to; ++at) {
        places[count] = static_cast<std::uint16_t>(at - from);
        count += may_begin(text.data() + at);
    }
    return count;
}

}  // namespace paddock::search
