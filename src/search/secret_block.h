// Private keys in armour: PEM, OpenSSH and PGP blocks, and those of PuTTY.
#pragma once

#include <paddock/limits.h>

#include "search/secret_match.h"

namespace paddock::search {

// The candidate is "BEGIN" of "-----BEGIN ... PRIVATE KEY-----". Only a block with a body is found,
// whether its end is there or not, and with anything between its lines: headers, line numbers,
// quotes, escaped line ends, the marks of a diff or of a comment, a statement around each line. If
// what is between is unusual, the first line of the body must be long and look random.
std::optional<FoundSecret> match_pem_block(const Surroundings& around) noexcept;

// The candidate is "Private-Lines: 14".
std::optional<FoundSecret> match_putty_key(const Surroundings& around) noexcept;

// How much at the start of `text` belongs to the block that has begun before. It goes on to its
// "-----END ...-----", or until some lines have nothing like a body. Looks at no more than
// kBlockAheadMax bytes, and passes over some unless the block has ended.
struct BlockStep {
    std::size_t length = 0;
    bool ended = false;
};
BlockStep pass_block(std::string_view text) noexcept;
inline constexpr std::size_t kBlockAheadMax = limits::kSecretAheadMax;

}  // namespace paddock::search
