#include "text/similar.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <paddock/limits.h>

#include "text/fold.h"

namespace paddock::text {
namespace {

constexpr std::size_t kFar = static_cast<std::size_t>(-1);
constexpr std::size_t kBeyond = kFar / 2;

// Letters that may differ: a third of them, one at least, and so few at most that comparing a name
// with a whole directory stays cheap.
std::size_t forgiven(std::string_view word) {
    return std::clamp<std::size_t>(word.size() / 3, 1, limits::kSimilarLettersMax);
}

// Letters to insert, delete, replace or swap with their neighbour; kFar if more than `most`.
std::size_t distance(std::string_view a, std::string_view b, std::size_t most) {
    const std::size_t longer = std::max(a.size(), b.size());
    if (longer > limits::kSimilarNameBytesMax || longer - std::min(a.size(), b.size()) > most) {
        return kFar;
    }
    // Rows of the table of all prefixes, this one and the two before it, and of each row only what
    // lies within `most` of the diagonal; beyond that the distance is larger anyway.
    using Row = std::array<std::size_t, limits::kSimilarNameBytesMax + 2>;
    std::array<Row, 3> rows;
    std::iota(rows[0].begin(), rows[0].end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        Row& row = rows[i % 3];
        const Row& above = rows[(i + 2) % 3];
        const Row& two_above = rows[(i + 1) % 3];
        const std::size_t first = i > most ? i - most : 1;
        const std::size_t last = std::min(i + most, b.size());
        row[first - 1] = first == 1 ? i : kBeyond;
        row[last + 1] = kBeyond;
        std::size_t least = row[first - 1];
        for (std::size_t j = first; j <= last; ++j) {
            const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
            least = std::min(least, row[j]);
        }
        // A swap may still come from the row above, at one more.
        if (least > most + 1) return kFar;
    }
    const std::size_t whole = rows[a.size() % 3][b.size()];
    return whole > most ? kFar : whole;
}

std::string_view stem_of(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos || dot == 0 ? name : name.substr(0, dot);
}

// The beginning is three letters at least, and a third of the whole.
bool begins_with(std::string_view whole, std::string_view beginning) {
    return beginning.size() >= 3 && 3 * beginning.size() >= whole.size() &&
           whole.starts_with(beginning);
}

// How far a candidate is from the wanted name, both in lower case; kFar if it is no help. The
// extension alone makes no likeness.
std::size_t rank(std::string_view wanted, std::string_view candidate) {
    if (candidate == wanted) return 0;
    const std::string_view stem = stem_of(wanted);
    const std::string_view other = stem_of(candidate);
    if (other == stem) return 1;
    const std::size_t most = std::min(forgiven(stem), stem.size() - 1);
    if (distance(stem, other, most) != kFar) {
        const std::size_t letters = distance(wanted, candidate, forgiven(wanted));
        if (letters != kFar) return 1 + letters;
    }
    const bool begins = begins_with(other, stem) || begins_with(stem, other);
    return begins ? 1 + limits::kSimilarNameBytesMax : kFar;
}

}  // namespace

std::string nearest_word(std::string_view typed, const std::vector<std::string>& valid) {
    std::string best;
    std::size_t best_cost = forgiven(typed) + 1;
    for (const std::string& word : valid) {
        const bool begun = typed.size() > 1 && word.starts_with(typed);
        const std::size_t cost = begun ? 0 : distance(typed, word, forgiven(typed));
        if (cost >= best_cost) continue;
        best = word;
        best_cost = cost;
    }
    return best;
}

std::vector<std::string> similar_names(std::string_view wanted,
                                       std::span<const std::string> candidates, std::size_t most) {
    if (wanted.empty() || wanted.size() > limits::kSimilarNameBytesMax) return {};
    const std::string folded = fold_case(wanted);
    std::vector<std::pair<std::size_t, std::size_t>> ranked;  // rank, index
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i] == wanted) continue;
        const std::size_t at = rank(folded, fold_case(candidates[i]));
        if (at != kFar) ranked.emplace_back(at, i);
    }
    const auto shown = static_cast<std::ptrdiff_t>(std::min(most, ranked.size()));
    std::partial_sort(ranked.begin(), ranked.begin() + shown, ranked.end());
    std::vector<std::string> names;
    for (auto it = ranked.begin(); it != ranked.begin() + shown; ++it) {
        names.push_back(candidates[it->second]);
    }
    return names;
}

}  // namespace paddock::text
