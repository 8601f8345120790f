// Applying the hunks of one file to its content.
//
// A hunk goes where its header says if its lines are there. Else it goes to the one place where
// they are; then, in steps, where they are if white space and punctuation are not compared. Two
// possible places are a failure, never a guess. Each deviation is told in `notes`.
//
// Lines that stay keep their bytes. Lines that come in are written as the patch has them, except
// where the patch and the file disagree on line endings: then they take the file's. A file without
// a final newline keeps that unless the patch speaks of it, and so does a byte order mark stay.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/lines.h"
#include "text/patch_parse.h"

namespace paddock::text {

// Finding the lines of a hunk in a file, exactly or with some differences left out.

// Each step leaves out what the ones before it do, and more.
enum class Tolerance : std::uint8_t {
    kExact,          // every byte, and whether the file's last line ends with a newline
    kEndings,        // CR at the end of a line, and the newline at the end of the file
    kTrailingSpace,  // white space at the end of a line
    kOuterSpace,     // white space at both ends of a line
    kPunctuation,    // typographic quotes, dashes and spaces, as fold_punctuation does
};
inline constexpr std::array kTolerances = {Tolerance::kExact, Tolerance::kEndings,
                                           Tolerance::kTrailingSpace, Tolerance::kOuterSpace,
                                           Tolerance::kPunctuation};

class HunkSearch {
public:
    // `content` must outlive it.
    explicit HunkSearch(const Lines& content) : content_(content) {}

    // Marks are not looked at; a search for no lines finds none.
    bool matches(std::span<const HunkLine> wanted, std::size_t at, Tolerance tolerance) const;

    // The first `most` places at or after line `from`, 0-based.
    std::vector<std::size_t> find(std::span<const HunkLine> wanted, std::size_t from,
                                  Tolerance tolerance, std::size_t most);

    // All searches together have taken kPatchStepsMax; the last results may be incomplete.
    bool exhausted() const noexcept;

private:
    const Lines& content_;
    std::array<std::vector<std::uint64_t>, kTolerances.size()> hashes_;  // made when needed
    std::uint64_t steps_ = 0;
};

// The indentation of lines that a patch adds, where its other lines match the file's only without
// theirs: as the file has it, else what is added would stand at another depth than its neighbours.
class Indentation {
public:
    // A line of the patch and the one of the file that it stands for. False: they do not fit to
    // those before, and nothing can be said of other lines.
    bool learn(std::string_view of_patch, std::string_view of_file);

    // The line as the file would have it. Nothing if its depth is not known: neither was a line of
    // the same indentation learned, nor do all differ by the same beginning.
    std::optional<std::string> translated(std::string_view line) const;

private:
    std::map<std::string, std::string, std::less<>> known_;
};

// Where in a file a hunk belongs.
struct Place {
    std::size_t line = 0;  // 0-based, of the first line that stays or goes
    Tolerance tolerance = Tolerance::kExact;
    bool as_stated = false;               // at the line that the header states
    std::vector<std::string> notes = {};  // how this is not quite what the patch says
};

// Places the hunks of one file in order; each lies behind the one before.
class HunkPlacer {
public:
    explicit HunkPlacer(const Lines& content) : content_(content), search_(content) {}

    PatchOutcome<Place> place(const Hunk& hunk);

private:
    struct Start;
    PatchOutcome<Place> find(const Hunk& hunk, std::span<const HunkLine> before);
    PatchOutcome<Place> insertion(const Hunk& hunk, const Start& start) const;
    Start after_anchors(const Hunk& hunk);
    PatchFailure failure(const Hunk& hunk, std::string_view what) const;
    PatchFailure ambiguous(const Hunk& hunk, std::span<const std::size_t> lines) const;
    PatchFailure missing(const Hunk& hunk, std::span<const HunkLine> before);
    void note_deviations(const Hunk& hunk, std::size_t lines, Place& place);

    const Lines& content_;
    HunkSearch search_;
    std::size_t hunk_ = 0;      // number of the present one, 1-based
    std::size_t behind_ = 0;    // first line that no earlier hunk has taken
    std::ptrdiff_t shift_ = 0;  // how far the last one lay from its stated line
};

struct Applied {
    std::string content;
    std::vector<std::string> notes;  // "hunk 2 applied 14 lines below", ...
    bool as_stated = true;           // every hunk lay at the line that its header states
};

// `content` is the file as it is, empty for kCreate. Errors, with the hunk's number:
//   patch_failed    a hunk does not match, or matches in several places; detail shows what was
//                   expected and the closest place. Or a file to be deleted holds more
//   already_exists  kCreate with content
//   too_large, limit_reached   content or result above kTextBytesMax, search above kPatchStepsMax
PatchOutcome<Applied> apply_change(std::string_view content, const FileChange& change);

}  // namespace paddock::text
