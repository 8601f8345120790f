// What a patch says, whatever its form: a list of changes to files, each with its hunks.
//
// Lines are views of the patch text, which must outlive the model. Paths are bytes, quotes undone,
// not checked against anything: they are a caller's to resolve, and may point outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/error.h>

namespace paddock::text {

struct HunkLine {
    char mark = ' ';        // ' ' stays, '-' goes, '+' comes
    std::string_view text;  // without LF; a CR before it is kept
    bool ends = true;       // false: "\ No newline at end of file"
};

struct Hunk {
    std::size_t patch_line = 0;                  // of its header, 1-based
    std::optional<std::size_t> old_start = {};   // as the header states it, if it has numbers
    std::vector<std::string_view> anchors = {};  // "@@ text": lines to look for first
    std::vector<HunkLine> lines = {};
    bool at_end = false;        // "*** End of File": its last line is the file's
    bool counts_wrong = false;  // the header's counts; the body was taken as it is
};

enum class ChangeKind : std::uint8_t { kModify, kCreate, kDelete, kRename, kCopy };

struct FileChange {
    ChangeKind kind = ChangeKind::kModify;
    std::size_t patch_line = 0;           // where it begins, 1-based
    std::string path = {};                // the file's name before the change
    std::string new_path = {};            // after it: another for kRename, kCopy
    std::string other_name = {};          // kModify: what else a plain diff calls the file
    bool is_plain = false;                // a diff that may have been made elsewhere: no git diff
    std::optional<bool> executable = {};  // if the patch sets it
    std::vector<Hunk> hunks = {};         // none: the content stays
    bool any_content = false;             // kDelete: the patch does not say what the file held
    bool expects_empty = false;           // not kCreate: the file has no lines yet
    bool may_create = false;              // kModify: a file that is missing is meant to be new
};

struct PatchFailure {
    Code code = Code::kInternal;
    std::size_t patch_line = 0;  // 1-based, 0 if it is about no line
    std::size_t hunk = 0;        // of the file, 1-based, 0 if it is about no hunk
    std::string path = {};       // as written, if it is about a file
    std::string detail = {};     // what is wrong and what to do
    bool is_ambiguous = false;   // it matches, in several places
};

template <class T>
class [[nodiscard]] PatchOutcome : public tl::expected<T, PatchFailure> {
public:
    using tl::expected<T, PatchFailure>::expected;
    PatchOutcome(PatchFailure failure)
        : tl::expected<T, PatchFailure>(tl::unexpect, std::move(failure)) {}
};

}  // namespace paddock::text
