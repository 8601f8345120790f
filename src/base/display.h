// Bytes of unknown origin, made safe to show to a person or a model.
#pragma once

#include <string>
#include <string_view>

namespace paddock {

// Printable UTF-8 stays. Control bytes, DEL, bytes that are not UTF-8, and characters that are
// invisible or reorder text become \xNN escapes, byte for byte.
std::string displayable(std::string_view bytes);

// The same for a text of several lines: tabs, line feeds and the carriage returns before these
// stay.
std::string displayable_lines(std::string_view bytes);

}  // namespace paddock
