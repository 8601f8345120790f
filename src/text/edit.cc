#include "text/edit.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <paddock/limits.h>

#include "base/text.h"
#include "text/diff.h"
#include "text/find.h"
#include "text/lines.h"

namespace paddock::text {
namespace {

// Lines of a text that are compared when looking for the closest place: 2 million are 80 MB of
// ordinary source; a file of empty lines must not cost gigabytes.
constexpr std::size_t kClosestLinesMax = 2'000'000;

constexpr std::string_view kBlanks = " \t\r\v\f";

struct Folded {
    std::string_view from;
    std::string_view to;
};

constexpr std::array<Folded, 39> kPunctuation{{
    {"\xC2\xA0", " "},      {"\xE2\x80\x82", " "},  {"\xE2\x80\x83", " "},  {"\xE2\x80\x84", " "},
    {"\xE2\x80\x85", " "},  {"\xE2\x80\x86", " "},  {"\xE2\x80\x87", " "},  {"\xE2\x80\x88", " "},
    {"\xE2\x80\x89", " "},  {"\xE2\x80\x8A", " "},  {"\xE2\x80\x8B", ""},   {"\xE2\x80\x8C", ""},
    {"\xE2\x80\x8D", ""},   {"\xE2\x80\x90", "-"},  {"\xE2\x80\x91", "-"},  {"\xE2\x80\x92", "-"},
    {"\xE2\x80\x93", "-"},  {"\xE2\x80\x94", "-"},  {"\xE2\x80\x95", "-"},  {"\xE2\x80\x98", "'"},
    {"\xE2\x80\x99", "'"},  {"\xE2\x80\x9A", "'"},  {"\xE2\x80\x9B", "'"},  {"\xE2\x80\x9C", "\""},
    {"\xE2\x80\x9D", "\""}, {"\xE2\x80\x9E", "\""}, {"\xE2\x80\x9F", "\""}, {"\xE2\x80\xA6", "..."},
    {"\xE2\x80\xAF", " "},  {"\xE2\x80\xB2", "'"},  {"\xE2\x80\xB3", "\""}, {"\xE2\x81\x9F", " "},
    {"\xE2\x81\xA0", ""},   {"\xE2\x88\x92", "-"},  {"\xE3\x80\x80", " "},  {"\xEF\xBB\xBF", ""},
    {"\xEF\xBC\x8C", ","},  {"\xEF\xBC\x9A", ":"},  {"\xEF\xBC\x9B", ";"},
}};

const Folded* folded_at(std::string_view rest) noexcept {
    const auto* found = std::find_if(kPunctuation.begin(), kPunctuation.end(),
                                     [&](const Folded& f) { return rest.starts_with(f.from); });
    return found == kPunctuation.end() ? nullptr : found;
}

bool may_fold(char c) noexcept { return c == '\xC2' || c == '\xE2' || c == '\xE3' || c == '\xEF'; }

}  // namespace

std::string_view trim_end(std::string_view line) noexcept {
    return line.substr(0, line.find_last_not_of(kBlanks) + 1);
}

std::string_view trim(std::string_view line) noexcept {
    line = trim_end(line);
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    return line;
}

std::string fold_punctuation(std::string_view text) {
    std::string folded;
    folded.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Folded* found = may_fold(text[i]) ? folded_at(text.substr(i)) : nullptr;
        if (found == nullptr) {
            folded += text[i++];
            continue;
        }
        folded += found->to;
        i += found->from.size();
    }
    return folded;
}

std::string fold_blanks(std::string_view text) {
    std::string folded;
    folded.reserve(text.size());
    bool blank = false;
    for (const char c : text) {
        if (c == ' ' || c == '\t') {
            blank = true;
            continue;
        }
        const bool line_start = folded.empty() || folded.back() == '\n';
        if (blank && c != '\n' && !line_start) folded += ' ';
        blank = false;
        folded += c;
    }
    return folded;
}

