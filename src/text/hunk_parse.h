// One hunk of a patch, in either grammar.
#pragma once

#include "text/patch.h"
#include "text/patch_reader.h"

namespace paddock::text {

enum class HunkForm : std::uint8_t {
    kUnified,     // ends where its counts are fulfilled, or where a file or hunk begins
    kBeginPatch,  // ends at the next "***" or "@@"
};

// True for "@@ -1,2 +3,4 @@" and its shorter forms.
bool is_hunk_header(std::string_view line);

// The hunk at the reader, from its first "@@" line (or first body line) to its last. An empty line
// is an empty line of context: editors and models lose the blank.
PatchOutcome<Hunk> take_hunk(PatchReader& reader, HunkForm form);

}  // namespace paddock::text
