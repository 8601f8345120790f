// Myers' search for a shortest edit script in linear space: forward and backward searches from both
// corners of a box meet on an optimal path, which splits the box in two. A search that becomes too
// costly splits at the furthest point it has reached instead.
#include "text/diff.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "base/check.h"

namespace paddock::text {
namespace {

// Lines, of both texts together, that a diff compares, and of each text at once: a tenth of a
// second and 12 MB. Equal lines before and behind all changes do not count.
constexpr std::size_t kDiffComparedLinesMax = 500'000;
constexpr std::size_t kDiffWindowLines = 125'000;

using Index = std::ptrdiff_t;

// Edits on one path before the search takes what it has: quality above this is not worth the
// square of it in time.
constexpr Index kPathCostMax = 512;

// Steps of all searches of one comparison: well below a second.
constexpr std::uint64_t kStepsMax = 150'000'000;

constexpr Index kUnreachable = std::numeric_limits<Index>::min() / 2;

struct Box {
    Index a_begin, a_end, b_begin, b_end;
};

struct Point {
    Index a, b;
};

// How far each diagonal (a - b) has been followed. Diagonals that were not reached hold a sentinel.
class Front {
public:
    Front(Index size_a, Index size_b)
        : shift_(size_b + 1), reach_(static_cast<std::size_t>(size_a + size_b + 3)) {}

    void start(Index diagonal, Index position, Index unreached) {
        middle_ = low_ = high_ = diagonal;
        unreached_ = unreached;
        at(diagonal) = position;
        at(diagonal - 1) = at(diagonal + 1) = unreached;
    }

    // The diagonals that a path of `cost` edits may end on, within [least, most].
    void widen(Index cost, Index least, Index most) {
        low_ = middle_ - cost;
        high_ = middle_ + cost;
        if (low_ < least) low_ = least + ((least - low_) & 1);
        if (high_ > most) high_ = most - ((high_ - most) & 1);
        if (low_ == middle_ - cost) at(low_ - 1) = unreached_;
        if (high_ == middle_ + cost) at(high_ + 1) = unreached_;
    }

    Index& at(Index diagonal) { return reach_[static_cast<std::size_t>(diagonal + shift_)]; }
    Index low() const { return low_; }
    Index high() const { return high_; }
    bool covers(Index diagonal) const { return diagonal >= low_ && diagonal <= high_; }

private:
    Index shift_;
    std::vector<Index> reach_;
    Index middle_ = 0, low_ = 0, high_ = 0, unreached_ = 0;
};

class Search {
public:
    Search(Side& a, Side& b)
        : a_(a), b_(b), forward_(size(a), size(b)), backward_(size(a), size(b)) {}

    void run() {
        std::vector<Box> open{{0, size(a_), 0, size(b_)}};
        while (!open.empty()) {
            Box box = open.back();
            open.pop_back();
            trim(box);
            if (box.a_begin == box.a_end || box.b_begin == box.b_end || steps_ >= kStepsMax) {
                mark(box);
                continue;
            }
            const Point middle = split(box);
            open.push_back({box.a_begin, middle.a, box.b_begin, middle.b});
            open.push_back({middle.a, box.a_end, middle.b, box.b_end});
        }
    }

private:
    static Index size(const Side& side) { return static_cast<Index>(side.ids.size()); }

    bool same(Index a, Index b) const {
        return a_.ids[static_cast<std::size_t>(a)] == b_.ids[static_cast<std::size_t>(b)];
    }

    void trim(Box& box) const {
        while (box.a_begin < box.a_end && box.b_begin < box.b_end &&
               same(box.a_begin, box.b_begin)) {
            ++box.a_begin;
            ++box.b_begin;
        }
        while (box.a_begin < box.a_end && box.b_begin < box.b_end &&
               same(box.a_end - 1, box.b_end - 1)) {
            --box.a_end;
            --box.b_end;
        }
    }