std::string fold_line_ends(std::string_view text) {
    std::string folded;
    folded.reserve(text.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        folded += trim_end(text.substr(0, end));
        if (end < text.size()) folded += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return folded;
}

std::string fold_case(std::string_view text) {
    std::string folded(text);
    for (char& c : folded) c = lowered(c);
    return folded;
}

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
    for (std::size_t i = 0; i < std::min(wanted.size(), kClosestLinesMax); ++i) {
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
    const std::size_t content_lines = std::min(content.size(), kClosestLinesMax);
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

namespace {

// The length of "  12\t", "12: ", "12| " or "12->" (as an arrow character) at the start; 0 if none.
std::size_t number_prefix(std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of(" \t"), line.size());
    const std::size_t after = std::min(line.find_first_not_of("0123456789", digits), line.size());
    if (after == digits) return 0;
    for (const std::string_view mark : {"\t", ": ", ":", "| ", "|", "\xE2\x86\x92"}) {
        if (line.substr(after).starts_with(mark)) return after + mark.size();
    }
    return 0;
}

// The text without line numbers, if every line that is not empty has one.
std::optional<std::string> without_numbers(std::string_view text) {
    const Lines lines(text);
    std::string stripped;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t prefix = number_prefix(lines[i]);
        if (prefix == 0 && !body_of(lines[i]).empty()) return std::nullopt;
        stripped += lines[i].substr(prefix);
    }
    return stripped;
}

std::string without_escapes(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
        const char meant = next == 'n' ? '\n' : next == 't' ? '\t' : next;
        const bool escape =
            meant == '\n' || meant == '\t' || meant == '"' || meant == '\'' || meant == '\\';
        plain += escape ? meant : text[i];
        if (escape) ++i;
    }
    return plain;
}

std::string with_escaped_newlines(std::string_view text) {
    std::string escaped;
    for (const char c : text) escaped.append(c == '\n' ? "\\n" : std::string_view(&c, 1));
    return escaped;
}

std::string_view without_outer_newlines(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of('\n'), text.size()));
    return text.substr(0, text.find_last_not_of('\n') + 1);
}

using Fold = std::string (*)(std::string_view);

std::string fold_all(std::string_view text) {
    return fold_case(fold_blanks(fold_punctuation(text)));
}

struct FoldCause {
    Fold fold;
    std::string_view cause;
};

constexpr FoldCause kFolds[] = {
    {fold_line_ends, "the text is there, but with other white space at the ends of lines"},
    {fold_blanks,
     "the text is there, but with other white space: tabs versus spaces, or another "
     "indentation"},
    {fold_punctuation,
     "the text is there, but with other quotes, dashes or spaces: typographic "
     "characters versus plain ones"},
    {fold_case, "the text is there, but in other upper and lower case"},
    {fold_all, "the text is there, but with other white space, quotes or case"},
};

std::string_view cause_of(std::string_view content, std::string_view wanted,
                          std::string_view original) {
    if (contains(original, wanted)) {
        return "an earlier edit of this call has changed that text";
    }
    const auto plain = without_numbers(wanted);
    if (plain && contains(fold_all(content), fold_all(*plain))) {
        return "it begins its lines with line numbers, which are not part of the file";
    }
    const std::string_view inner = without_outer_newlines(wanted);
    if (!inner.empty() && inner != wanted && contains(content, inner)) {
        return "the text is there without the line breaks at its start or end";
    }
    if (contains(wanted, "\\") && contains(content, without_escapes(wanted))) {
        return "it is escaped once too often (a backslash before n, t or a quote)";
    }
    if (contains(wanted, "\n") && contains(content, with_escaped_newlines(wanted))) {
        return "the file has a backslash and an n where it has line breaks";
    }
    for (const FoldCause& fold : kFolds) {
        const std::string folded = fold.fold(wanted);
        if (!folded.empty() && contains(fold.fold(content), folded)) return fold.cause;
    }
    return {};
}

}  // namespace

std::string explain_miss(std::string_view content, std::string_view wanted,
                         std::string_view original) {
    std::string text;
    const std::string_view cause = cause_of(content, wanted, original);
    if (!cause.empty()) text += "Likely cause: " + std::string(cause) + ". ";
    const std::string closest =
        show_closest(content, without_numbers(wanted).value_or(std::string(wanted)));
    if (!closest.empty()) return text + "Give it as it stands in the file. " + closest;
    if (cause.empty()) text += "Nothing similar is there. ";
    return text + "Read the file again and copy the text exactly.";
}

