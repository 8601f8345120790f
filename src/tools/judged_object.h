// The very object that was judged, whatever bears its name by now.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <paddock/root.h>

#include "base/outcome.h"

namespace paddock::tools {

using ObjectKey = std::pair<std::uint64_t, std::uint64_t>;  // device and inode
inline ObjectKey key_of(const Stat& stat) { return {stat.identity.device, stat.identity.inode}; }

// Only this very object, in whatever directory its path leads to by now. race; already_exists.
Done rename_judged(const Root& root, const std::string& path, const Stat& judged,
                   const std::string& to);

}  // namespace paddock::tools
