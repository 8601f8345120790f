// Other spellings of a name that some file systems take for the same: directories that ignore case
// also ignore invisible characters and fold a few others to ASCII letters; FAT drops dots and
// blanks at the end of a name.
//
// Not known: short names of FAT ("GIT~1"), streams of NTFS, and spellings of names that are not
// ASCII themselves.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock::policy {

// The plain spelling of `path`, name by name; letter case is left as it is. Nothing if there is no
// other. A name of which nothing would be left stays.
std::optional<std::string> plain_spelling(std::string_view path);

}  // namespace paddock::policy
