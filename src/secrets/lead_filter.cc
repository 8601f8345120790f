#include "secrets/lead_filter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace paddock::secrets {
namespace {

constexpr std::size_t kBuckets = 64 / kLeadBytes;

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

std::uint32_t load(const char* place) noexcept {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, place, sizeof bytes);
    return bytes;
}

// The bytes that the leads of a bucket have at each position.
struct Bucket {
    Lead sets{};
    std::array<double, kLeadBytes> shares{};

    // Most of the time there is nothing new, and nothing to be summed up.
    void add(const Lead& lead) noexcept {
        for (std::size_t i = 0; i < kLeadBytes; ++i) {
            const text::ByteSet both = sets[i] | lead[i];
            if (both == sets[i]) continue;
            sets[i] = both;
            shares[i] = expected_share(both);
        }
    }

    // In what share of all places it is expected to agree.
    double hits() const noexcept { return shares[0] * shares[1] * shares[2] * shares[3]; }
};

}  // namespace

double expected_share(const text::ByteSet& set) noexcept {
    double sum = 0;
    set.for_each([&](char c) { sum += kShares[static_cast<unsigned char>(c)]; });
    return sum;
}

std::size_t combinations(const Lead& lead) noexcept {
    std::size_t product = 1;
    for (const text::ByteSet& set : lead) product *= set.size();
    return product;
}

LeadFilter::LeadFilter(std::span<const Lead> leads) {
    for (std::uint32_t i = 0; i < leads.size(); ++i) add_entries(leads[i], i);
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.bytes, a.lead) < std::pair(b.bytes, b.lead);
    });
    misses_.fill(~std::uint64_t{0});
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

// Each lead goes to the bucket that it makes least worse.
void LeadFilter::fill_buckets(std::span<const Lead> leads) {
    std::array<Bucket, kBuckets> buckets{};
    for (const Lead& lead : leads) {
        std::size_t best = 0;
        Bucket best_grown;
        double least = 2;
        for (std::size_t i = 0; i < kBuckets; ++i) {
            Bucket grown = buckets[i];
            grown.add(lead);
            const double growth = grown.hits() - buckets[i].hits();
            if (growth >= least) continue;
            least = growth;
            best = i;
            best_grown = grown;
        }
        buckets[best] = best_grown;
        for (std::size_t i = 0; i < kLeadBytes; ++i) {
            const auto bit = std::uint64_t{1} << (i * kBuckets + best);
            lead[i].for_each([&](char c) { misses_[static_cast<unsigned char>(c)] &= ~bit; });
        }
    }
}

std::span<const LeadFilter::Entry> LeadFilter::leads_at(const char* place) const noexcept {
    const auto [first, last] =
        std::equal_range(entries_.begin(), entries_.end(), Entry{load(place), 0},
                         [](const Entry& a, const Entry& b) { return a.bytes < b.bytes; });
    return {first, last};
}

// `missed` has the last bytes' misses, each moved to the position that it would have in a lead that
// ends here: a bucket whose bit is clear at the last position had all four.
LeadFilter::Found LeadFilter::find(std::string_view text, std::size_t from,
                                   std::size_t to) const noexcept {
    constexpr std::size_t kBehind = kLeadBytes - 1;
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    constexpr std::uint64_t kNoBucket = kAll >> kBuckets * kBehind;
    const std::size_t end = std::min(text.size(), to + kBehind);
    std::uint64_t missed = kAll;
    for (std::size_t at = from; at < end; ++at) {
        missed = missed << kBuckets | misses_[static_cast<unsigned char>(text[at])];
        if (missed >> kBuckets * kBehind == kNoBucket) continue;
        const auto leads = leads_at(text.data() + at - kBehind);
        if (!leads.empty()) return {at - kBehind, leads};
    }
    return {};
}

}  // namespace paddock::secrets
