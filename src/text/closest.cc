#include "text/closest.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <vector>

#include <paddock/limits.h>

#include "text/diff.h"

namespace paddock::text {
namespace {

// Significant bytes of a line that count; the rest of a very long line is left out.
constexpr std::size_t kLetters = 512;

// Places in the wanted text that one line may stand for: a line that is there more often says
// little.
constexpr std::ptrdiff_t kPlacesMax = 4;

// Lines of the file shown beyond the length of the wanted text, for lines it did not know of.
constexpr std::size_t kExtraLines = 3;

// Calls `use` with each byte of the line that is no white space, quote or dash, in lower case.
template <class Use>
void letters(std::string_view line, Use use) {
    const auto byte = [&](std::size_t i) {
        return i < line.size() ? static_cast<unsigned char>(line[i]) : std::uint8_t{0};
    };
    std::size_t used = 0;
    for (std::size_t i = 0; i < line.size() && used < kLetters; ++i) {
        const std::uint8_t c = byte(i);
        if (c == 0xE2 && (byte(i + 1) == 0x80 || byte(i + 1) == 0x88)) {
            i += 2;
        } else if (c == 0xC2 && byte(i + 1) == 0xA0) {
            ++i;
        } else if (c > ' ' && c != '"' && c != '\'' && c != '-' && c != '`') {
            use(static_cast<std::uint8_t>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
            ++used;
        }
    }
}

struct Key {
    std::uint64_t hash = 0;
    std::uint32_t weight = 0;  // letters; a bare brace has too few to vote
    std::uint32_t line = 0;
};

Key key_of(std::string_view line) {
    Key key{.hash = 0x9E3779B97F4A7C15U};
    letters(line, [&](std::uint8_t c) {
        key.hash = (key.hash ^ c) * 0x100000001B3U;
        ++key.weight;
    });
    return key;
}

constexpr std::uint32_t kWeightMin = 3;
constexpr std::uint32_t kWeightMax = 60;

struct Guess {
    std::ptrdiff_t first = 0;  // line of the content that stands for the first wanted one
    bool good = false;
    bool any = false;
};

// Each line of the content that is also wanted votes for the start that this would mean.
Guess vote(const Lines& content, std::size_t content_lines, const Lines& wanted) {
    std::vector<Key> keys;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < std::min(wanted.size(), limits::kClosestLinesMax); ++i) {
        Key key = key_of(wanted[i]);
        if (key.weight < kWeightMin) continue;
        key.line = static_cast<std::uint32_t>(i);
        total += std::min(key.weight, kWeightMax);
        keys.push_back(key);
    }
    const auto by_hash = [](const Key& a, const Key& b) { return a.hash < b.hash; };
    std::stable_sort(keys.begin(), keys.end(), by_hash);
    std::vector<std::uint32_t> votes(keys.empty() ? 0 : content_lines + wanted.size());
    for (std::size_t i = 0; i < content_lines && !keys.empty(); ++i) {
        const Key key = key_of(content[i]);
        if (key.weight < kWeightMin) continue;
        const auto [first, last] = std::equal_range(keys.begin(), keys.end(), key, by_hash);
        for (auto it = first; it != last && it - first < kPlacesMax; ++it) {
            votes[i + wanted.size() - it->line] += std::min(key.weight, kWeightMax);
        }
    }
    const auto best = std::max_element(votes.begin(), votes.end());
    if (best == votes.end() || *best == 0) return {};
    return {.first = best - votes.begin() - static_cast<std::ptrdiff_t>(wanted.size()),
            .good = std::uint64_t{*best} * 4 >= total,
            .any = true};
}

using Triples = std::bitset<256>;

Triples triples_of(std::string_view line) {
    Triples triples;
    std::uint32_t last = 0;
    std::size_t count = 0;
    letters(line, [&](std::uint8_t c) {
        last = (last << 8 | c) & 0xFFFFFFU;
        if (++count >= 3) triples.set(last * 0x9E3779B1U >> 24);
    });
    return triples;
}

// 0 for no more triples in common than chance gives, 1 for all; a longer line around the wanted one
// costs little.
double similarity(const Triples& wanted, const Triples& line) {
    const auto a = static_cast<double>(wanted.count());
    const auto b = static_cast<double>(line.count());
    const auto common = static_cast<double>((wanted & line).count());
    return 2 * (common - a * b / 256) / (a + std::min(b, 2 * a));
}

// By the line with the most letters alone.
Guess most_similar_line(const Lines& content, std::size_t content_lines, const Lines& wanted) {
    std::size_t longest = 0;
    std::size_t most = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::size_t count = triples_of(wanted[i]).count();
        if (count <= most) continue;
        longest = i;
        most = count;
    }
    constexpr std::size_t kTriplesMin = 3;
    if (most < kTriplesMin) return {};
    constexpr double kSimilar = 0.5;
    const Triples anchor = triples_of(wanted[longest]);
    Guess guess;
    double best = kSimilar;
    for (std::size_t i = 0; i < content_lines; ++i) {
        const double score = similarity(anchor, triples_of(content[i]));
        if (score <= best) continue;
        best = score;
        guess = {.first = static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(longest),
                 .good = true,
                 .any = true};
    }
    return guess;
}

// Lines of the window that stand for nothing wanted are no part of the match, at its end and at its
// start: of a change there only as many lines are shown as it replaces. Returns how many lines of
// the window it begins later.
std::size_t trim_ends(std::vector<Change>& changes, std::size_t wanted_lines) {
    const auto surplus = [](const Change& change) {
        return change.added - std::min(change.added, change.removed);
    };
    if (!changes.empty() && changes.back().before + changes.back().removed == wanted_lines) {
        Change& last = changes.back();
        last.added -= surplus(last);
        if (last.removed == 0) changes.pop_back();
    }
    if (changes.empty() || changes.front().before != 0) return 0;
    Change& first = changes.front();
    const std::size_t later = surplus(first);
    first.after += later;
    first.added -= later;
    if (first.removed == 0) changes.erase(changes.begin());
    return later;
}

}  // namespace

