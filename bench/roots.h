// The roots that the benchmarks measure.
#pragma once

#include <string>

#include <paddock/root.h>

namespace paddock::bench {

// Both resolvers on one directory.
struct Roots {
    Root kernel;
    Root walk;
};

// Nothing where this kernel, or a filter, does not let openat2 answer.
std::optional<Roots> open_roots(const std::string& directory);

}  // namespace paddock::bench
