#include "text/edit.h"

#include <paddock/limits.h>

#include "text/diff.h"
#include "tools/answer.h"
#include "tools/call.h"
#include "tools/declaration.h"
#include "tools/session.h"
#include "tools/text_window.h"

namespace paddock::tools {
namespace {

Result<std::vector<text::Edit>> edits_of(const Arguments& arguments,
                                         const std::vector<Arguments>& listed) {
    const bool single = arguments.has("old_string") || arguments.has("new_string");
    if (single != listed.empty()) {
        return tool_error(
            Code::kInvalidArgument,
            single
                ? "edit_file: edits were given in two forms. Give either 'old_string' and "
                  "'new_string', or 'edits'."
                : "edit_file: no edit was given. Give 'old_string' and 'new_string', or 'edits'.");
    }
    std::vector<text::Edit> edits;
    if (single) {
        if (!arguments.has("old_string") || !arguments.has("new_string")) {
            return tool_error(
                Code::kInvalidArgument,
                "edit_file: one of 'old_string' and 'new_string' is missing. Give both.");
        }
        edits.push_back({arguments.text("old_string"), arguments.text("new_string"),
                         arguments.flag("replace_all")});
    }
    for (const Arguments& edit : listed) {
        edits.push_back({edit.text("old_string"), edit.text("new_string"),
                         edit.flag("replace_all") || arguments.flag("replace_all")});
    }
    return edits;
}

// As git writes it: what is quoted is quoted as a whole.
std::string label(const std::string& prefix, const std::string& name) {
    return name.starts_with('"') ? "\"" + prefix + name.substr(1) : prefix + name;
}

// The closest text is shown in parts, so its secrets are taken out before it is looked for.
text::EditFailure without_secrets(const Session& session, std::string text,
                                  const std::vector<text::Edit>& edits,
                                  const text::EditFailure& failure) {
    if (failure.code != Code::kNoMatch || session.redact(text) == 0) return failure;
    const auto again = text::apply_edits(text, edits);
    if (!again && again.error().code == Code::kNoMatch) return again.error();
    text::EditFailure shown = failure;
    shown.detail =
        "the text was not found. [REDACTED:...] stands for a secret in the file; leave it out of "
        "old_string.";
    return shown;
}

// Made of the text without its secrets: an edit may leave a part of one that no shape tells.
std::string shown_diff(const Session& session, const std::string& before, const std::string& after,
                       const std::vector<text::Edit>& edits, const std::string& name) {
    const auto diff = [&](const std::string& from, const std::string& to) {
        return text::unified_diff(from, to, label("a/", name), label("b/", name),
                                  {.bytes_max = limits::kEditDiffBytes})
            .text;
    };
    std::string hidden = before;
    if (session.redact(hidden) == 0) return diff(before, after);
    const auto edited = text::apply_edits(hidden, edits);
    if (edited) return diff(hidden, edited->content);
    return "[The diff is not shown: the edit overlaps a secret that is shown as [REDACTED:...].]";
}

Error explained(const text::EditFailure& failure, const std::string& name, std::size_t edits) {
    std::string where = name;
    if (edits > 1) {
        where += ", edit " + std::to_string(failure.edit + 1) + " of " + std::to_string(edits) +
                 " (none was made)";
    }
    return tool_error(failure.code, where + ": " + failure.detail);
}

Result<Answer> run_edit_file(Session& session, const Arguments& arguments,
                             const CallOptions& options) {
    const Files& files = session.files_for(arguments.text("path"));
    const std::vector<Arguments> listed = arguments.objects("edits");
    const auto edits = edits_of(arguments, listed);
    if (!edits) return edits.error();
    const std::string& path = arguments.text("path");
    const auto change = files.prepare(path);
    if (!change) return change.error();
    if (!change->old) return files.missing(path);
    const std::string name = files.shown(change->path);
    const auto before = decoded(change->old->bytes, name);
    if (!before) return before.error();
    search::Interruption interruption(session.search_time(), options.cancel);
    const auto edited =
        text::apply_edits(before->text, *edits, [&] { return interruption.requested(); });
    if (interruption.cause() != search::Interruption::Cause::kNone) {
        return interrupted(interruption, "The edits");
    }
    if (!edited) {
        return explained(without_secrets(session, before->text, *edits, edited.error()), name,
                         edits->size());
    }
    if (session.loses_a_secret(before->text, edited->content)) {
        return tool_error(
            Code::kInvalidArgument,
            "The new text contains the placeholder [REDACTED:...] instead of the secret; " + name +
                " would contain the placeholder. Nothing was written. Leave the placeholder out.");
    }
    const auto bytes = encoded(edited->content, before->format, name);
    if (!bytes) return bytes.error();
    const std::string diff = shown_diff(session, before->text, edited->content, *edits, name);
    std::size_t replaced = 0;
    for (const text::Replaced& edit : edited->edits) replaced += edit.count;
    const std::string places = std::to_string(replaced) + (replaced == 1 ? " place" : " places");
    if (arguments.flag("dry_run")) {
        const auto allowed = files.check_file(change->path, *bytes);
        if (!allowed) return allowed.error();
        return text_answer("Would change " + places + " in " + name + ":\n" + diff);
    }
    if (auto done = files.commit(*change, *bytes); !done) return done.error();
    return text_answer("Changed " + places + " in " + name + ":\n" + diff +
                       closing_for_other_names(change->old->stat.links));
}

Argument old_string(bool required) {
    return {.name = "old_string",
            .help =
                "The exact text to replace, without line numbers; must occur once, unless "
                "replace_all is set",
            .required = required,
            .aliases = {"oldString", "oldText", "old_text", "old_str", "search"}};
}

Argument new_string(bool required) {
    return {.name = "new_string",
            .help = "The replacement text; empty removes the old text",
            .required = required,
            .aliases = {"newString", "newText", "new_text", "new_str", "replace"}};
}

Argument replace_all() {
    return {.name = "replace_all",
            .type = Type::kFlag,
            .help = "Replace every occurrence",
            .default_value = false,
            .aliases = {"replaceAll", "allow_multiple"}};
}

}  // namespace

const Declaration& edit_file() {
    static const Declaration kTool{
        .name = "edit_file",
        .title = "Edit file",
        .summary = "Replace exact text in a file that was read.",
        .description =
            "old_string must match exactly and occur once; otherwise nothing is written and the "
            "result shows the closest text. Line endings and all other bytes are kept. With "
            "'edits' several replacements are made in order, all or none. Returns a diff; with "
            "dry_run nothing is written.",
        .traits = {.destructive = true, .pace = Pace::kChanging},
        .arguments = {path_argument("The file to change"),
                      old_string(false),
                      new_string(false),
                      replace_all(),
                      {.name = "dry_run",
                       .type = Type::kFlag,
                       .help = "Show the diff and write nothing",
                       .default_value = false,
                       .aliases = {"dryRun", "preview"}},
                      {.name = "edits",
                       .type = Type::kObjects,
                       .help = "Several replacements, instead of old_string and new_string",
                       .smallest = 1,
                       .largest = static_cast<std::int64_t>(limits::kEditsMax),
                       .members = {old_string(true), new_string(true), replace_all()}}},
        .errors = {Code::kIsADirectory, Code::kNotRegularFile, Code::kNotRead, Code::kStaleRead,
                   Code::kNoMatch, Code::kAmbiguousMatch, Code::kBinaryFile,
                   Code::kUnsupportedEncoding, Code::kTooLarge},
        .example = R"({"path": "src/main.c", "old_string": "hello", "new_string": "good morning"})",
        .run = run_edit_file};
    return kTool;
}

}  // namespace paddock::tools
