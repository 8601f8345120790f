// Base64 (RFC 4648, with padding).
#pragma once

#include <string>
#include <string_view>

namespace paddock::text {

std::string base64(std::string_view bytes);

}  // namespace paddock::text
