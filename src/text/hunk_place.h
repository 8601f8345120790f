// Where in a file a hunk belongs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "text/hunk_search.h"
#include "text/lines.h"
#include "text/patch.h"

namespace paddock::text {

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

}  // namespace paddock::text
