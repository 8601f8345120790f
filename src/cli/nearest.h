// The valid word that somebody most likely meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::cli {

// Empty if nothing is near. A word is near if at most a third of its letters (one is always
// forgiven) would have to change, or if it begins with what was typed.
std::string nearest(std::string_view typed, const std::vector<std::string>& valid);

}  // namespace paddock::cli
