#include "secrets/pattern.h"

#include <gtest/gtest.h>

#include <re2/re2.h>

#include <paddock/limits.h>

#include "secrets/match.h"
#include "secrets/rules.h"
#include "testing/secret_samples.h"

using namespace paddock;
using namespace paddock::secrets;
using paddock::testing::Chance;

namespace {

std::optional<std::size_t> by_re2(const RE2& expression, std::string_view text) {
    re2::StringPiece match;
    const bool found = expression.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(),
                                        RE2::ANCHOR_START, &match, 1);
    if (!found) return std::nullopt;
    return match.size();
}

// A text that the pattern matches, one byte of it perhaps spoilt.
std::string made_from(const SecretPattern& pattern, Chance& chance) {
    std::string text;
    for (const PatternItem& item : pattern.items()) {
        std::string members;
        item.set.for_each([&](char c) { members += c; });
        const auto spread = static_cast<std::uint32_t>(item.most - item.least + 1);
        text += chance.text(members, item.least + chance.below(spread));
    }
    if (chance.below(2) == 0) text[chance.below(static_cast<std::uint32_t>(text.size()))] = '!';
    return text + chance.text("aA0-_.! ", chance.below(8));
}

TEST(SecretPattern, means_what_re2_means) {
    for (const secrets::SecretShape& shape : secrets::secret_shapes()) {
        const SecretPattern pattern(shape.pattern);
        RE2::Options options;
        options.set_encoding(RE2::Options::EncodingLatin1);
        const RE2 expression(std::string(shape.pattern), options);
        ASSERT_TRUE(expression.ok()) << shape.pattern;
        Chance chance(1);
        for (int i = 0; i < 200; ++i) {
            const std::string text = made_from(pattern, chance);
            EXPECT_EQ(pattern.match(text), by_re2(expression, text))
                << shape.pattern << " " << text;
        }
    }
}

TEST(SecretPattern, begins_with_its_lead_and_stays_in_sight) {
    for (const secrets::SecretShape& shape : secrets::secret_shapes()) {
        const SecretPattern pattern(shape.pattern);
        const auto start = pattern.start();
        EXPECT_LE(start.offset, kLeadOffsetMax);
        EXPECT_LE(combinations(start.lead), kLeadCombinationsMax);
        EXPECT_LE(pattern.longest(), limits::kSecretAheadMax) << shape.pattern;
    }
}

TEST(SecretPattern, matches_backward_as_much_as_it_may) {
    const SecretPattern digits(R"(\d{2,4})");
    EXPECT_EQ(digits.match_backward("ab12"), 2U);
    EXPECT_EQ(digits.match_backward("123456"), 2U);
    EXPECT_EQ(digits.match_backward("12a4"), std::nullopt);
    EXPECT_EQ(digits.match_backward(""), std::nullopt);
}

}  // namespace
