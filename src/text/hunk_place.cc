#include "text/hunk_place.h"

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "text/closest.h"
#include "text/lf_view.h"

namespace paddock::text {

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
        return failure(hunk, "was not found within the bound of the search. State its exact line.");
    }
    const auto earlier = search_.find(before, 0, Tolerance::kEndings, 1);
    if (!earlier.empty()) {
        return failure(hunk, "matches at line " + std::to_string(earlier[0] + 1) +
                                 ", where it is not meant to be. Put hunks in the order of the "
                                 "file, without overlap, each below its '@@' line.");
    }
    const std::vector<HunkLine> after = lines_without(hunk, '-');
    const auto applied = search_.find(after, 0, Tolerance::kEndings, 1);
    if (!applied.empty()) {
        return failure(hunk, "does not match the file, but its result is there already, at line " +
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
            hunk, "adds lines behind '" + std::string(start.lost) + "', which is not in the file.");
    }
    if (!hunk.anchors.empty() && !start.pinned) {
        return failure(hunk,
                       "adds lines behind a line that occurs more than once. Give it context "
                       "lines.");
    }
    if (!hunk.anchors.empty()) return Place{.line = start.line};
    if (!hunk.old_start) return Place{.line = content_.size()};
    if (hunk.counts_wrong) {
        return failure(hunk,
                       "adds lines, but its header speaks of others beside them. Give it "
                       "context lines.");
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
        place.notes.emplace_back(
            "has wrong counts in its header; its lines were taken as they are");
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

}  // namespace paddock::text
