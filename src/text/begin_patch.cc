#include "text/begin_patch.h"

#include <utility>

#include "base/outcome.h"
#include "text/fold.h"
#include "text/hunk_parse.h"
#include "text/quote.h"

namespace paddock::text {
namespace {

// What follows a marker on the current line, padding dropped; nothing if it is another line.
std::optional<std::string_view> marked(const PatchReader& reader, std::string_view marker) {
    const std::string_view line = trim(reader.line());
    if (!line.starts_with(marker)) return std::nullopt;
    return trim(line.substr(marker.size()));
}

void skip_empty(PatchReader& reader) {
    while (!reader.done() && trim(reader.line()).empty()) reader.skip();
}

constexpr std::string_view kNoName = "a file name is missing or holds a NUL byte. Name the file";

bool is_name(std::string_view path) {
    return !path.empty() && path.find('\0') == std::string_view::npos;
}

// Whoever wrote the patch saw odd names in their quoted form.
std::string bytes_of(std::string_view name) { return unquote(name).value_or(std::string(name)); }

PatchOutcome<FileChange> start(const PatchReader& reader, ChangeKind kind, std::string_view path) {
    if (!is_name(path)) return reader.malformed(kNoName);
    FileChange change{.kind = kind, .patch_line = reader.number()};
    change.path = change.new_path = bytes_of(path);
    return change;
}

PatchOutcome<FileChange> added_file(PatchReader& reader, std::string_view path) {
    PADDOCK_ASSIGN(change, start(reader, ChangeKind::kCreate, path));
    Hunk hunk{.patch_line = reader.number(), .old_start = 0};
    for (reader.skip(); !reader.done() && reader.starts_with("+"); reader.skip()) {
        hunk.lines.push_back({'+', reader.file_line().substr(1), true});
    }
    skip_empty(reader);
    if (!reader.done() && !trim(reader.line()).starts_with("***")) {
        return reader.malformed(
            "every line of an added file begins with '+', an empty one too. Put one before this "
            "line");
    }
    if (!hunk.lines.empty()) change.hunks.push_back(std::move(hunk));
    return change;
}

PatchOutcome<FileChange> updated_file(PatchReader& reader, std::string_view path) {
    PADDOCK_ASSIGN(change, start(reader, ChangeKind::kModify, path));
    reader.skip();
    if (const auto target = marked(reader, "*** Move to:")) {
        if (!is_name(*target)) return reader.malformed(kNoName);
        change.kind = ChangeKind::kRename;
        change.new_path = bytes_of(*target);
        reader.skip();
    }
    for (skip_empty(reader); !reader.done() && !reader.starts_with("***"); skip_empty(reader)) {
        PADDOCK_ASSIGN(hunk, take_hunk(reader, HunkForm::kBeginPatch));
        change.hunks.push_back(std::move(hunk));
    }
    if (change.hunks.empty() && change.kind == ChangeKind::kModify) {
        return reader.malformed(
            "an update without a change. Add the lines that change, with ' ', '-' or '+' first, or "
            "leave the file out");
    }
    return change;
}

PatchOutcome<FileChange> take_file(PatchReader& reader) {
    if (const auto path = marked(reader, "*** Add File:")) return added_file(reader, *path);
    if (const auto path = marked(reader, "*** Update File:")) return updated_file(reader, *path);
    if (const auto path = marked(reader, "*** Delete File:")) {
        auto change = start(reader, ChangeKind::kDelete, *path);
        if (change) change->any_content = true;
        reader.skip();
        return change;
    }
    return reader.malformed(
        "no file begins here. Begin each with '*** Add File: NAME', '*** Update File: NAME' or "
        "'*** Delete File: NAME'");
}

}  // namespace

bool at_begin_patch(const PatchReader& reader) { return trim(reader.line()) == "*** Begin Patch"; }

PatchOutcome<std::vector<FileChange>> parse_begin_patch(PatchReader& reader) {
    reader.learn_ending();
    // The last such line: inside a hunk a leading blank makes it context.
    std::size_t last = reader.end() - reader.number();
    while (last > 0 && trim(reader.line(last)) != "*** End Patch") --last;
    if (last == 0) {
        return reader.malformed(
            "'*** End Patch' is missing; the patch may have been cut off. Give all of it");
    }
    reader.end_at(reader.number() - 1 + last);
    reader.skip();
    std::vector<FileChange> changes;
    for (skip_empty(reader); !reader.done(); skip_empty(reader)) {
        PADDOCK_ASSIGN(change, take_file(reader));
        changes.push_back(std::move(change));
    }
    return changes;
}

}  // namespace paddock::text
