// Strict JSON text to a Value: UTF-8 only, nothing after the document, no duplicate names, bounded
// in size, depth and number of values.
#pragma once

#include <string>
#include <string_view>

#include <paddock/limits.h>

#include "json/value.h"

namespace paddock::json {

struct ParseLimits {
    std::size_t bytes_max = limits::kJsonBytesMax;
    std::size_t depth_max = limits::kJsonDepthMax;
    std::size_t values_max = limits::kJsonValuesMax;
};

struct Parsed {
    Value value;
    std::string problem;  // empty: all is well; else what is wrong, and at which byte
};

// Never throws, never recurses on the input's depth beyond `depth_max`.
Parsed parse(std::string_view text, const ParseLimits& limits = {});

}  // namespace paddock::json
