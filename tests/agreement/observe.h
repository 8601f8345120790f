// What a resolver, and what the plain OS, answers; in the model's spelling.
#pragma once

#include <string>
#include <string_view>

#include <paddock/root.h>

#include "agreement/model.h"

namespace paddock::agreement {

// Asks `root`. Anything that comes back open is checked against /proc: an object that does not lie
// below `root_path` is answered as "OUTSIDE", whatever the model thinks of the path.
std::string observed(Look look, std::string_view path, const Root& root,
                     const std::string& root_path);

// Asks the plain OS, which follows every link, for a normalised path below the open directory
// `root`. Only for looks that the model marks as_plain_os.
std::string plain_os(Look look, const Names& path, int root);

// The plain OS, asked for this path, would open something that is not below `root_path`.
bool plain_os_leaves(const Names& path, int root, const std::string& root_path);

}  // namespace paddock::agreement
