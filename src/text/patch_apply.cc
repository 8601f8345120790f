#include "text/patch_apply.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "text/edit.h"
#include "text/encoding.h"
#include "text/lines.h"

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

namespace {

std::string_view indent_of(std::string_view line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

bool Indentation::learn(std::string_view of_patch, std::string_view of_file) {
    if (is_blank(of_patch)) return true;
    const std::string indent(indent_of(of_file));
    return known_.emplace(indent_of(of_patch), indent).first->second == indent;
}

std::optional<std::string> Indentation::translated(std::string_view line) const {
    if (is_blank(line) || known_.empty()) return std::string(line);
    const std::string_view indent = indent_of(line);
    const std::string rest(line.substr(indent.size()));
    if (const auto same = known_.find(indent); same != known_.end()) return same->second + rest;
    const auto& [patch, file] = *known_.begin();
    const std::string_view more = std::string_view(file).ends_with(patch)
                                      ? std::string_view(file).substr(0, file.size() - patch.size())
                                      : std::string_view();
    const std::string_view less =
        std::string_view(patch).ends_with(file)
            ? std::string_view(patch).substr(0, patch.size() - file.size())
            : std::string_view();
    const bool is_even = std::all_of(known_.begin(), known_.end(), [&](const auto& pair) {
        return std::string(less) + pair.second == std::string(more) + pair.first;
    });
    const bool is_known = is_even && (!more.empty() || !less.empty() || patch == file);
    if (!is_known || !indent.starts_with(less)) return std::nullopt;
    return std::string(more) + std::string(indent.substr(less.size())) + rest;
}

// Where the search for a hunk begins.
struct HunkPlacer::Start {
    std::size_t line = 0;
    bool pinned = false;  // by an anchor that occurs once: the first match behind it is meant
    std::string_view lost = {};  // an anchor that was not found
};

namespace {

std::vector<HunkLine> lines_without(const Hunk& hunk, char mark) {
    std::vector<HunkLine> lines;
    for (const HunkLine& line : hunk.lines) {
        if (line.mark != mark) lines.push_back(line);
    }
    return lines;
}

// The line that the header states, 0-based. A range of no lines names the one before it.
std::size_t stated_line(std::size_t old_start, bool no_lines) {
    return no_lines || old_start == 0 ? old_start : old_start - 1;
}

std::string joined(std::span<const HunkLine> lines) {
    std::string text;
    for (const HunkLine& line : lines) text.append(line.text).append("\n");
    return text;
}

std::string_view ignored(Tolerance tolerance) {
    switch (tolerance) {
        case Tolerance::kExact: break;
        case Tolerance::kEndings: return "line endings";
        case Tolerance::kTrailingSpace: return "trailing white space";
        case Tolerance::kOuterSpace: return "white space at both ends of lines";
        case Tolerance::kPunctuation: return "white space and typographic punctuation";
    }
    return {};
}

}  // namespace

PatchFailure HunkPlacer::failure(const Hunk& hunk, std::string_view what) const {
    return {.code = search_.exhausted() ? Code::kLimitReached : Code::kPatchFailed,
            .patch_line = hunk.patch_line,
            .hunk = hunk_,
            .detail = "hunk " + std::to_string(hunk_) + " (line " +
                      std::to_string(hunk.patch_line) + " of the patch) " + std::string(what)};
}

PatchFailure HunkPlacer::ambiguous(const Hunk& hunk, std::span<const std::size_t> lines) const {
    std::string what = "matches in several places, at lines";
    for (const std::size_t line : lines) {
        what += (line == lines.front() ? " " : ", ") + std::to_string(line + 1);
    }
    PatchFailure failed = failure(hunk, what + ". Give it more context lines.");
    failed.is_ambiguous = true;
    return failed;
}

PatchFailure HunkPlacer::missing(const Hunk& hunk, std::span<const HunkLine> before) {
    if (search_.exhausted()) {
        return failure(hunk, "was not found within the search limit. State its exact line.");
    }
    const auto earlier = search_.find(before, 0, Tolerance::kEndings, 1);
    if (!earlier.empty()) {
        return failure(hunk, "matches at line " + std::to_string(earlier[0] + 1) +
                                 ", which is out of order. Put hunks in the order of the file, "
                                 "without overlap, each below its '@@' line.");
    }
    const std::vector<HunkLine> after = lines_without(hunk, '-');
    const auto applied = search_.find(after, 0, Tolerance::kEndings, 1);
    if (!applied.empty()) {
        return failure(hunk, "does not match the file, but its result is already there, at line " +
                                 std::to_string(applied[0] + 1) + ". Leave it out.");
    }
    const std::string expected = joined(before);
    const LfView view(content_.text());
    const std::string closest = show_closest(view.text(), expected);
    if (!closest.empty())
        return failure(hunk,
                       "does not match the file. Give its lines as they stand there. " + closest);
    return failure(hunk,
                   "does not match the file, and nothing similar is there. Read the file "
                   "again and make the patch from that. Expected:\n" +
                       expected.substr(0, limits::kClosestBytesMax));
}

// An anchor is compared like a line of a hunk. The first one must be behind the hunk before; the
// others follow it.
HunkPlacer::Start HunkPlacer::after_anchors(const Hunk& hunk) {
    Start start{.line = behind_};
    for (const std::string_view anchor : hunk.anchors) {
        const HunkLine wanted[] = {{' ', anchor, true}};
        std::vector<std::size_t> found;
        for (const Tolerance tolerance : kTolerances) {
            found = search_.find(wanted, start.line, tolerance, 2);
            if (!found.empty()) break;
        }
        if (found.empty()) return {.line = behind_, .lost = anchor};
        start.pinned = start.pinned || found.size() == 1;
        start.line = found[0] + 1;
    }
    return start;
}

PatchOutcome<Place> HunkPlacer::insertion(const Hunk& hunk, const Start& start) const {
    if (!start.lost.empty()) {
        return failure(
            hunk, "adds lines after '" + std::string(start.lost) + "', which is not in the file.");
    }
    if (!hunk.anchors.empty() && !start.pinned) {
        return failure(
            hunk, "adds lines after a line that occurs more than once. Give it context lines.");
    }
    if (!hunk.anchors.empty()) return Place{.line = start.line};
    if (!hunk.old_start) return Place{.line = content_.size()};
    if (hunk.counts_wrong) {
        return failure(hunk,
                       "adds lines, but its header counts other lines too. Give it context lines.");
    }
    const auto line = static_cast<std::ptrdiff_t>(stated_line(*hunk.old_start, true)) + shift_;
    if (line < static_cast<std::ptrdiff_t>(behind_) ||
        line > static_cast<std::ptrdiff_t>(content_.size())) {
        return failure(hunk, "adds lines where the file has none. It has " +
                                 std::to_string(content_.size()) + " lines.");
    }
    return Place{.line = static_cast<std::size_t>(line)};
}

PatchOutcome<Place> HunkPlacer::find(const Hunk& hunk, std::span<const HunkLine> before) {
    const Start start = after_anchors(hunk);
    if (before.empty()) return insertion(hunk, start);
    if (hunk.old_start) {
        const std::size_t stated = stated_line(*hunk.old_start, false);
        const std::ptrdiff_t line = static_cast<std::ptrdiff_t>(stated) + shift_;
        for (const Tolerance tolerance : {Tolerance::kExact, Tolerance::kEndings}) {
            if (line < static_cast<std::ptrdiff_t>(behind_)) break;
            const auto at = static_cast<std::size_t>(line);
            if (search_.matches(before, at, tolerance))
                return Place{.line = at, .tolerance = tolerance};
        }
    }
    for (const Tolerance tolerance : kTolerances) {
        if (hunk.at_end) {
            const std::size_t at = content_.size() - std::min(before.size(), content_.size());
            if (at >= start.line && search_.matches(before, at, tolerance)) {
                return Place{.line = at, .tolerance = tolerance};
            }
            continue;
        }
        const auto found =
            search_.find(before, start.line, tolerance, start.pinned ? 1 : limits::kLineNumbersMax);
        if (search_.exhausted()) break;
        if (found.size() > 1) return ambiguous(hunk, found);
        if (found.empty()) continue;
        Place place{.line = found[0], .tolerance = tolerance};
        if (!start.lost.empty()) {
            place.notes.push_back("found without its line '@@ " + std::string(start.lost) + "'");
        }
        return place;
    }
    return missing(hunk, before);
}

void HunkPlacer::note_deviations(const Hunk& hunk, std::size_t lines, Place& place) {
    if (hunk.old_start) {
        const auto stated = static_cast<std::ptrdiff_t>(stated_line(*hunk.old_start, lines == 0));
        shift_ = static_cast<std::ptrdiff_t>(place.line) - stated;
        place.as_stated = shift_ == 0;
        if (shift_ != 0) {
            const std::size_t by = static_cast<std::size_t>(shift_ < 0 ? -shift_ : shift_);
            place.notes.push_back("applied " + std::to_string(by) +
                                  (by == 1 ? " line " : " lines ") +
                                  (shift_ < 0 ? "above" : "below") + " the stated one");
        }
    }
    if (place.tolerance != Tolerance::kExact) {
        place.notes.push_back("matched ignoring " + std::string(ignored(place.tolerance)));
    }
    if (hunk.counts_wrong) {
        place.notes.emplace_back("has wrong counts in its header; its lines were used as given");
    }
    // Only a diff made without any context says nothing about the end of the file.
    const bool has_context = std::any_of(hunk.lines.begin(), hunk.lines.end(),
                                         [](const HunkLine& line) { return line.mark == ' '; });
    if (hunk.old_start && (has_context || *hunk.old_start <= 1) && hunk.lines.back().mark != ' ' &&
        place.line + lines < content_.size()) {
        place.as_stated = place.as_stated && !has_context;
        place.notes.emplace_back("has no context after its change, though the file goes on there");
    }
}

PatchOutcome<Place> HunkPlacer::place(const Hunk& hunk) {
    ++hunk_;
    const std::vector<HunkLine> before = lines_without(hunk, '+');
    PADDOCK_ASSIGN(place, find(hunk, before));
    note_deviations(hunk, before.size(), place);
    behind_ = place.line + before.size();
    return std::move(place);
}

namespace {

bool ends_in_cr(const HunkLine& line) { return line.text.ends_with('\r'); }

class Writer {
public:
    explicit Writer(const Lines& file) : file_(file) {}

    // False, and half done, if it is not known how deep to indent a line that comes.
    bool apply(const Hunk& hunk, const Place& place) {
        Indentation indentation;
        if (place.tolerance >= Tolerance::kOuterSpace && !learn(hunk, place.line, indentation)) {
            return false;
        }
        copy_until(place.line);
        replaced_ = done_;
        for (const HunkLine& line : hunk.lines) {
            if (line.mark == ' ') {
                copy_until(done_ + 1);
                replaced_ = done_;
            }
            if (line.mark == '-') ++done_;
            if (line.mark != '+') continue;
            const auto text = indentation.translated(line.text);
            if (!text) return false;
            add({line.mark, *text, line.ends}, place.tolerance);
        }
        if (place.tolerance != Tolerance::kExact) keep_missing_newline(hunk);
        return true;
    }

    std::size_t size() const { return out_.size(); }

    std::string take() && {
        copy_until(file_.size());
        return std::move(out_);
    }

    // The ending of the nearest line before this one, else after it.
    std::string_view ending_near(std::size_t line) const {
        const std::string_view before = line > 0 ? ending_of(file_[line - 1]) : std::string_view();
        const std::string_view after = ending_of(file_[line]);
        if (!before.empty()) return before;
        if (!after.empty()) return after;
        return line > 1 ? ending_of(file_[line - 2]) : std::string_view("\n");
    }

private:
    bool learn(const Hunk& hunk, std::size_t at, Indentation& indentation) const {
        return std::all_of(hunk.lines.begin(), hunk.lines.end(), [&](const HunkLine& line) {
            return line.mark == '+' || indentation.learn(line.text, file_[at++]);
        });
    }

    // One copy for all of them: a file is mostly lines that stay.
    void copy_until(std::size_t line) {
        if (done_ >= line) return;
        end_last_line();
        out_ += file_.text().substr(file_.offset(done_), file_.offset(line) - file_.offset(done_));
        done_ = line;
    }

    void add(const HunkLine& line, Tolerance tolerance) {
        end_last_line();
        const bool as_written = tolerance == Tolerance::kExact;
        out_ += line.text.substr(0, line.text.size() - (!as_written && ends_in_cr(line) ? 1 : 0));
        const std::string_view ending = as_written ? "\n" : next_ending();
        if (line.ends) out_ += ending;
    }

    // Of the line whose place is taken, one by one, else of the nearest.
    std::string_view next_ending() {
        const std::string_view ending =
            replaced_ < done_ ? ending_of(file_[replaced_++]) : std::string_view();
        return ending.empty() ? ending_near(done_) : ending;
    }

    // Something follows a line that was the file's last and had no newline.
    void end_last_line() {
        if (!out_.empty() && !out_.ends_with('\n')) out_ += ending_near(done_);
    }

    // A patch that does not speak of the newline at the end of the file does not bring one.
    void keep_missing_newline(const Hunk& hunk) {
        const bool missing = file_.size() > 0 && !file_.text().ends_with('\n');
        const bool told = std::any_of(hunk.lines.begin(), hunk.lines.end(),
                                      [](const HunkLine& line) { return !line.ends; });
        if (!missing || told || done_ != file_.size() || hunk.lines.back().mark == ' ') return;
        out_.resize(out_.size() - ending_of(out_).size());
    }

    const Lines& file_;
    std::string out_;
    std::size_t done_ = 0;      // lines of the file that are copied or dropped
    std::size_t replaced_ = 0;  // the first that was dropped and has no line in its place yet
};

bool knows_carriage_returns(const FileChange& change) {
    return std::any_of(change.hunks.begin(), change.hunks.end(), [](const Hunk& hunk) {
        return std::any_of(hunk.lines.begin(), hunk.lines.end(), ends_in_cr);
    });
}

PatchFailure too_large_to_patch(std::string_view what) {
    return {.code = Code::kTooLarge,
            .detail = std::string(what) + " larger than " + std::to_string(limits::kTextBytesMax) +
                      " bytes, the limit of a patch. Leave it out of the patch."};
}

PatchOutcome<Applied> apply_hunks(std::string_view content, const FileChange& change) {
    const Lines file(content);
    HunkPlacer placer(file);
    Writer writer(file);
    Applied applied;
    const bool carriage_returns = knows_carriage_returns(change);
    for (std::size_t i = 0; i < change.hunks.size(); ++i) {
        const Hunk& hunk = change.hunks[i];
        PADDOCK_ASSIGN(place, placer.place(hunk));
        // Lines without any beside them cannot show which endings they mean.
        const bool alone = std::all_of(hunk.lines.begin(), hunk.lines.end(),
                                       [](const HunkLine& line) { return line.mark == '+'; });
        const bool at_open_end = place.line == file.size() && !content.ends_with('\n');
        if (alone && !content.empty() && !carriage_returns &&
            (writer.ending_near(place.line) == "\r\n" || at_open_end)) {
            place.tolerance = Tolerance::kEndings;
            place.notes.emplace_back("adds lines with the endings of the file");
        }
        applied.as_stated = applied.as_stated && place.as_stated;
        if (!writer.apply(hunk, place)) {
            return PatchFailure{.code = Code::kPatchFailed,
                                .patch_line = hunk.patch_line,
                                .hunk = i + 1,
                                .detail = "hunk " + std::to_string(i + 1) +
                                          " matches the file at line " +
                                          std::to_string(place.line + 1) +
                                          " only without its indentation, which differs unevenly. "
                                          "Give its lines as they stand in the file."};
        }
        if (writer.size() > limits::kTextBytesMax)
            return too_large_to_patch("the patched text would be");
        for (const std::string& note : place.notes) {
            applied.notes.push_back("hunk " + std::to_string(i + 1) + " " + note);
        }
    }
    applied.content = std::move(writer).take();
    return applied;
}

PatchFailure failed(Code code, std::string_view detail) {
    return {.code = code, .detail = std::string(detail)};
}

// Lines of a patch that were copied from what read_file shows have no mark; those of git have it.
bool knows_mark(const FileChange& change, std::string_view mark) {
    return std::any_of(change.hunks.begin(), change.hunks.end(), [&](const Hunk& hunk) {
        return std::any_of(hunk.lines.begin(), hunk.lines.end(),
                           [&](const HunkLine& line) { return line.text.starts_with(mark); });
    });
}

PatchOutcome<Applied> apply_to(std::string_view content, const FileChange& change) {
    if (content.size() > limits::kTextBytesMax) return too_large_to_patch("the file is");
    if (change.kind == ChangeKind::kCreate && !content.empty()) {
        return failed(Code::kAlreadyExists,
                      "the patch creates the file, but it already exists. Read it and patch its "
                      "present content.");
    }
    if (change.expects_empty && !content.empty()) {
        return failed(
            Code::kPatchFailed,
            "the hunk treats the file as new or empty, but it has lines. Give it context lines.");
    }
    if (change.any_content) return Applied{};
    std::string_view mark = byte_order_mark({Encoding::kUtf8, true});
    if (!content.starts_with(mark) || knows_mark(change, mark)) mark = {};
    PADDOCK_ASSIGN(applied, apply_hunks(content.substr(mark.size()), change));
    const bool is_emptied = change.kind == ChangeKind::kDelete && applied.content.empty();
    if (!is_emptied) applied.content.insert(0, mark);
    if (applied.content.size() > limits::kTextBytesMax)
        return too_large_to_patch("the patched text would be");
    if (change.kind == ChangeKind::kDelete && !applied.content.empty()) {
        return failed(Code::kPatchFailed,
                      "the patch deletes the file, but the file has lines that the patch does not "
                      "remove. Read it again.");
    }
    return std::move(applied);
}

}  // namespace

PatchOutcome<Applied> apply_change(std::string_view content, const FileChange& change) {
    auto applied = apply_to(content, change);
    if (!applied) applied.error().path = change.path;
    return applied;
}

}  // namespace paddock::text
