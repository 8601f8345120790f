#include "secrets/lead_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "testing/secret_samples.h"

using namespace paddock::secrets;
using paddock::testing::Chance;

namespace {

Lead lead_of(std::string_view a, std::string_view b, std::string_view c, std::string_view d) {
    return {text::ByteSet(a), text::ByteSet(b), text::ByteSet(c), text::ByteSet(d)};
}

bool begins(const Lead& lead, std::string_view text) {
    for (std::size_t i = 0; i < kLeadBytes; ++i) {
        if (!lead[i].has(text[i])) return false;
    }
    return true;
}

std::vector<std::size_t> found(const LeadFilter& filter, std::string_view text) {
    std::vector<std::size_t> all;
    for (std::size_t from = 0;;) {
        const auto [place, leads] = filter.find(text, from, text.size());
        if (leads.empty()) return all;
        all.push_back(place);
        from = place + 1;
    }
}

TEST(LeadFilter, finds_exactly_the_leads) {
    std::vector<Lead> leads = {lead_of("gG", "h", "pos", "_"), lead_of("s", "k", "-", "ab0"),
                               lead_of(":", "/", "/", "abc"),
                               lead_of("\xff", "\x80", "\x01", "\xfe")};
    Chance chance(1);
    const std::string alphabet = "ghpos_sk-ab0:/cG\xff\x80\x01\xfe";
    for (int i = 0; i < 60; ++i) {
        leads.push_back(lead_of(chance.text(alphabet, 1), chance.text(alphabet, 2),
                                chance.text(alphabet, 1), chance.text(alphabet, 1)));
    }
    std::map<char, std::vector<Lead>> by_first;
    for (const char c : alphabet) {
        by_first[c].clear();
        std::copy_if(leads.begin(), leads.end(), std::back_inserter(by_first[c]),
                     [c](const Lead& lead) { return lead[0].has(c); });
    }
    const LeadFilter filter(leads);
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        Chance other(seed);
        const std::string text = other.text(alphabet, other.below(6000));
        std::vector<std::size_t> expected;
        for (std::size_t at = 0; at + kLeadBytes <= text.size(); ++at) {
            const auto here = std::string_view(text).substr(at);
            const std::vector<Lead>& likely = by_first[here[0]];
            if (std::any_of(likely.begin(), likely.end(),
                            [&](const Lead& lead) { return begins(lead, here); })) {
                expected.push_back(at);
            }
        }
        EXPECT_EQ(found(filter, text), expected);
    }
}

TEST(LeadFilter, names_every_lead_that_begins_at_a_place) {
    const std::vector<Lead> leads = {lead_of("a", "b", "c", "d"), lead_of("x", "b", "c", "d"),
                                     lead_of("ax", "b", "c", "de")};
    const LeadFilter filter(leads);
    const auto names = [&](const char* text) {
        std::vector<std::uint32_t> all;
        for (const auto& entry : filter.find(text, 0, 1).leads) all.push_back(entry.lead);
        return all;
    };
    EXPECT_EQ(names("abcd"), (std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(names("xbcd"), (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(names("xbce"), (std::vector<std::uint32_t>{2}));
    EXPECT_EQ(names("abcx"), (std::vector<std::uint32_t>{}));
}

TEST(LeadFilter, needs_no_more_than_the_text) {
    const std::vector<Lead> leads = {lead_of("a", "b", "c", "d")};
    const LeadFilter filter(leads);
    for (std::size_t size = 0; size < 100; ++size) {
        std::string text(size, '.');
        EXPECT_TRUE(found(filter, text).empty());
        if (size < kLeadBytes) continue;
        text.replace(size - kLeadBytes, kLeadBytes, "abcd");
        EXPECT_EQ(found(filter, text), std::vector<std::size_t>{size - kLeadBytes});
        EXPECT_TRUE(found(filter, std::string_view(text).substr(0, size - 1)).empty());
    }
}

}  // namespace
