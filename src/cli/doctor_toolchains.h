// Which toolchains of the user commands would see, and why; where their home is kept.
#pragma once

#include <string>

#include "sandbox/toolchains.h"

namespace paddock::cli {

struct WorldFinding {
    sandbox::Toolchains toolchains;
    std::string homes;  // the directory; empty: homes end with the session
};

// With the configuration in force, or the defaults if that is refused.
WorldFinding examine_world();

}  // namespace paddock::cli
