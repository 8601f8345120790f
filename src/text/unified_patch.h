// The grammar of unified and git diffs; see patch_parse.h for what is accepted.
#pragma once

#include <vector>

#include "text/patch.h"
#include "text/patch_reader.h"

namespace paddock::text {

// True if the reader is at the first line of a file's diff.
bool at_unified_file(const PatchReader& reader);

PatchOutcome<std::vector<FileChange>> parse_unified(PatchReader& reader);

}  // namespace paddock::text