namespace {

constexpr std::size_t kNone = std::string_view::npos;

// The part of an edit that really changes something: what old and new have in common at both ends
// is left alone, whatever endings it has in the file.
struct Core {
    std::size_t skip = 0;  // bytes of the match before it
    std::string_view before;
    std::string_view after;
};

Core core_of(std::string_view before, std::string_view after) {
    const auto differ = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const auto skip = static_cast<std::size_t>(differ.first - before.begin());
    before.remove_prefix(skip);
    after.remove_prefix(skip);
    const auto tail = std::mismatch(before.rbegin(), before.rend(), after.rbegin(), after.rend());
    const auto kept = static_cast<std::size_t>(tail.first - before.rbegin());
    before.remove_suffix(kept);
    after.remove_suffix(kept);
    return {skip, before, after};
}

std::string_view ending_at(std::string_view raw, std::size_t newline) {
    return newline > 0 && raw[newline - 1] == '\r' ? "\r\n" : "\n";
}

// Chooses the ending of newlines that come in. Called for matches from left to right, so that what
// was found for one serves the next and a file is never scanned twice.
class Endings {
public:
    explicit Endings(std::string_view raw) : raw_(raw) {}

    // For an insertion at `at` in a match that starts at `match`: the ending before it in the
    // match, else the one after it, else the last of the file.
    std::string_view near(std::size_t match, std::size_t at) {
        const std::string_view inside = raw_.substr(match, at - match);
        if (const std::size_t before = inside.rfind('\n'); before != kNone) {
            return ending_at(raw_, match + before);
        }
        if (next_ == kUnknown || (next_ != kNone && next_ < at)) next_ = raw_.find('\n', at);
        if (next_ != kNone) return ending_at(raw_, next_);
        if (last_ == kUnknown) last_ = raw_.rfind('\n');
        return last_ == kNone ? "\n" : ending_at(raw_, last_);
    }

private:
    static constexpr std::size_t kUnknown = kNone - 1;
    std::string_view raw_;
    std::size_t next_ = kUnknown;
    std::size_t last_ = kUnknown;
};

// Appends `lf` with the endings of the newlines in `replaced`, one by one; when there are no more,
// with the last of them, or with `otherwise` if there was none.
void append_with_endings(std::string& out, std::string_view lf, std::string_view replaced,
                         std::string_view otherwise) {
    std::size_t newline = 0;
    for (std::size_t i = 0; i < lf.size();) {
        const std::size_t end = std::min(lf.find('\n', i), lf.size());
        out += lf.substr(i, end - i);
        if (end == lf.size()) return;
        newline = replaced.find('\n', newline);
        if (newline != kNone)
            otherwise = ending_at(replaced, newline++);
        else
            newline = replaced.size();
        out += otherwise;
        i = end + 1;
    }
}

// One edit on one content.
class Replacer {
public:
    Replacer(const LfView& content, std::string_view before, std::string_view after)
        : content_(content),
          before_(before),
          core_(core_of(before, after)),
          endings_(content.raw()),
          newlines_(core_.after.find('\n') != kNone) {}

    // Replaces the match at `at`, an offset of the LF text; later ones must lie to the right.
    void replace(std::size_t at) {
        const std::string_view raw = content_.raw();
        const std::size_t begin = content_.raw_offset(at + core_.skip);
        const std::size_t end = content_.raw_offset(at + core_.skip + core_.before.size());
        out_ += raw.substr(done_, begin - done_);
        if (newlines_ && content_.has_crlf()) {
            const std::string_view near = endings_.near(content_.raw_offset(at), begin);
            append_with_endings(out_, core_.after, raw.substr(begin, end - begin), near);
        } else {
            out_ += core_.after;
        }
        done_ = end;
    }

    bool fits() const {
        return out_.size() + (content_.raw().size() - done_) <= limits::kTextBytesMax;
    }

    std::size_t next(std::size_t from) const { return find(content_.text(), before_, from); }

    std::string take() && {
        out_ += content_.raw().substr(done_);
        return std::move(out_);
    }

private:
    const LfView& content_;
    std::string_view before_;
    Core core_;
    Endings endings_;
    bool newlines_;
    std::string out_;
    std::size_t done_ = 0;  // raw bytes that are in out_ or replaced
};

// Counts matches and the lines of the first ones.
class Tally {
public:
    explicit Tally(std::string_view text) : text_(text) {}

    void add(std::size_t at) {
        ++seen_.count;
        if (seen_.lines.size() >= limits::kLineNumbersMax) return;
        const std::string_view passed = text_.substr(counted_, at - counted_);
        line_ += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
        counted_ = at;
        seen_.lines.push_back(line_);
    }

