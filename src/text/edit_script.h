// The search behind a diff: which elements of two sequences change when one becomes the other.
#pragma once

#include <cstdint>
#include <vector>

namespace paddock::text {

// One text as it enters the search: equal lines have equal numbers.
struct Side {
    std::vector<std::uint32_t> ids;
    std::vector<std::uint32_t> lines;  // which line each stands for, ascending
    std::vector<bool> changed;         // by line; the search sets what it finds
};

// Marks as few lines as possible on both sides, so that what is left is equal. Work is bounded: of
// sequences that are long and differ nearly everywhere more may be marked.
void mark_changes(Side& a, Side& b);

}  // namespace paddock::text
