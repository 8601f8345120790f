#include "cli/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace paddock::cli {
namespace {

// Longer input is no typing error, and the table below grows with it.
constexpr std::size_t kTypedBytesMax = 64;

// Letters to insert, delete, replace or swap with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    std::iota(cost[0].begin(), cost[0].end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        cost[i][0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            cost[i][j] = std::min({replaced, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& valid) {
    if (typed.size() > kTypedBytesMax) return {};
    std::string best;
    std::size_t best_cost = std::max<std::size_t>(1, typed.size() / 3) + 1;
    for (const std::string& word : valid) {
        const bool begun = typed.size() > 1 && word.starts_with(typed);
        const std::size_t cost = begun ? 0 : distance(typed, word);
        if (cost >= best_cost) continue;
        best = word;
        best_cost = cost;
    }
    return best;
}

}  // namespace paddock::cli
