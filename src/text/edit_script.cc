// Myers' search for a shortest edit script in linear space: forward and backward searches from both
// corners of a box meet on an optimal path, which splits the box in two. A search that becomes too
// costly splits at the furthest point it has reached instead.
#include "text/edit_script.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace paddock::text {
namespace {

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

}  // namespace paddock::text
