// What to say of a glob that is none.
#pragma once

#include <string>

#include "tools/answer.h"

namespace paddock::tools {

inline Problem bad_pattern(const Failure& failure, const std::string& pattern) {
    Error error;
    static_cast<Failure&>(error) = failure;
    error.operation = "glob";
    error.path = pattern;
    return Problem(error);
}

}  // namespace paddock::tools
