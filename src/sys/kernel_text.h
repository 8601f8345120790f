// Small text files of the kernel and of /etc, whose size is not known beforehand.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"

namespace paddock::sys {

// At most a megabyte of it.
Outcome<std::string> read_text(int directory, const char* name);

// With one write, as the kernel's control files want it.
Done write_text(int directory, const char* name, std::string_view text);

// The whole text is a number, which then is in `number`.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

// Takes the first word off the line; empty if there is none.
std::string_view next_word(std::string_view& line);

// The parts between separators that are not empty.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace paddock::sys
