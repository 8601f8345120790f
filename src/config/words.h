// Values of settings as words: from a variable or a flag, from the file, and back into TOML.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "config/settings.h"
#include "config/toml.h"

namespace paddock::config {

// The error says what is wrong, after the name of the setting: "is not a whole number".
using Decoded = tl::expected<Value, std::string>;

// The text of a variable or a flag. A list is separated by commas, or written as in TOML.
Decoded from_text(const Setting& setting, std::string_view text);
Decoded from_item(const Setting& setting, std::string_view text);  // one flag of a list

// What stands in the file. Not for Kind::kTable, whose names are leaves of their own.
Decoded from_toml(const Setting& setting, const TomlValue& value);

// As the file would have it; the values of a secret table appear as "...".
std::string to_toml(const Setting& setting, const Value& value);

// "did you mean 'x'?" with what has to stand before it, or nothing.
std::string meant(std::string_view typed, const std::vector<std::string>& valid);

}  // namespace paddock::config
