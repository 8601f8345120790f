// Changes one member of a JSON text and keeps every other byte: for files that belong to others.
//
// The text must be strict JSON (parse.h); comments and trailing commas are refused, since where
// they belong is not known. An empty text is an empty object.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "json/value.h"

namespace paddock::json {

// The new text, or what is the matter with the old one.
using Spliced = tl::expected<std::string, std::string>;

// Names from the outermost object inwards, one at least.
using MemberPath = std::span<const std::string>;

// Sets a member; objects on the way are made. A new member comes last, indented like its siblings.
Spliced set_member(std::string_view text, MemberPath path, const Value& value);

// Removes it, and objects on the way that hold nothing else. The same text if there is none.
Spliced remove_member(std::string_view text, MemberPath path);

}  // namespace paddock::json
