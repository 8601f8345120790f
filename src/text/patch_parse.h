// Reading a patch: a unified diff, a git diff, or the "*** Begin Patch" form.
//
// Text around diffs is skipped: commit messages, "Index:" lines, code fences. Text between hunks
// that is neither a hunk nor the start of a file is an error, so that no half of a patch gets lost.
// Counts in hunk headers may be wrong if the body is clear without them; the numbers may be
// missing.
//
// Names lose their prefix if both sides carry a pair that git writes (a/ b/, and c/ i/ o/ w/); with
// one side /dev/null, a/ or b/ is enough. In a git diff its first line decides for the whole file:
// "diff --git b/x b/x" was made without prefixes. What follows a tab is dropped, and a time behind
// blanks. A plain diff whose two names differ has the second as its path; which file is meant, what
// is there decides.
//
// "*** Begin Patch": markers may be padded with blanks except inside a hunk, where a leading blank
// means context; a heredoc around it is skipped; "*** End Patch" is required, a patch that was cut
// off must not be applied. Names may be quoted as in quote.h.
//
// Errors, each with its line: invalid_argument (malformed, set-id modes), binary_file,
// not_regular_file (symlink and submodule modes), limit_reached, too_large.
#pragma once

#include <string_view>
#include <vector>

#include "text/patch.h"

namespace paddock::text {

// In the order of the patch; a path may occur more than once. Never empty.
PatchOutcome<std::vector<FileChange>> parse_patch(std::string_view text);

}  // namespace paddock::text