    Replaced take() && { return std::move(seen_); }

private:
    std::string_view text_;
    std::size_t counted_ = 0;
    std::size_t line_ = 1;
    Replaced seen_;
};

using Step = tl::expected<std::pair<std::string, Replaced>, EditFailure>;

tl::unexpected<EditFailure> refused(Code code, std::string detail) {
    return tl::unexpected(EditFailure{.code = code, .detail = std::move(detail)});
}

tl::unexpected<EditFailure> too_large(std::string_view what) {
    return refused(Code::kTooLarge,
                   std::string(what) + " larger than " + std::to_string(limits::kTextBytesMax) +
                       " bytes, the limit of an edit. Make smaller edits, or edit a smaller file.");
}

tl::unexpected<EditFailure> ambiguous(std::string_view text, std::string_view wanted,
                                      std::size_t first, std::size_t second) {
    Tally tally(text);
    tally.add(first);
    for (std::size_t at = second, n = 1; at != kNone && n < limits::kMatchesCountedMax; ++n) {
        tally.add(at);
        at = find(text, wanted, at + wanted.size());
    }
    Replaced seen = std::move(tally).take();
    std::string detail = "old_string matches " + std::to_string(seen.count) +
                         (seen.count == limits::kMatchesCountedMax ? " or more" : "") +
                         " places, at lines";
    for (std::size_t i = 0; i < seen.lines.size(); ++i) {
        detail += (i == 0 ? " " : ", ") + std::to_string(seen.lines[i]);
    }
    if (seen.count > seen.lines.size()) detail += ", ...";
    detail += ". Add lines around it until it is unique, or set replace_all.";
    return tl::unexpected(EditFailure{.code = Code::kAmbiguousMatch,
                                      .matches = seen.count,
                                      .lines = std::move(seen.lines),
                                      .detail = std::move(detail)});
}

Step apply_edit(std::string_view content, const Edit& edit, std::string_view original) {
    if (edit.old_string.empty()) {
        return refused(Code::kInvalidArgument,
                       "old_string is empty. Give the text to replace, or write the whole file.");
    }
    if (edit.old_string.size() > limits::kTextBytesMax ||
        edit.new_string.size() > limits::kTextBytesMax) {
        return too_large("old_string or new_string is");
    }
    const LfView view(content);
    const LfView before(edit.old_string);
    const LfView after(edit.new_string);
    if (before.text() == after.text()) {
        return refused(Code::kInvalidArgument,
                       edit.old_string == edit.new_string
                           ? "old_string and new_string are equal, so nothing would change. Give a "
                             "different new_string."
                           : "old_string and new_string differ in line endings only, which an "
                             "edit keeps. Write the whole file to change them.");
    }
    Replacer replacer(view, before.text(), after.text());
    std::size_t at = replacer.next(0);
    if (at == kNone) {
        return refused(Code::kNoMatch,
                       "old_string is not in the file. " +
                           explain_miss(view.text(), before.text(), LfView(original).text()));
    }
    if (!edit.replace_all) {
        const std::size_t second = replacer.next(at + 1);
        if (second != kNone) return ambiguous(view.text(), before.text(), at, second);
    }
    Tally tally(view.text());
    for (; at != kNone; at = edit.replace_all ? replacer.next(at + before.text().size()) : kNone) {
        tally.add(at);
        replacer.replace(at);
        if (!replacer.fits()) {
            return too_large("the edited text would be");
        }
    }
    return std::pair(std::move(replacer).take(), std::move(tally).take());
}

}  // namespace

tl::expected<Edited, EditFailure> apply_edits(std::string_view content, std::span<const Edit> edits,
                                              const std::function<bool()>& is_over) {
    if (edits.empty())
        return refused(Code::kInvalidArgument, "no edits were given. Give at least one.");
    if (edits.size() > limits::kEditsMax) {
        return refused(Code::kLimitReached, "more than " + std::to_string(limits::kEditsMax) +
                                                " edits. Make them in several calls.");
    }
    if (content.size() > limits::kTextBytesMax) {
        return too_large("the file is");
    }
    Edited edited;
    std::string_view current = content;
    for (const Edit& edit : edits) {
        if (is_over && is_over()) return refused(Code::kCancelled, "the edits were not finished.");
        Step step = apply_edit(current, edit, content);
        if (!step) {
            step.error().edit = edited.edits.size();
            return tl::unexpected(std::move(step.error()));
        }
        edited.content = std::move(step->first);
        edited.edits.push_back(std::move(step->second));
        current = edited.content;
    }
    return edited;
}

}  // namespace paddock::text
