// The grammar of "*** Begin Patch"; see patch_parse.h for what is accepted.
#pragma once

#include <vector>

#include "text/patch.h"
#include "text/patch_reader.h"

namespace paddock::text {

bool at_begin_patch(const PatchReader& reader);

PatchOutcome<std::vector<FileChange>> parse_begin_patch(PatchReader& reader);

}  // namespace paddock::text