    void mark(const Box& box) {
        for (Index i = box.a_begin; i < box.a_end; ++i) {
            a_.changed[a_.lines[static_cast<std::size_t>(i)]] = true;
        }
        for (Index i = box.b_begin; i < box.b_end; ++i) {
            b_.changed[b_.lines[static_cast<std::size_t>(i)]] = true;
        }
    }

    // A point on a path through a trimmed box, neither of its two corners.
    Point split(const Box& box) {
        const Index least = box.a_begin - box.b_end;
        const Index most = box.a_end - box.b_begin;
        forward_.start(box.a_begin - box.b_begin, box.a_begin, kUnreachable);
        backward_.start(box.a_end - box.b_end, box.a_end, -kUnreachable);
        Point met{};
        for (Index cost = 1;; ++cost) {
            forward_.widen(cost, least, most);
            if (advance_forward(box, met)) return met;
            backward_.widen(cost, least, most);
            if (advance_backward(box, met)) return met;
            if (cost >= kPathCostMax || steps_ >= kStepsMax) return furthest();
        }
    }

    // One more edit on every forward path. True if one has met a backward path.
    bool advance_forward(const Box& box, Point& met) {
        for (Index k = forward_.high(); k >= forward_.low(); k -= 2) {
            ++steps_;
            const Index left = forward_.at(k - 1);
            const Index above = forward_.at(k + 1);
            Index a = left < box.a_end ? left + 1 : kUnreachable;
            if (above - k <= box.b_end) a = std::max(a, above);
            if (a < box.a_begin) {
                forward_.at(k) = kUnreachable;
                continue;
            }
            const Index from = a;
            while (a < box.a_end && a - k < box.b_end && same(a, a - k)) ++a;
            steps_ += static_cast<std::uint64_t>(a - from);
            forward_.at(k) = a;
            if (!backward_.covers(k) || !meets(k) || backward_.at(k) > a) continue;
            met = {a, a - k};
            return true;
        }
        return false;
    }

    bool advance_backward(const Box& box, Point& met) {
        for (Index k = backward_.high(); k >= backward_.low(); k -= 2) {
            ++steps_;
            const Index right = backward_.at(k + 1);
            const Index below = backward_.at(k - 1);
            Index a = right > box.a_begin ? right - 1 : -kUnreachable;
            if (below - k >= box.b_begin) a = std::min(a, below);
            if (a > box.a_end) {
                backward_.at(k) = -kUnreachable;
                continue;
            }
            const Index from = a;
            while (a > box.a_begin && a - k > box.b_begin && same(a - 1, a - k - 1)) --a;
            steps_ += static_cast<std::uint64_t>(from - a);
            backward_.at(k) = a;
            if (!forward_.covers(k) || !meets(k) || forward_.at(k) < a) continue;
            met = {a, a - k};
            return true;
        }
        return false;
    }

    // Both fronts hold this diagonal from their last round, not from the one before.
    bool meets(Index k) const {
        return ((k - forward_.low()) & 1) == 0 && ((k - backward_.low()) & 1) == 0;
    }

    Point furthest() {
        Point best{kUnreachable, 0};
        for (Index k = forward_.low(); k <= forward_.high(); k += 2) {
            const Index a = forward_.at(k);
            if (a > kUnreachable / 2 && a + a - k > best.a + best.b) best = {a, a - k};
        }
        return best;
    }

