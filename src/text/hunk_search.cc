#include "text/hunk_search.h"

#include <algorithm>
#include <functional>
#include <string>

#include <paddock/limits.h>

#include "text/fold.h"

namespace paddock::text {
namespace {

HunkLine line_of(const Lines& content, std::size_t index) {
    const std::string_view line = content[index];
    const bool ends = line.ends_with('\n');
    return {' ', line.substr(0, line.size() - (ends ? 1 : 0)), ends};
}

// What of a line counts; `folded` may hold it.
std::string_view key(std::string_view text, Tolerance tolerance, std::string& folded) {
    switch (tolerance) {
        case Tolerance::kExact: return text;
        case Tolerance::kEndings:
            return text.substr(0, text.size() - (text.ends_with('\r') ? 1 : 0));
        case Tolerance::kTrailingSpace: return trim_end(text);
        case Tolerance::kOuterSpace: return trim(text);
        case Tolerance::kPunctuation: break;
    }
    folded = fold_punctuation(text);
    return trim(folded);
}

bool same(const HunkLine& a, const HunkLine& b, Tolerance tolerance) {
    if (tolerance == Tolerance::kExact && a.ends != b.ends) return false;
    std::string folded_a;
    std::string folded_b;
    return key(a.text, tolerance, folded_a) == key(b.text, tolerance, folded_b);
}

std::uint64_t hash(const HunkLine& line, Tolerance tolerance) {
    std::string folded;
    return std::hash<std::string_view>()(key(line.text, tolerance, folded));
}

}  // namespace

bool HunkSearch::matches(std::span<const HunkLine> wanted, std::size_t at,
                         Tolerance tolerance) const {
    if (wanted.empty() || at > content_.size() || wanted.size() > content_.size() - at)
        return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!same(line_of(content_, at + i), wanted[i], tolerance)) return false;
    }
    return true;
}

std::vector<std::size_t> HunkSearch::find(std::span<const HunkLine> wanted, std::size_t from,
                                          Tolerance tolerance, std::size_t most) {
    std::vector<std::size_t> found;
    if (wanted.empty() || wanted.size() > content_.size()) return found;
    std::vector<std::uint64_t>& hashes = hashes_[static_cast<std::size_t>(tolerance)];
    if (hashes.empty()) {
        hashes.reserve(content_.size());
        for (std::size_t i = 0; i < content_.size(); ++i) {
            hashes.push_back(hash(line_of(content_, i), tolerance));
        }
    }
    std::vector<std::uint64_t> wanted_hashes;
    for (const HunkLine& line : wanted) wanted_hashes.push_back(hash(line, tolerance));
    for (std::size_t at = from; at + wanted.size() <= hashes.size() && !exhausted(); ++at) {
        const auto first = hashes.begin() + static_cast<std::ptrdiff_t>(at);
        const auto differ = std::mismatch(wanted_hashes.begin(), wanted_hashes.end(), first).first;
        steps_ += 1 + static_cast<std::uint64_t>(differ - wanted_hashes.begin());
        if (differ != wanted_hashes.end() || !matches(wanted, at, tolerance)) continue;
        found.push_back(at);
        if (found.size() == most) break;
    }
    return found;
}

bool HunkSearch::exhausted() const noexcept { return steps_ >= limits::kPatchStepsMax; }

}  // namespace paddock::text
