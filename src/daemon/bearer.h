// The bearer token of a server: how it is made, read from a header, and compared.
#pragma once

#include <string>
#include <string_view>

#include "base/outcome.h"

namespace paddock::daemon {

// 256 bits of the kernel's randomness, as letters and digits.
Outcome<std::string> make_secret();

// Takes as long for a wrong token as for the right one, whatever they have in common. Their length
// is no secret.
bool equal_secrets(std::string_view given, std::string_view expected) noexcept;

// What "Authorization: Bearer TOKEN" carries; empty if it is something else.
std::string_view bearer_of(std::string_view authorization) noexcept;

// Is this long enough, and can a header carry it?
bool is_usable_token(std::string_view token) noexcept;

}  // namespace paddock::daemon
