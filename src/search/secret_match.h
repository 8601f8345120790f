// Confirms or rejects one candidate: the second stage of the secret scanner.
//
// A matcher sees a bounded piece of the text before and after the candidate and nothing else, so
// the answer does not depend on how the text was cut into chunks. A secret may be longer than what
// is seen; the rest of it is named by a set of bytes (Tail), which the scanner goes on swallowing.
#pragma once

#include <paddock/limits.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "policy/secret_rules.h"
#include "search/byte_set.h"
#include "search/lead_filter.h"
#include "search/secret_pattern.h"

namespace paddock::search {

// What stands in the place of a secret begins so: "[REDACTED:kind]".
inline constexpr std::string_view kMarkStart = "[REDACTED:";

// How much more belongs to a secret, more than nothing unless it has ended.
struct TailStep {
    std::size_t length = 0;
    bool ended = false;
};

struct Tail {
    ByteSet bytes;  // what follows and is in here still belongs to the secret
    // Or what this says does, which sees limits::kSecretAheadMax bytes or all that is left.
    TailStep (*pass)(std::string_view text) noexcept = nullptr;
};

struct FoundSecret {
    std::size_t behind = 0;  // where it begins: so many bytes before the candidate
    std::size_t begin = 0;   // or after it
    std::size_t end = 0;     // after the candidate
    std::string_view kind;
    const Tail* tail = nullptr;  // outlives everything
};

// What stands around a candidate, at most limits::kSecretBehindMax and limits::kSecretAheadMax
// bytes of it.
struct Surroundings {
    std::string_view before;
    std::string_view after;  // begins with the candidate
};

class SecretMatcher {
public:
    SecretMatcher();

    std::span<const Lead> leads() const noexcept { return leads_; }
    // Where in a match its lead stands.
    std::size_t offset(std::size_t lead) const noexcept { return offsets_[lead]; }
    // A secret may go on behind a backslash at the end of a line.
    std::optional<FoundSecret> match(std::size_t lead, const Surroundings& around) const noexcept;

private:
    struct Shape {
        std::string_view kind;
        SecretPattern pattern;
        std::optional<SecretPattern> before;
        policy::SecretShape::Start start;
        Tail tail;
    };
    using Other = std::optional<FoundSecret> (*)(const Surroundings&);

    std::optional<FoundSecret> match_lines(std::size_t lead,
                                           const Surroundings& around) const noexcept;

    void add_lead(const SecretPattern& pattern);
    std::optional<FoundSecret> match_shape(const Shape& shape,
                                           const Surroundings& around) const noexcept;

    std::vector<Shape> shapes_;  // the first leads are theirs, in order; then those of others_
    std::vector<Other> others_;
    std::vector<Lead> leads_;
    std::vector<std::size_t> offsets_;
};

// Not after a letter, digit, "_" or "-", or after an escape that ends like that: "\n", "\u003d",
// "\001", "%3D", the colours of a terminal.
bool begins_word(std::string_view before) noexcept;

}  // namespace paddock::search
