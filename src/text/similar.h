// The names that somebody most likely meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::text {

// The word that was most likely meant; empty if none is near. A word is near if a third of its
// letters (one at least, eight at most) would have to change, or if it begins with what was typed.
std::string nearest_word(std::string_view typed, const std::vector<std::string>& valid);

// Up to `most` names of files, nearest first: the same but for case; the same stem with another
// extension; with so many other letters as above, in the stem too; one stem beginning with the
// other, if that is not much shorter.
// Equal ranks keep the order of `candidates`. Never `wanted` itself.
std::vector<std::string> similar_names(std::string_view wanted,
                                       std::span<const std::string> candidates, std::size_t most);

}  // namespace paddock::text
