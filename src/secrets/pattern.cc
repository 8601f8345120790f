#include "secrets/pattern.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/check.h"

namespace paddock::secrets {
namespace {

// Takes the patterns apart, from left to right.
class PatternReader {
public:
    explicit PatternReader(std::string_view pattern) : rest_(pattern) {}

    bool at_end() const noexcept { return rest_.empty(); }

    PatternItem item() {
        PatternItem item{rest_.front() == '[' ? bracket() : single()};
        if (!at_end() && rest_.front() == '{') counts(item);
        return item;
    }

private:
    char take() {
        PADDOCK_CHECK(!rest_.empty());
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    // One byte, or what "\w", "\d" or "\." stand for.
    text::ByteSet single() {
        const char c = take();
        PADDOCK_CHECK(c != '(' && c != '?' && c != '*' && c != '.');
        if (c != '\\') return text::ByteSet(std::string_view(&c, 1));
        const char escaped = take();
        if (escaped == 'w') return text::kWordBytes;
        if (escaped == 'd') return text::kDigits;
        PADDOCK_CHECK(!text::kAlnum.has(escaped));
        return text::ByteSet(std::string_view(&escaped, 1));
    }

    text::ByteSet bracket() {
        text::ByteSet set;
        take();
        while (rest_.front() != ']') {
            if (rest_.front() == '\\') {
                set = set | single();
                continue;
            }
            const char first = take();
            if (rest_.front() == '-' && rest_.substr(1, 1) != "]") {
                take();
                set = set | text::ByteSet::range(first, take());
            } else {
                set.add(first);
            }
        }
        take();
        return set;
    }

    void counts(PatternItem& item) {
        take();
        item.least = item.most = number();
        if (rest_.front() == ',') {
            take();
            item.most = number();
        }
        PADDOCK_CHECK(take() == '}' && item.least <= item.most);
    }

    std::size_t number() {
        PADDOCK_CHECK(text::kDigits.has(rest_.front()));
        std::size_t value = 0;
        while (text::kDigits.has(rest_.front()))
            value = value * 10 + static_cast<std::size_t>(take() - '0');
        return value;
    }

    std::string_view rest_;
};

}  // namespace

SecretPattern::SecretPattern(std::string_view pattern) {
    for (PatternReader reader(pattern); !reader.at_end();) items_.push_back(reader.item());
}

std::optional<std::size_t> SecretPattern::match(std::string_view text) const noexcept {
    std::size_t at = 0;
    for (const PatternItem& item : items_) {
        const std::size_t stop = std::min(text.size(), at + item.most);
        const std::size_t from = at;
        while (at < stop && item.set.has(text[at])) ++at;
        if (at - from < item.least) return std::nullopt;
    }
    return at;
}

std::optional<std::size_t> SecretPattern::match_backward(std::string_view text) const noexcept {
    const PatternItem& item = items_.front();
    const std::size_t most = std::min(item.most, text.size());
    std::size_t length = 0;
    while (length < most && item.set.has(text[text.size() - 1 - length])) ++length;
    if (length < item.least) return std::nullopt;
    return text.size() - length;
}

SecretPattern::Start SecretPattern::start() const {
    std::vector<text::ByteSet> fixed;
    std::vector<double> shares;
    for (const PatternItem& item : items_) {
        const std::size_t room = kLeadOffsetMax + kLeadBytes - fixed.size();
        const std::size_t count = std::min(item.least, room);
        fixed.insert(fixed.end(), count, item.set);
        shares.insert(shares.end(), count, expected_share(item.set));
        if (item.least < item.most) break;
    }
    PADDOCK_CHECK(fixed.size() >= kLeadBytes);
    std::optional<Start> best;
    double least = 0;
    for (std::size_t offset = 0; offset + kLeadBytes <= fixed.size(); ++offset) {
        const auto at = static_cast<std::ptrdiff_t>(offset);
        const double share = std::accumulate(shares.begin() + at, shares.begin() + at + kLeadBytes,
                                             1.0, std::multiplies<>());
        if (best && share >= least) continue;
        Start start{{}, offset};
        std::copy_n(fixed.begin() + at, kLeadBytes, start.lead.begin());
        if (combinations(start.lead) > kLeadCombinationsMax) continue;
        best = start;
        least = share;
    }
    PADDOCK_CHECK(best.has_value());
    return *best;
}

std::size_t SecretPattern::longest() const noexcept {
    std::size_t sum = 0;
    for (const PatternItem& item : items_) sum += item.most;
    return sum;
}

}  // namespace paddock::secrets
