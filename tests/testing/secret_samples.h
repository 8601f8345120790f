// Secrets for tests, made up at run time, so that nothing that looks like one stands in a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::testing {

// Characters from a set, the same every time for the same seed.
class Chance {
public:
    explicit Chance(std::uint32_t seed) : state_(seed * 2654435761U + 1) {}

    std::uint32_t below(std::uint32_t limit) {
        state_ = state_ * 1664525U + 1013904223U;
        return (state_ >> 8) % limit;
    }

    std::string text(std::string_view alphabet, std::size_t length) {
        std::string made;
        while (made.size() < length) {
            made += alphabet[below(static_cast<std::uint32_t>(alphabet.size()))];
        }
        return made;
    }

private:
    std::uint32_t state_;
};

struct Sample {
    std::string kind;
    std::string text;
};

// At least one for each kind of secrets::secret_shapes(), written down from what the issuers say,
// not made from the table.
std::vector<Sample> token_samples();

}  // namespace paddock::testing
