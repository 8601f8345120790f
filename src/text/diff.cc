#include "text/diff.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>

#include "base/check.h"
#include "text/edit_script.h"

namespace paddock::text {
namespace {

// The lines that differ at neither end of the texts.
struct Middle {
    std::size_t begin, before_end, after_end;
};

Middle middle_of(const Lines& before, const Lines& after) {
    Middle middle{0, before.size(), after.size()};
    const std::size_t shorter = std::min(before.size(), after.size());
    while (middle.begin < shorter && before[middle.begin] == after[middle.begin]) ++middle.begin;
    while (middle.before_end > middle.begin && middle.after_end > middle.begin &&
           before[middle.before_end - 1] == after[middle.after_end - 1]) {
        --middle.before_end;
        --middle.after_end;
    }
    return middle;
}

struct Occurrence {
    std::uint64_t hash;
    std::uint32_t line;
    bool is_after;
};

constexpr std::uint32_t kAlone = std::numeric_limits<std::uint32_t>::max();

// Enough to find the end of a small change in a long text.
constexpr std::size_t kFirstWindowLines = 4096;

// The lines that are compared at once, a part of the middle.
struct Window {
    std::size_t before_begin, before_end, after_begin, after_end;

    std::size_t size() const { return before_end - before_begin + after_end - after_begin; }
};

// Gives equal lines equal numbers, and lines that occur on one side only kAlone. Sorted, not hashed
// into a table: crafted collisions then cost a comparison, not a square.
class Numbering {
public:
    Numbering(const Lines& before, const Lines& after, const Window& window)
        : texts_{std::cref(before), std::cref(after)},
          first_{window.before_begin, window.after_begin},
          ids_{Ids(window.before_end - window.before_begin, kAlone),
               Ids(window.after_end - window.after_begin, kAlone)} {
        std::vector<Occurrence> all;
        all.reserve(window.size());
        gather(all, false);
        gather(all, true);
        std::sort(all.begin(), all.end(), [&](const Occurrence& x, const Occurrence& y) {
            return x.hash != y.hash ? x.hash < y.hash : line_of(x) < line_of(y);
        });
        std::uint32_t next = 0;
        for (std::size_t first = 0; first < all.size(); ++next) first = number(all, first, next);
    }

    // Lines that occur on one side only have changed; the others enter the search.
    Side side(bool is_after) const {
        const Ids& ids = ids_[is_after ? 1 : 0];
        Side side;
        side.changed.resize(ids.size());
        for (std::size_t i = 0; i < ids.size(); ++i) {
            side.changed[i] = ids[i] == kAlone;
            if (ids[i] == kAlone) continue;
            side.ids.push_back(ids[i]);
            side.lines.push_back(static_cast<std::uint32_t>(i));
        }
        return side;
    }

private:
    using Ids = std::vector<std::uint32_t>;

    std::string_view line_of(const Occurrence& o) const {
        const std::size_t side = o.is_after ? 1 : 0;
        return texts_[side].get()[first_[side] + o.line];
    }

    void gather(std::vector<Occurrence>& all, bool is_after) {
        for (std::uint32_t i = 0; i < ids_[is_after ? 1 : 0].size(); ++i) {
            Occurrence occurrence{0, i, is_after};
            occurrence.hash = std::hash<std::string_view>()(line_of(occurrence));
            all.push_back(occurrence);
        }
    }

    // Numbers the lines equal to the one at `first`; returns where others begin.
    std::size_t number(const std::vector<Occurrence>& all, std::size_t first, std::uint32_t id) {
        std::size_t last = first;
        std::size_t on_after = 0;
        for (; last < all.size() && all[last].hash == all[first].hash &&
               line_of(all[last]) == line_of(all[first]);
             ++last) {
            if (all[last].is_after) ++on_after;
        }
        if (on_after == 0 || on_after == last - first) return last;
        for (std::size_t i = first; i < last; ++i) ids_[all[i].is_after ? 1 : 0][all[i].line] = id;
        return last;
    }

    std::array<std::reference_wrapper<const Lines>, 2> texts_;
    std::array<std::size_t, 2> first_;  // lines of the window
    std::array<Ids, 2> ids_;
};

std::vector<Change> changes_in(const Lines& before, const Lines& after, const Window& window) {
    const Numbering numbering(before, after, window);
    Side a = numbering.side(false);
    Side b = numbering.side(true);
    mark_changes(a, b);
    std::vector<Change> changes;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.changed.size() || j < b.changed.size()) {
        Change change{window.before_begin + i, 0, window.after_begin + j, 0};
        while (i < a.changed.size() && a.changed[i]) ++i, ++change.removed;
        while (j < b.changed.size() && b.changed[j]) ++j, ++change.added;
        if (change.removed + change.added > 0) {
            changes.push_back(change);
            continue;
        }
        PADDOCK_CHECK(i < a.changed.size() && j < b.changed.size());
        ++i;
        ++j;
    }
    return changes;
}

bool ends_at(const Change& change, std::size_t before, std::size_t after) {
    return change.before + change.removed == before && change.after + change.added == after;
}

void append(std::vector<Change>& changes, const Change& next) {
    if (next.removed + next.added == 0) return;
    if (changes.empty() || !ends_at(changes.back(), next.before, next.after)) {
        return changes.push_back(next);
    }
    changes.back().removed += next.removed;
    changes.back().added += next.added;
}

}  // namespace

// What fits into one window is compared at once. Of longer texts lines that are equal are passed
// over, and what follows is compared window by window, up to the bound: in larger ones if nothing
// in one is equal. What differs at the end of a window may be equal to what follows, and is
// compared again with that.
std::vector<Change> diff_lines(const Lines& before, const Lines& after) {
    const Middle middle = middle_of(before, after);
    std::vector<Change> changes;
    std::size_t i = middle.begin;
    std::size_t j = middle.begin;
    std::size_t compared = 0;
    const bool fits =
        std::max(middle.before_end, middle.after_end) - middle.begin <= limits::kDiffWindowLines;
    std::size_t lines = fits ? limits::kDiffWindowLines : kFirstWindowLines;
    while (i < middle.before_end && j < middle.after_end &&
           compared < limits::kDiffComparedLinesMax) {
        if (before[i] == after[j]) {
            ++i;
            ++j;
            continue;
        }
        const Window window{i, std::min(i + lines, middle.before_end), j,
                            std::min(j + lines, middle.after_end)};
        compared += window.size();
        std::vector<Change> found = changes_in(before, after, window);
        const bool is_last =
            window.before_end == middle.before_end && window.after_end == middle.after_end;
        const bool is_open = !is_last && ends_at(found.back(), window.before_end, window.after_end);
        if (is_open && found.size() == 1 && lines < limits::kDiffWindowLines) {
            lines = std::min(2 * lines, limits::kDiffWindowLines);
            continue;
        }
        i = window.before_end;
        j = window.after_end;
        if (is_open && found.size() > 1) {
            i = found.back().before;
            j = found.back().after;
            found.pop_back();
        }
        for (const Change& change : found) append(changes, change);
    }
    append(changes, {i, middle.before_end - i, j, middle.after_end - j});
    return changes;
}

}  // namespace paddock::text