    Side& a_;
    Side& b_;
    Front forward_;
    Front backward_;
    std::uint64_t steps_ = 0;
};

}  // namespace

void mark_changes(Side& a, Side& b) { Search(a, b).run(); }

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
        std::max(middle.before_end, middle.after_end) - middle.begin <= kDiffWindowLines;
    std::size_t lines = fits ? kDiffWindowLines : kFirstWindowLines;
    while (i < middle.before_end && j < middle.after_end && compared < kDiffComparedLinesMax) {
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
        if (is_open && found.size() == 1 && lines < kDiffWindowLines) {
            lines = std::min(2 * lines, kDiffWindowLines);
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

namespace {

// "12,3", "12" for one line, "11,0" for no line after line 11.
std::string range(std::size_t first, std::size_t count) {
    const std::size_t line = count == 0 ? first : first + 1;
    std::string text = std::to_string(line);
    if (count != 1) text += "," + std::to_string(count);
    return text;
}

class Printer {
public:
    Printer(const Lines& before, const Lines& after, const DiffOptions& options)
        : before_(before), after_(after), options_(options) {}

    void hunk(std::span<const Change> changes) {
        const Change& first = changes.front();
        const Change& last = changes.back();
        const std::size_t lead = std::min(options_.context, first.before);
        const std::size_t last_end = last.before + last.removed;
        const std::size_t trail = std::min(options_.context, before_.size() - last_end);
        const std::size_t from = first.before - lead;
        const std::size_t new_from = first.after - lead;
        const std::size_t new_end = last.after + last.added + trail;
        add("@@ -" + range(from, last_end + trail - from) + " +" +
            range(new_from, new_end - new_from) + " @@\n");
        std::size_t shown = from;
        for (const Change& change : changes) {
            lines(' ', before_, shown, change.before);
            lines('-', before_, change.before, change.before + change.removed);
            lines('+', after_, change.after, change.after + change.added);
            shown = change.before + change.removed;
        }
        lines(' ', before_, shown, last_end + trail);
    }

    DiffText take(std::span<const Change> changes) && {
        for (const Change& change : changes) {
            out_.removed += change.removed;
            out_.added += change.added;
        }
        if (full_) {
            out_.text += "[diff cut here: -" + std::to_string(out_.removed) + " +" +
                         std::to_string(out_.added) + " lines in all]\n";
        }
        return std::move(out_);
    }

private:
    void lines(char mark, const Lines& source, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to && !full_; ++i) line(mark, source[i]);
    }

    void line(char mark, std::string_view line) {
        std::string_view body = line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0));
        std::string text(1, mark);
        if (body.size() > options_.line_bytes_max) {
            out_.cut = true;
            body = body.substr(0, options_.line_bytes_max);
            while (!body.empty() && (line[body.size()] & '\xC0') == '\x80') body.remove_suffix(1);
            text.append(body).append("[...]");
        } else if (body.size() <= options_.bytes_max) {
            text += body;
        } else {
            return stop();
        }
        text += '\n';
        if (!line.ends_with('\n')) text += "\\ No newline at end of file\n";
        add(text);
    }

    void add(std::string_view text) {
        if (full_) return;
        if (out_.text.size() + text.size() > options_.bytes_max) return stop();
        out_.text += text;
    }

    void stop() { full_ = out_.cut = true; }

    const Lines& before_;
    const Lines& after_;
    const DiffOptions& options_;
    DiffText out_;
    bool full_ = false;
};

// git and GNU diff end a name that holds a blank with a tab, so that `patch` sees where it ends.
std::string header(std::string_view mark, std::string_view label) {
    std::string line = std::string(mark) + std::string(label);
    if (label.find(' ') != std::string_view::npos) line += '\t';
    return line + "\n";
}

}  // namespace

DiffText print_hunks(const Lines& before, const Lines& after, std::span<const Change> changes,
                     const DiffOptions& options) {
    Printer printer(before, after, options);
    for (std::size_t first = 0; first < changes.size();) {
        std::size_t next = first + 1;
        while (next < changes.size() &&
               changes[next].before - (changes[next - 1].before + changes[next - 1].removed) <=
                   2 * options.context) {
            ++next;
        }
        printer.hunk(changes.subspan(first, next - first));
        first = next;
    }
    return std::move(printer).take(changes);
}

DiffText unified_diff(std::string_view before, std::string_view after,
                      std::string_view label_before, std::string_view label_after,
                      const DiffOptions& options) {
    const Lines before_lines(before);
    const Lines after_lines(after);
    DiffText diff =
        print_hunks(before_lines, after_lines, diff_lines(before_lines, after_lines), options);
    if (diff.text.empty()) return diff;
    diff.text = header("--- ", label_before) + header("+++ ", label_after) + diff.text;
    return diff;
}

}  // namespace paddock::text
