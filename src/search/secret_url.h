// Credentials on the wire: in URLs and in Authorization headers.
#pragma once

#include "search/secret_match.h"

namespace paddock::search {

// The candidate is "://" of "scheme://user:password@host" or "scheme://token@host". What stands
// before the "@" is found.
std::optional<FoundSecret> match_url(const Surroundings& around) noexcept;

// The candidate is "auth" of "Authorization: Basic dXNlcjpwYXNz", or of "_auth=dXNlcjpwYXNz" and
// "auth": "dXNlcjpwYXNz" in the configuration of package managers and registries.
std::optional<FoundSecret> match_authorization(const Surroundings& around) noexcept;

// The candidate is "sig=" of a shared access signature of Azure: 32 bytes in base64, whose marks
// may be percent-encoded.
std::optional<FoundSecret> match_signature(const Surroundings& around) noexcept;

// The candidate is "bearer" of "Bearer abc...", wherever it stands.
std::optional<FoundSecret> match_bearer(const Surroundings& around) noexcept;

}  // namespace paddock::search
