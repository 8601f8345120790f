// Variables with the name of a secret: GITHUB_TOKEN=..., "db_password": "...", config['apiKey'] =
// '...', <password>...</password>, define('SECRET_KEY', '...').
#pragma once

#include "search/secret_match.h"

namespace paddock::search {

// The candidate is the start of one of the words of policy::secret_words(), in any case. Only the
// value is found; the name and the quotes stay.
std::optional<FoundSecret> match_assignment(const Surroundings& around) noexcept;

}  // namespace paddock::search
