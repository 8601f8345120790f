// A Value as JSON text. Always valid: bytes that are not UTF-8 become U+FFFD, a number that JSON
// does not have becomes null. Control characters are escaped, also those above ASCII that a
// terminal would obey.
#pragma once

#include <string>

#include "json/value.h"

namespace paddock::json {

std::string to_text(const Value& value);           // on one line
std::string to_indented_text(const Value& value);  // for people and documents

}  // namespace paddock::json
