// What to say of a glob that is none.
#pragma once

#include <string>

#include "base/outcome.h"
#include "tools/answer.h"

namespace paddock::tools {

inline Problem bad_pattern(const Failure& failure, const std::string& pattern) {
    return Problem(as_error(failure, "glob", pattern));
}

}  // namespace paddock::tools
