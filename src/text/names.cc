#include "text/names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

#include <paddock/limits.h>

#include "base/utf8.h"
#include "text/edit.h"

namespace paddock::text {
namespace {

// Names longer than this are no typing errors, nor are names that differ in more letters. Comparing
// two takes the product of both.
constexpr std::size_t kSimilarNameBytesMax = 255;
constexpr std::size_t kSimilarLettersMax = 8;

struct CodeRange {
    char32_t first;
    char32_t last;
};

// Control characters; what has no width, changes the direction of text or ends a line; marks of
// byte order and annotation; tags. A name with one of them reads as another name.
constexpr std::array<CodeRange, 21> kDeceptive{{
    {0x0000, 0x001F},    // C0 controls
    {0x0022, 0x0022},    // "
    {0x005C, 0x005C},    // backslash
    {0x007F, 0x009F},    // delete, C1 controls
    {0x00AD, 0x00AD},    // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian selectors and vowel separator
    {0x200B, 0x200F},    // zero-width space and joiners, direction marks
    {0x2028, 0x202E},    // line and paragraph separators, embeddings and overrides
    {0x2060, 0x206F},    // word joiner, invisible operators, isolates
    {0x3164, 0x3164},    // Hangul filler
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // halfwidth Hangul filler
    {0xFFF0, 0xFFFB},    // unassigned, annotations
    {0xFFFE, 0xFFFF},    // noncharacters
    {0x1D173, 0x1D17A},  // musical beams
    {0xE0000, 0xE0FFF},  // tags, variation selectors
}};

// The escapes of git, by their letter.
constexpr std::string_view kEscapeLetters = "abtnvfr\"\\";
constexpr std::string_view kEscapeMeanings = "\a\b\t\n\v\f\r\"\\";

bool is_deceptive(char32_t c) {
    const auto* range = std::find_if(kDeceptive.begin(), kDeceptive.end(),
                                     [c](const CodeRange& each) { return c <= each.last; });
    return range != kDeceptive.end() && c >= range->first;
}

// As an indented name, or one with something said of it behind it.
bool reads_otherwise(std::string_view name) {
    constexpr std::array<std::string_view, 4> kMisleading{"  ", " -> ", "/ ", " /"};
    return name.starts_with(' ') || name.ends_with(' ') ||
           std::any_of(kMisleading.begin(), kMisleading.end(),
                       [name](std::string_view part) { return name.find(part) != name.npos; });
}

bool needs_quotes(std::string_view name) {
    if (reads_otherwise(name)) return true;
    while (!name.empty()) {
        const Character character = first_character(name);
        if (!character.valid || is_deceptive(character.value)) return true;
        name.remove_prefix(character.length);
    }
    return false;
}

void append_escaped(std::string& quoted, char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t known = kEscapeMeanings.find(c); known != std::string_view::npos) {
        quoted += {'\\', kEscapeLetters[known]};
    } else if (byte < 0x20 || byte >= 0x7F) {
        const auto digit = [byte](int shift) {
            return static_cast<char>('0' + ((byte >> shift) & 7));
        };
        quoted += {'\\', digit(6), digit(3), digit(0)};
    } else {
        quoted += c;
    }
}

// Reads what follows a backslash and cuts it off `rest`.
std::optional<char> take_escape(std::string_view& rest) {
    if (rest.empty()) return std::nullopt;
    if (const std::size_t known = kEscapeLetters.find(rest[0]); known != std::string_view::npos) {
        rest.remove_prefix(1);
        return kEscapeMeanings[known];
    }
    if (rest.size() < 3) return std::nullopt;
    int value = 0;
    for (const char digit : rest.substr(0, 3)) {
        if (digit < '0' || digit > '7') return std::nullopt;
        value = value * 8 + (digit - '0');
    }
    if (value == 0 || value > 255) return std::nullopt;
    rest.remove_prefix(3);
    return static_cast<char>(value);
}

}  // namespace

std::string quote_if_needed(std::string_view name) {
    if (!needs_quotes(name)) return std::string(name);
    std::string quoted = "\"";
    for (const char c : name) append_escaped(quoted, c);
    return quoted += '"';
}

std::string quote_in_sentence(std::string_view name, std::string_view also) {
    constexpr std::string_view kSentence = "'()[]";
    std::string shown = quote_if_needed(name);
    const bool is_plain =
        name.find_first_of(kSentence) == name.npos && name.find_first_of(also) == name.npos;
    if (is_plain) return shown;
    if (shown == name) shown = '"' + shown + '"';
    for (std::size_t at = 0; (at = shown.find('\'', at)) != shown.npos;) {
        shown.replace(at, 1, "\\047");
    }
    return shown;
}

std::optional<std::string> unescape(std::string_view text) {
    std::string name;
    while (!text.empty()) {
        const char c = text[0];
        text.remove_prefix(1);
        if (c != '\\') {
            name += c;
            continue;
        }
        const auto meant = take_escape(text);
        if (!meant) return std::nullopt;
        name += *meant;
    }
    return name;
}

std::optional<std::string> unquote(std::string_view text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::nullopt;
    auto name = unescape(text.substr(1, text.size() - 2));
    if (!name || quote_if_needed(*name) != text) return std::nullopt;
    return name;
}

namespace {

constexpr std::size_t kFar = static_cast<std::size_t>(-1);
constexpr std::size_t kBeyond = kFar / 2;

// Letters that may differ: a third of them, one at least, and so few at most that comparing a name
// with a whole directory stays cheap.
std::size_t forgiven(std::string_view word) {
    return std::clamp<std::size_t>(word.size() / 3, 1, kSimilarLettersMax);
}

// Letters to insert, delete, replace or swap with their neighbour; kFar if more than `most`.
std::size_t distance(std::string_view a, std::string_view b, std::size_t most) {
    const std::size_t longer = std::max(a.size(), b.size());
    if (longer > kSimilarNameBytesMax || longer - std::min(a.size(), b.size()) > most) {
        return kFar;
    }
    // Rows of the table of all prefixes, this one and the two before it, and of each row only what
    // lies within `most` of the diagonal; beyond that the distance is larger anyway.
    using Row = std::array<std::size_t, kSimilarNameBytesMax + 2>;
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
    return begins ? 1 + kSimilarNameBytesMax : kFar;
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
    if (wanted.empty() || wanted.size() > kSimilarNameBytesMax) return {};
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
