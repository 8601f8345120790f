// Private keys in armour: PEM, OpenSSH and PGP blocks, and those of PuTTY.
#pragma once

#include "secrets/match.h"

namespace paddock::secrets {

// The candidate is "BEGIN" of "-----BEGIN ... PRIVATE KEY-----". Only a block with a body is found,
// whether its end is there or not, and with anything between its lines: headers, line numbers,
// quotes, escaped line ends, the marks of a diff or of a comment, a statement around each line. If
// what is between is unusual, the first line of the body must be long and look random.
std::optional<FoundSecret> match_pem_block(const Surroundings& around) noexcept;

// The candidate is "Private-Lines: 14".
std::optional<FoundSecret> match_putty_key(const Surroundings& around) noexcept;

// The candidate is the base64 of "-----BEGIN ", as in "client-key-data" of a kubeconfig; the block
// must be one of a private key. Lines of base64 alone that follow belong to it.
std::optional<FoundSecret> match_encoded_block(const Surroundings& around) noexcept;
inline constexpr std::string_view kEncodedBegin = "LS0tLS1CRUdJTi";

}  // namespace paddock::secrets
