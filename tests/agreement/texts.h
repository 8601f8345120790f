// Random names, link texts and paths.
//
// Names come from a small alphabet, so that random paths meet random names. Texts point in, out, at
// nothing, relative and absolute, in all spellings of the root.
#pragma once

#include <string>

#include "agreement/byte_source.h"
#include "agreement/plan.h"

namespace paddock::agreement {

std::string random_name(ByteSource& bytes);

// "../" so many times.
std::string climb(unsigned levels);

// The text of a link, or a path that is written like one.
std::string random_target(ByteSource& bytes, const Ground& ground);

// A path by names that the plan holds, links not followed.
std::string existing_path(ByteSource& bytes, const Node& root);

// A path as an agent might send it: often of something that exists, otherwise anything.
std::string random_path(ByteSource& bytes, const Ground& ground, const Node& root);

}  // namespace paddock::agreement
