// Keys of a keyboard as the bytes that a terminal sends for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock::text {

// "enter", "tab", "escape", "backspace", "up", "page-down", "f5", "ctrl-c" and the like. Nothing:
// it is no key. `application`: arrows in their other form (Screen::has_application_keys).
std::optional<std::string> key_bytes(std::string_view name, bool application);

// For people: the names that there are.
std::string_view key_names();

}  // namespace paddock::text
