// A path of the workspace that commands may not change, or not even see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <paddock/handle.h>

namespace paddock::sandbox {

enum class Shield : std::uint8_t {
    kReadOnly,  // it and all below can be read
    kHidden,    // an empty object without permissions stands in its place
    kEmptied,  // of a directory: an empty one stands in its place, which can be read
};

struct Protection {
    // Relative to the workspace, or absolute in another root; names only, no link is followed.
    std::string path;
    Shield shield = Shield::kReadOnly;
    // What was seen there: nothing else will do. Absent: whatever is there, if anything.
    std::optional<Identity> object = {};
};

}  // namespace paddock::sandbox
