// What stands for a reason where the boundary is opened, and what only switches.
#pragma once

#include <optional>
#include <string_view>

namespace paddock {

// 1, true, yes, on; 0, false, no, off and nothing at all. Letter case is all the same.
std::optional<bool> switch_of(std::string_view word);

// Two different words at least that say something: neither "1" nor "yes" nor "--" nor any blank
// says why, and quotes change nothing.
bool is_reason(std::string_view text);

}  // namespace paddock
