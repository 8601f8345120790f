// The values in a file that must not be read. Who may not read the file should not see them
// elsewhere either: in a log, in an older commit, in what a program prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace paddock::search {

// What the scanner's shapes find in the text, and its long random words. Words that a person could
// write anywhere ("postgres") are left out. Nothing if the text is not UTF-8. Long values come in
// pieces, a private key by its lines.
std::vector<std::string> denied_values(std::string_view text);

}  // namespace paddock::search
