// A Value as JSON text. Always valid: bytes that are not UTF-8 become U+FFFD, a number that JSON
// does not have becomes null. Control characters are escaped, also those above ASCII that a
// terminal would obey.
#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

namespace paddock::json {

// The same at the end of a text that is being made.
void append_text(std::string& out, const Value& value);
void append_quoted(std::string& out, std::string_view text);

std::string to_text(const Value& value);           // on one line
std::string to_indented_text(const Value& value);  // for people and documents

}  // namespace paddock::json
