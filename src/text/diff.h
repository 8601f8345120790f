// What changed between two texts, line by line, and how to show it: the unified form that `patch`
// and `git apply` accept.
//
// The result is always right, and the shortest possible unless the texts are long and differ
// nearly everywhere, or in places far apart: the work is bounded, and what remains then counts as
// replaced as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/limits.h>

#include "text/lines.h"

namespace paddock::text {

// The search behind a diff: which elements of two sequences change when one becomes the other.

// One text as it enters the search: equal lines have equal numbers.
struct Side {
    std::vector<std::uint32_t> ids;
    std::vector<std::uint32_t> lines;  // which line each stands for, ascending
    std::vector<bool> changed;         // by line; the search sets what it finds
};

// Marks as few lines as possible on both sides, so that what is left is equal. Work is bounded: of
// sequences that are long and differ nearly everywhere more may be marked.
void mark_changes(Side& a, Side& b);

// Lines [before, before + removed) became lines [after, after + added); everything between two
// changes is equal, endings included. Lines count from 0.
struct Change {
    std::size_t before = 0;
    std::size_t removed = 0;
    std::size_t after = 0;
    std::size_t added = 0;
};

// Ascending, never touching each other; empty if the texts are equal.
std::vector<Change> diff_lines(const Lines& before, const Lines& after);

struct DiffOptions {
    std::size_t context = 3;
    std::size_t bytes_max = limits::kDiffBytesMax;
    std::size_t line_bytes_max = std::string_view::npos;  // a longer line is shown cut
};

struct DiffText {
    std::string text;         // ends with a note if it was cut
    std::size_t added = 0;    // lines, the ones that were cut off too
    std::size_t removed = 0;  // lines, the ones that were cut off too
    bool cut = false;         // by one of the bounds: not to be fed to `patch`
};

// "@@ -1,4 +1,5 @@" and the lines, for every change.
DiffText print_hunks(const Lines& before, const Lines& after, std::span<const Change> changes,
                     const DiffOptions& options = {});

// The same with "--- label" and "+++ label" before it; empty if nothing changed. Labels are written
// as given: "a/x", "/dev/null", a name with odd bytes already quoted. Texts up to 4 GiB.
DiffText unified_diff(std::string_view before, std::string_view after,
                      std::string_view label_before, std::string_view label_after,
                      const DiffOptions& options = {});

}  // namespace paddock::text
