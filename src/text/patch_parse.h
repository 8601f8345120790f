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
// off must not be applied. Names may be quoted as in names.h.
//
// Errors, each with its line: invalid_argument (malformed, set-id modes), binary_file,
// not_regular_file (symlink and submodule modes), limit_reached, too_large.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/error.h>

#include "text/lines.h"

namespace paddock::text {

// What a patch says, whatever its form: a list of changes to files, each with its hunks.
//
// Lines are views of the patch text, which must outlive the model. Paths are bytes, quotes undone,
// not checked against anything: they are a caller's to resolve, and may point outside.

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

// A patch text, line by line: what its grammars share.
class PatchReader {
public:
    explicit PatchReader(std::string_view text) : lines_(text), end_(lines_.size()) {}

    bool done(std::size_t ahead = 0) const noexcept { return at_ + ahead >= end_; }
    std::size_t number() const noexcept { return at_ + 1; }
    void skip(std::size_t count = 1) noexcept { at_ += count; }

    // The line `ahead` of the current one without its ending; empty beyond the end.
    std::string_view line(std::size_t ahead = 0) const noexcept {
        return done(ahead) ? std::string_view() : body_of(lines_[at_ + ahead]);
    }
    bool starts_with(std::string_view beginning, std::size_t ahead = 0) const noexcept {
        return line(ahead).starts_with(beginning);
    }

    // The patch ends before this line, 0-based.
    void end_at(std::size_t line) noexcept { end_ = line; }
    std::size_t end() const noexcept { return end_; }

    // Takes the ending of the current line for that of the whole patch: if it is CRLF, a CR at the
    // end of a hunk's line is no part of the file either.
    void learn_ending() noexcept { crlf_ = ending_of(lines_[at_]) == "\r\n"; }

    // The current line without LF, with the CR if that belongs to the file.
    std::string_view file_line() const noexcept {
        const std::string_view line = lines_[at_];
        if (crlf_) return body_of(line);
        return line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0));
    }

    PatchFailure malformed(std::string_view what) const {
        return {
            .code = Code::kInvalidArgument,
            .patch_line = number(),
            .detail = "line " + std::to_string(number()) + " of the patch: " + std::string(what)};
    }

private:
    Lines lines_;
    std::size_t at_ = 0;
    std::size_t end_;
    bool crlf_ = false;
};

// Names of files as diffs write them.
// The bytes behind git's C-style quoting, quotes included in `quoted`; nothing if it is malformed
// or holds a NUL.
std::optional<std::string> unquote_git_name(std::string_view quoted);

// The name in a header line after its keyword: quoted, or everything up to a tab.
std::optional<std::string> read_name(std::string_view field);

// Where the name ends in a line of "---" or "+++": at a tab, or without one at blanks that a date
// follows, as diff writes it ("2026-01-31 10:00:00.0 +0100", "Sat Jan 31 10:00:00 2026"), and
// nothing after that. Blanks alone are part of the name.
struct TimedName {
    std::string_view name;
    std::string_view time;  // empty: none
};
TimedName split_time(std::string_view field);

// True for "a/x" and "b/y" and the other pairs of prefixes that git writes, in either order.
bool have_prefixes(std::string_view before, std::string_view after);

// What follows "diff --git ": the one name of both sides, without its prefix if it has one. Nothing
// if the two differ (a rename, told elsewhere) or cannot be told apart.
std::optional<std::string> read_git_line(std::string_view field);

// One hunk of a patch, in either grammar.
enum class HunkForm : std::uint8_t {
    kUnified,     // ends where its counts are fulfilled, or where a file or hunk begins
    kBeginPatch,  // ends at the next "***" or "@@"
};

// True for "@@ -1,2 +3,4 @@" and its shorter forms.
bool is_hunk_header(std::string_view line);

// The hunk at the reader, from its first "@@" line (or first body line) to its last. An empty line
// is an empty line of context: editors and models lose the blank.
PatchOutcome<Hunk> take_hunk(PatchReader& reader, HunkForm form);

// The grammar of "*** Begin Patch"; see patch_parse.h for what is accepted.
bool at_begin_patch(const PatchReader& reader);

PatchOutcome<std::vector<FileChange>> parse_begin_patch(PatchReader& reader);

// The grammar of unified and git diffs; see patch_parse.h for what is accepted.
// True if the reader is at the first line of a file's diff.
bool at_unified_file(const PatchReader& reader);

PatchOutcome<std::vector<FileChange>> parse_unified(PatchReader& reader);

// In the order of the patch; a path may occur more than once. Never empty.
PatchOutcome<std::vector<FileChange>> parse_patch(std::string_view text);

}  // namespace paddock::text
