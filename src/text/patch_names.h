// Names of files as diffs write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock::text {

// The bytes behind git's C-style quoting, quotes included in `quoted`; nothing if it is malformed
// or holds a NUL.
std::optional<std::string> unquote_git_name(std::string_view quoted);

// The name in a header line after its keyword: quoted, or everything up to a tab.
std::optional<std::string> read_name(std::string_view field);

// Where the name ends in a line of "---" or "+++": at a tab, or without one at blanks that a date
// follows, as diff writes it ("2026-01-31 10:00:00.0 +0100", "Sat Jan 31 10:00:00 2026"), and
// nothing after that. Blanks alone are part of the name.
struct TimedName {
    std::string_view name;
    std::string_view time;  // empty: none
};
TimedName split_time(std::string_view field);

// True for "a/x" and "b/y" and the other pairs of prefixes that git writes, in either order.
bool have_prefixes(std::string_view before, std::string_view after);

// What follows "diff --git ": the one name of both sides, without its prefix if it has one. Nothing
// if the two differ (a rename, told elsewhere) or cannot be told apart.
std::optional<std::string> read_git_line(std::string_view field);

}  // namespace paddock::text
