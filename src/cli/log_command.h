// `paddock log`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/unique_fd.h>

#include "cli/arguments.h"
#include "cli/parser.h"
#include "journal/timeline.h"
#include "journal/undo.h"

namespace paddock::cli {

// What the commands that look back have in common: the workspace and its journal, and how sessions,
// calls, times and names are written.

// The workspace of the settings, and all that happened in it.
struct Past {
    UniqueFd workspace;
    std::string root;  // absolute
    journal::Timeline timeline;
};
// kCompare: an index of git that was rewritten counts as changed only if it says something else.
enum class RewrittenIndexes : bool { kIgnore, kCompare };
// `target`: CALL|SESSION, or empty.
tl::expected<Past, ExitMessage> open_past(const SettingWords& words, std::string_view target,
                                          RewrittenIndexes rewritten = RewrittenIndexes::kIgnore);

// A path as a person gives it, in the workspace or absolute: normalised. Nothing: it lies outside.
std::optional<std::string> path_in(const Past& past, const std::string& path);

// CALL|SESSION and FILE..., of which the first may be left out.
PastWords past_words(std::vector<std::string> operands);

// What the words name. Without CALL|SESSION its session is empty. Or what is wrong with them.
tl::expected<journal::UndoTarget, ExitMessage> target_of(const Past& past, const PastWords& words);

// As short as it can be typed: "3f2a" or "3f2a/7".
std::string short_name(const journal::Timeline& timeline, std::string_view id_and_call);

std::string local_time(journal::Time time);  // "2026-11-18 12:40:37"
std::string utc_time(journal::Time time);    // "2026-11-18T11:40:37Z"

std::string octal_mode(std::uint32_t mode);  // "0644"

// "2 made, 1 changed, 1 cannot be undone"; "nothing" if there is none.
std::string counts_text(const journal::Changes& changes);

// The end of every --help of theirs.
inline constexpr std::string_view kHowToName =
    " Name a session by its id or the last four digits of it (3f2a). Name a call by session and "
    "number (3f2a/7), or by the number alone in the last session (7). 'paddock log' lists them.";

Command log_command();

int run(const LogRequest& request);

}  // namespace paddock::cli
