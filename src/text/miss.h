// Why a text was not found in a file, for whoever wrote it: likely causes and the closest place.
#pragma once

#include <string>
#include <string_view>

namespace paddock::text {

// `content` and `wanted` with LF endings, `wanted` not in `content`; `original` is the file before
// earlier edits of the same call. A few sentences and a short diff; never empty.
std::string explain_miss(std::string_view content, std::string_view wanted,
                         std::string_view original);

}  // namespace paddock::text
