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

#include <string>
#include <string_view>
#include <vector>

#include "text/patch.h"

namespace paddock::text {

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
