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

// Gives equal lines equal numbers, and lines that occur on one side only kAlone. Sorted, not hashed
// into a table: crafted collisions then cost a comparison, not a square.
class Numbering {
public:
    Numbering(const Lines& before, const Lines& after, const Middle& middle)
        : texts_{std::cref(before), std::cref(after)},
          ids_{Ids(before.size(), kAlone), Ids(after.size(), kAlone)} {
        std::vector<Occurrence> all;
        all.reserve(middle.before_end + middle.after_end - 2 * middle.begin);
        gather(all, middle.begin, middle.before_end, false);
        gather(all, middle.begin, middle.after_end, true);
        std::sort(all.begin(), all.end(), [&](const Occurrence& x, const Occurrence& y) {
            return x.hash != y.hash ? x.hash < y.hash : line_of(x) < line_of(y);
        });
        std::uint32_t next = 0;
        for (std::size_t first = 0; first < all.size(); ++next) first = number(all, first, next);
    }

    // Lines that occur on one side only have changed; the others enter the search.
    Side side(bool is_after, std::size_t begin, std::size_t end) const {
        const Ids& ids = ids_[is_after ? 1 : 0];
        Side side;
        side.changed.resize(ids.size());
        for (std::size_t i = begin; i < end; ++i) {
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
        return texts_[o.is_after ? 1 : 0].get()[o.line];
    }

    void gather(std::vector<Occurrence>& all, std::size_t begin, std::size_t end, bool is_after) {
        for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
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
    std::array<Ids, 2> ids_;
};

}  // namespace

std::vector<Change> diff_lines(const Lines& before, const Lines& after) {
    const Middle middle = middle_of(before, after);
    const Numbering numbering(before, after, middle);
    Side a = numbering.side(false, middle.begin, middle.before_end);
    Side b = numbering.side(true, middle.begin, middle.after_end);
    mark_changes(a, b);
    std::vector<Change> changes;
    std::size_t i = middle.begin;
    std::size_t j = middle.begin;
    while (i < middle.before_end || j < middle.after_end) {
        Change change{i, 0, j, 0};
        while (i < middle.before_end && a.changed[i]) ++i;
        while (j < middle.after_end && b.changed[j]) ++j;
        change.removed = i - change.before;
        change.added = j - change.after;
        if (change.removed + change.added > 0) {
            changes.push_back(change);
            continue;
        }
        PADDOCK_CHECK(i < middle.before_end && j < middle.after_end);
        ++i;
        ++j;
    }
    return changes;
}

}  // namespace paddock::text
