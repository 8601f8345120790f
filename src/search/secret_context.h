// Passwords that have no sign before them, known by the words around them.
#pragma once

#include "search/secret_match.h"

namespace paddock::search {

// The candidate is an option in a command line: curl -u user:PASSWORD, mysql -pPASSWORD,
// sshpass -p PASSWORD, docker login -p PASSWORD, redis-cli -a PASSWORD, ldapsearch -w PASSWORD. A
// random password of -u is found without "curl" too.
std::optional<FoundSecret> match_option(const Surroundings& around) noexcept;

// The same for "-user ", which ends "--user" and "--proxy-user", and for "-su " of curl.
std::optional<FoundSecret> match_long_user_option(const Surroundings& around) noexcept;
std::optional<FoundSecret> match_joined_options(const Surroundings& around) noexcept;

// The candidate is "password " in a line of .netrc: machine HOST login USER password PASSWORD.
std::optional<FoundSecret> match_netrc(const Surroundings& around) noexcept;

// The candidate is a port in a line of .pgpass: HOST:5432:DATABASE:USER:PASSWORD.
std::optional<FoundSecret> match_pgpass(const Surroundings& around) noexcept;

// What belongs to an access key of AWS that ends where the text begins: the rest of it, and a bare
// secret key of 40 characters in the next column or line.
TailStep pass_aws_key(std::string_view text) noexcept;

}  // namespace paddock::search
