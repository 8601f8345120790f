// A pattern for a whole path: names joined by "/", where "**" (or more stars) as a whole name
// stands for any number of names, none included ("a/**/b" matches "a/b"); at the end it stands for
// at least one. Elsewhere
// "**" is "*".
//
// Paths are relative and normalised. Matching never recurses; each name of the path is compared at
// most once with each name of the pattern.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/name_pattern.h"

namespace paddock::text {

struct PathPart {
    bool any_names = false;  // "**"
    NamePattern name;        // else

    // True if only the name `text` matches.
    bool is_literal(std::string_view text) const noexcept;
};

// Cuts a pattern at its slashes, one part for each name, empty ones included. Errors: those of
// NamePattern::parse.
Outcome<std::vector<PathPart>> parse_parts(std::string_view pattern, PatternOptions options);

class PathPattern {
public:
    explicit PathPattern(std::vector<PathPart> parts);

    bool matches(std::string_view path) const noexcept;

    // Matches the path or a directory above it.
    bool covers(std::string_view path) const noexcept;

    // False if nothing below `directory` (empty: the root) can match.
    bool may_match_below(std::string_view directory) const noexcept;

    // False if no path that ends in this name can match.
    bool may_end_in(std::string_view name) const noexcept;

    const std::vector<PathPart>& parts() const noexcept { return parts_; }

private:
    enum class Extent : bool { kWhole, kBeginning };
    bool matches(std::string_view path, Extent extent) const noexcept;
    bool matches_last_names(std::string_view path) const noexcept;

    std::vector<PathPart> parts_;
    bool by_last_names_ = false;  // "**/name", "**/a/b"
};

}  // namespace paddock::text
