// The lexical half of resolution: bytes from a caller into names below the root. Touches no disk.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root_options.h>

#include "base/outcome.h"

namespace paddock::fs {

// An absolute path of the root, as components: {"srv", "ws"}.
using Spelling = std::vector<std::string>;

struct PathRules {
    AbsolutePaths absolute = AbsolutePaths::kInside;
    DotDot dotdot = DotDot::kNormalize;
    std::vector<Spelling> spellings;  // of the root; the operator's and the real one
};

// Normalised: names joined by single slashes, no ".", no "..", no slash at either end.
struct RelPath {
    std::string text;                // empty: the root itself
    bool must_be_directory = false;  // written with a final "/", "/." or "/.."
    bool ends_in_dots = false;       // the last component was written as "." or ".."

    bool is_root() const noexcept { return text.empty(); }
    std::string_view parent() const noexcept;  // empty: the root
    std::string_view leaf() const noexcept;
};

// Of a normalised path; the parent of a name in the root is empty, like the root itself.
std::string_view parent_of(std::string_view path) noexcept;
std::string_view leaf_of(std::string_view path) noexcept;
// "." is the root as well.
std::string joined(std::string_view directory, std::string_view name);

// Errors: invalid_path, path_escape, absolute_path.
Outcome<RelPath> parse_path(std::string_view path, const PathRules& rules);

// What remains of an absolute path below one of the spellings, compared component by component;
// path_escape if it lies elsewhere. The rest may still hold "." and "..".
Outcome<std::string_view> strip_root(std::string_view absolute, const PathRules& rules);

// The components of an absolute path; nothing if it is relative or holds "..".
std::optional<Spelling> spelling_of(std::string_view absolute);

// Cuts the next component off `rest`: "a/b" gives "a" and leaves "/b". Empty at the end.
std::string_view take_component(std::string_view& rest) noexcept;

}  // namespace paddock::fs
