// Text that announces itself as UTF-16, made searchable.
#pragma once

#include <string>
#include <string_view>

namespace paddock::search {

// Does it begin with the byte order mark of either order?
bool is_utf16(std::string_view text) noexcept;

// As UTF-8, without the mark; what is no character becomes U+FFFD. `text` must be is_utf16.
std::string from_utf16(std::string_view text);

}  // namespace paddock::search
