// What a person hands to a command on standard input or in a file of their own.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace paddock::cli {

// "-" is standard input. The error is a sentence for people. At most limits::kReadFileBytesMax.
tl::expected<std::string, std::string> read_input(const std::string& path);

// The same, of something that only its owner should know: a regular file is refused if it belongs
// to another user than root and the effective one, or others may read or write it. Its group may
// read.
tl::expected<std::string, std::string> read_secret_input(const std::string& path);

}  // namespace paddock::cli