std::optional<Block> closest_block(const Lines& content, const Lines& wanted) {
    if (content.size() == 0 || wanted.size() == 0) return std::nullopt;
    const std::size_t content_lines = std::min(content.size(), limits::kClosestLinesMax);
    Guess guess = vote(content, content_lines, wanted);
    if (!guess.good) {
        const Guess other = most_similar_line(content, content_lines, wanted);
        if (other.good) guess = other;
    }
    if (!guess.any) return std::nullopt;
    const std::size_t before = guess.first < 0 ? static_cast<std::size_t>(-guess.first) : 0;
    const std::size_t first = guess.first < 0 ? 0 : static_cast<std::size_t>(guess.first);
    const std::size_t left = content.size() - first;
    return Block{first, std::min(wanted.size() - std::min(before, wanted.size() - 1), left)};
}

std::string show_closest(std::string_view content, std::string_view wanted) {
    std::string whole_lines(wanted);
    if (!whole_lines.ends_with('\n')) whole_lines += '\n';
    const Lines before(whole_lines);
    const Lines after(content);
    const auto block = closest_block(after, before);
    if (!block) return {};
    const std::size_t count = std::min(block->count + kExtraLines, after.size() - block->first);
    const std::size_t begin = after.offset(block->first);
    const Lines window(content.substr(begin, after.offset(block->first + count) - begin));
    std::vector<Change> changes = diff_lines(before, window);
    const std::size_t first_line = block->first + trim_ends(changes, before.size()) + 1;
    if (changes.empty()) return {};
    for (Change& change : changes) change.after += block->first;
    const DiffOptions options{.context = 2,
                              .bytes_max = limits::kClosestBytesMax,
                              .line_bytes_max = limits::kClosestLineBytesMax};
    return "Closest text, from line " + std::to_string(first_line) +
           " (- wanted, + in the file):\n" + print_hunks(before, after, changes, options).text;
}

}  // namespace paddock::text
