// Private keys in armour: PEM, OpenSSH and PGP blocks, and those of PuTTY.
#pragma once

#include "search/secret_match.h"

namespace paddock::search {

// The candidate is "BEGIN" of "-----BEGIN ... PRIVATE KEY-----". Only a block with a body is found,
// whether its end is there or not, and also with line numbers, quotes, escaped line ends or the
// marks of a diff in between.
std::optional<FoundSecret> match_pem_block(const Surroundings& around) noexcept;

// The candidate is "Private-Lines: 14".
std::optional<FoundSecret> match_putty_key(const Surroundings& around) noexcept;

// Length of "-----END ...-----" at the start of `text`, 0 if it does not stand there. Needs at most
// kBlockEndBytesMax bytes.
std::size_t block_end_length(std::string_view text) noexcept;
inline constexpr std::size_t kBlockEndBytesMax = 80;

}  // namespace paddock::search
