#include "text/patch_parse.h"

#include <paddock/limits.h>

#include "base/outcome.h"
#include "text/begin_patch.h"
#include "text/unified_patch.h"

namespace paddock::text {
namespace {

PatchFailure too_much(Code code, std::string_view what, std::size_t most) {
    return {.code = code,
            .detail = "the patch has more than " + std::to_string(most) + " " + std::string(what) +
                      ". Apply it in parts."};
}

PatchOutcome<std::vector<FileChange>> parse_form(PatchReader& reader) {
    for (; !reader.done(); reader.skip()) {
        if (at_begin_patch(reader)) return parse_begin_patch(reader);
        if (at_unified_file(reader) || reader.starts_with("@@ -") ||
            reader.starts_with("diff --c")) {
            return parse_unified(reader);
        }
    }
    return std::vector<FileChange>();
}

}  // namespace

PatchOutcome<std::vector<FileChange>> parse_patch(std::string_view text) {
    if (text.size() > limits::kPatchBytesMax) {
        return too_much(Code::kTooLarge, "bytes", limits::kPatchBytesMax);
    }
    PatchReader reader(text);
    PADDOCK_ASSIGN(changes, parse_form(reader));
    if (changes.empty()) {
        return PatchFailure{.code = Code::kInvalidArgument,
                            .detail =
                                "the patch holds no change. Begin it with '--- a/NAME' and "
                                "'+++ b/NAME', or with '*** Begin Patch'."};
    }
    std::size_t hunks = 0;
    for (const FileChange& change : changes) hunks += change.hunks.size();
    if (changes.size() > limits::kPatchFilesMax) {
        return too_much(Code::kLimitReached, "files", limits::kPatchFilesMax);
    }
    if (hunks > limits::kPatchHunksMax) {
        return too_much(Code::kLimitReached, "hunks", limits::kPatchHunksMax);
    }
    return std::move(changes);
}

}  // namespace paddock::text
