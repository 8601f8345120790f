// Small text files of the kernel and of /etc, whose size is not known beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"

namespace paddock::sandbox {

// At most a megabyte of it.
Outcome<std::string> read_text(int directory, const char* name);

// With one write, as the kernel's control files want it.
Done write_text(int directory, const char* name, std::string_view text);

// The parts between separators that are not empty.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace paddock::sandbox
