// The patterns of rules.h, compiled.
//
// They never go back: each item takes as many bytes as it may, so that a match costs at most the
// sum of the counts. An item must therefore not take what the next one needs.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "secrets/lead_filter.h"
#include "text/byte_set.h"

namespace paddock::secrets {

struct PatternItem {
    text::ByteSet set;
    std::size_t least = 1;
    std::size_t most = 1;
};

inline constexpr std::size_t kLeadOffsetMax = 16;

class SecretPattern {
public:
    // `pattern` is ours: a mistake in it ends the process.
    explicit SecretPattern(std::string_view pattern);

    // The end of the match that begins at the start of `text`.
    std::optional<std::size_t> match(std::string_view text) const noexcept;

    // The start of the match that ends at the end of `text`, for a pattern of one item.
    std::optional<std::size_t> match_backward(std::string_view text) const noexcept;

    // The rarest four bytes in a row among the first that every match has.
    struct Start {
        Lead lead;
        std::size_t offset;  // of the lead in the match
    };
    Start start() const;
    std::size_t longest() const noexcept;
    const text::ByteSet& last_set() const noexcept { return items_.back().set; }
    const std::vector<PatternItem>& items() const noexcept { return items_; }

private:
    std::vector<PatternItem> items_;
};

}  // namespace paddock::secrets
