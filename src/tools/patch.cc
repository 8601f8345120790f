// A patch is worked out in memory first: every file as it would be, checked against the rules and
// the tracker. Only then the disk is touched, file by file, each atomically; a failure takes back
// what was done before it.
#include "tools/patch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <paddock/limits.h>

#include "base/text.h"
#include "base/utf8.h"
#include "text/names.h"
#include "text/patch_apply.h"
#include "text/patch_parse.h"
#include "tools/answer.h"
#include "tools/call.h"
#include "tools/change_set.h"
#include "tools/declaration.h"
#include "tools/session.h"
#include "tools/text_window.h"

namespace paddock::tools {
namespace {

Error explained(const text::PatchFailure& failure) {
    std::string text;
    if (!failure.path.empty()) text += "'" + text::quote_if_needed(failure.path) + "': ";
    text += failure.detail;
    if (!text.ends_with('.') && !text.ends_with('\n')) text += '.';
    text += text.ends_with('\n') ? "Nothing was changed." : " Nothing was changed.";
    return tool_error(failure.code, std::move(text));
}

std::size_t count(const text::Hunk& hunk, char mark) {
    return static_cast<std::size_t>(
        std::count_if(hunk.lines.begin(), hunk.lines.end(),
                      [mark](const text::HunkLine& line) { return line.mark == mark; }));
}

// The change that would take this one back. `stated`: only where the patch says that it was made.
text::FileChange reversed(text::FileChange change, bool stated) {
    std::size_t added = 0;
    std::size_t removed = 0;
    for (text::Hunk& hunk : change.hunks) {
        const std::size_t comes = count(hunk, '+');
        const std::size_t goes = count(hunk, '-');
        const std::size_t stays = count(hunk, ' ');
        if (hunk.old_start) {
            // A range of no lines is stated by the line before it.
            const std::size_t first = *hunk.old_start + (goes + stays == 0 ? 1 : 0);
            hunk.old_start = first + added - removed - (comes + stays == 0 ? 1 : 0);
        }
        if (!stated) hunk.old_start.reset();
        for (text::HunkLine& line : hunk.lines) {
            line.mark = line.mark == '+' ? '-' : line.mark == '-' ? '+' : line.mark;
        }
        added += comes;
        removed += goes;
    }
    change.kind = text::ChangeKind::kModify;
    return change;
}

// What it leaves behind can be told from a file that it was never applied to: lines that came with
// one beside them or a line to find them by, or lines on both sides of those that went.
bool leaves_a_trace(const text::Hunk& hunk) {
    const bool is_located = count(hunk, ' ') > 0 || !hunk.anchors.empty();
    return (count(hunk, '+') > 0 && is_located) ||
           (!hunk.lines.empty() && hunk.lines.front().mark == ' ' && hunk.lines.back().mark == ' ');
}

bool only_removes(const text::Hunk& hunk) { return count(hunk, '-') == hunk.lines.size(); }

// Has the content this change already, exactly where the patch says? Of lines that went, without
// one beside them, no place can tell.
bool has_exactly(const std::string& content, const text::FileChange& change) {
    if (std::any_of(change.hunks.begin(), change.hunks.end(), only_removes)) return false;
    const auto before = text::apply_change(content, reversed(change, true));
    return !change.hunks.empty() && before && before->as_stated;
}

bool has_somewhere(const std::string& content, const text::FileChange& change) {
    if (has_exactly(content, change)) return true;
    return std::all_of(change.hunks.begin(), change.hunks.end(), leaves_a_trace) &&
           text::apply_change(content, reversed(change, false)).has_value();
}

// Rather than that it is to be made where the patch does not say, or could not be.
bool has_been_made(const std::string& content, const text::FileChange& change,
                   const text::PatchOutcome<text::Applied>& applied) {
    if (applied) return !applied->as_stated && has_exactly(content, change);
    return applied.error().is_ambiguous ? has_exactly(content, change)
                                        : has_somewhere(content, change);
}

// Did an empty file become this one?
bool is_filled(const std::string& content, const text::FileChange& change) {
    if (!change.expects_empty) return false;
    const auto filled = text::apply_change({}, change);
    return !content.empty() && filled && filled->content == content;
}

// They were not copied from a text that was shown, but from a file.
bool has_raw_lines(const text::FileChange& change) {
    return std::any_of(change.hunks.begin(), change.hunks.end(), [](const text::Hunk& hunk) {
        return std::any_of(hunk.lines.begin(), hunk.lines.end(),
                           [](const text::HunkLine& line) { return !is_utf8(line.text); });
    });
}

class Stager {
public:
    Stager(const Session& session, const Files& files, std::span<const text::FileChange> all)
        : session_(session), files_(files), changes_(files_), all_(all) {}

    // One after the other.
    Result<void> stage(std::size_t index) {
        const text::FileChange& change = all_[index];
        later_ = all_.subspan(index + 1);
        switch (change.kind) {
            case text::ChangeKind::kCreate: return create(change);
            case text::ChangeKind::kDelete: return remove(change);
            case text::ChangeKind::kModify: return modify(change);
            case text::ChangeKind::kRename:
            case text::ChangeKind::kCopy: return carry(change);
        }
        return {};
    }

    // A file that is removed may come back under another name, but not its secrets.
    Result<void> check_secrets() {
        for (const std::string& path : created_) {
            const auto made = look(path);
            if (!made || !(*made)->content) continue;
            const auto text = text_to_show(*(*made)->content);
            const bool has_mark = text && session_.loses_a_secret({}, *text);
            if (has_mark && removes_a_secret()) return no_secret(**made);
        }
        return {};
    }

    ChangeSet& changes() { return changes_; }
    const std::string& report() const { return report_; }

private:
    // A name in a patch is bytes; a path given to Files is quoted where need be.
    Result<const StagedFile*> look(const std::string& name) {
        return changes_.look(text::quote_if_needed(name));
    }

    Error missing(const StagedFile& file, const std::string& name) const {
        return file.obstacle ? *file.obstacle : files_.missing(text::quote_if_needed(name));
    }

    // Does the patch itself make what is in the way of the file, so that it may have been made?
    bool makes_the_obstacle(const StagedFile& file) {
        const std::string& blocker = changes_.blocker_of(file);
        return std::any_of(all_.begin(), all_.end(), [&](const text::FileChange& change) {
            if (change.kind == text::ChangeKind::kDelete) return false;
            const auto made = look(change.new_path);
            return made && is_within((*made)->path, blocker);
        });
    }

    // Does the patch take this file away, or to another name, only after it has given the name to
    // another? So do diffs of git, which do not depend on the order.
    bool leaves_later(const StagedFile& file) {
        if (leaving_.contains(file.path)) return false;
        return std::any_of(later_.begin(), later_.end(), [&](const text::FileChange& change) {
            if (change.kind != text::ChangeKind::kRename &&
                change.kind != text::ChangeKind::kDelete)
                return false;
            const auto there = look(change.path);
            return there && (*there)->path == file.path;
        });
    }

    void make_room(const StagedFile& file) {
        leaving_.emplace(file.path, file);
        changes_.remove(file);
    }

    // The file that a removal or rename of this name means.
    const StagedFile& leaving(const StagedFile& file) const {
        const auto it = leaving_.find(file.path);
        return it == leaving_.end() ? file : it->second;
    }

    void take_away(const StagedFile& file) {
        if (leaving_.erase(file.path) == 0) changes_.remove(file);
    }

    Error no_secret(const StagedFile& file) const {
        return tool_error(
            Code::kInvalidArgument,
            "'" + files_.shown(file.path) +
                "' would contain the placeholder [REDACTED:...] instead of the secret. "
                "Nothing was changed. Leave the placeholder out.");
    }

    void tell(char mark, const std::string& path, const std::string& what = {}) {
        report_ += std::string(1, mark) + " " + files_.shown(path);
        if (!what.empty()) report_ += "  (" + what + ")";
        report_ += "\n";
    }

    bool removes_a_secret() {
        return std::any_of(removed_.begin(), removed_.end(), [&](const std::string& path) {
            const auto file = look(path);
            const auto content = file ? changes_.original(**file).content : std::nullopt;
            auto text = content ? text_to_show(*content) : std::nullopt;
            return text && session_.redact(*text) > 0;
        });
    }

    static std::string joined(const std::vector<std::string>& notes) {
        std::string all;
        for (const std::string& note : notes) all += (all.empty() ? "" : "; ") + note;
        return all;
    }

    std::string with_other_names(std::vector<std::string> notes, const StagedFile& file) const {
        const std::uint64_t names = changes_.names_of(file);
        if (names > 1) notes.push_back(note_of_other_names(names));
        return joined(notes);
    }

    // What the hunks speak of: the text as it is shown, or the bytes themselves.
    Result<FileText> text_for(const StagedFile& file, const text::FileChange& change) const {
        if (change.hunks.empty() || has_raw_lines(change)) return FileText{{}, *file.content};
        return decoded(*file.content, files_.shown(file.path));
    }

    Result<std::string> applied(const StagedFile& file, const text::FileChange& change,
                                std::string& notes) {
        const auto before = text_for(file, change);
        if (!before) return before.error();
        const auto result = text::apply_change(before->text, change);
        if (!result) return explained(without_secrets(before->text, change, result.error()));
        if (session_.loses_a_secret(before->text, result->content)) return no_secret(file);
        notes = joined(result->notes);
        return encoded(result->content, before->format, files_.shown(file.path));
    }

    // The closest text is shown in parts, so its secrets are taken out before it is looked for.
    text::PatchFailure without_secrets(std::string content, const text::FileChange& change,
                                       const text::PatchFailure& failure) const {
        if (session_.redact(content) == 0) return failure;
        const auto again = text::apply_change(content, change);
        if (!again) return again.error();
        text::PatchFailure shown = failure;
        shown.detail =
            "the lines were not found. [REDACTED:...] stands for a secret in the file; leave it "
            "out of the patch.";
        return shown;
    }

    Result<void> create(const text::FileChange& change) {
        const auto made = text::apply_change({}, change);
        if (!made) return explained(made.error());
        const auto there = look(change.path);
        if (!there) return there.error();
        if ((*there)->content && leaves_later(**there)) {
            make_room(**there);
        } else if ((*there)->content) {
            if (*(*there)->content == made->content) return keep(**there, change, "already there");
            return tool_error(Code::kAlreadyExists,
                              "The patch creates '" + files_.shown((*there)->path) +
                                  "', which already exists. Nothing was changed. Read it and patch "
                                  "its present content.");
        }
        const auto before = changes_.original(**there).content;
        if (before && session_.loses_a_secret(*before, made->content)) return no_secret(**there);
        created_.push_back((*there)->path);
        tell('A', (*there)->path, joined(made->notes));
        return changes_.write(**there, made->content, change.executable);
    }

    // A change goes through a link to the file; to take that away under the link's name would leave
    // the link.
    Result<void> check_is_no_link(const std::string& name) const {
        const auto own = files_.own_name(text::quote_if_needed(name));
        const auto stat = own ? files_.stat_name(*own) : Result<Stat>(own.error());
        if (!stat || stat->type != FileType::kSymlink) return {};
        return tool_error(Code::kNotRegularFile,
                          "'" + files_.shown(*own) +
                              "' is a symbolic link, which a patch neither removes nor renames. "
                              "Nothing was changed. Use remove_path or move_path for it.");
    }

    Result<void> remove(const text::FileChange& change) {
        const auto there = look(change.path);
        if (!there) return there.error();
        if (auto allowed = check_is_no_link(change.path); !allowed) return allowed;
        const StagedFile file = leaving(**there);
        if (!file.content) {
            // Without its content nothing else tells a wrong name from a patch that is made again.
            if (file.obstacle && !makes_the_obstacle(file)) return *file.obstacle;
            const bool may_be_wrong = change.any_content && !files_.has_known((*there)->path);
            if (may_be_wrong) return missing(**there, change.path);
            tell('=', (*there)->path, "already gone");
            return {};
        }
        if (!change.any_content) {
            std::string notes;
            const auto rest = applied(file, change, notes);
            if (!rest) return rest.error();
        }
        tell('D', (*there)->path);
        removed_.push_back((*there)->path);
        take_away(**there);
        return {};
    }

    // The same patch again, after a process was killed in it, completes it: what a file has is not
    // applied to another place of it.
    Result<void> modify(const text::FileChange& change) {
        const auto there = look(change.path);
        if (!there) return there.error();
        if (!(*there)->content && !change.may_create) return missing(**there, change.path);
        const auto before =
            (*there)->content ? text_for(**there, change) : Result<FileText>(FileText());
        if (!before) return before.error();
        const auto result = text::apply_change(before->text, change);
        if (has_been_made(before->text, change, result) || is_filled(before->text, change))
            return keep(**there, change, "already has this change");
        if (!result) return explained(without_secrets(before->text, change, result.error()));
        if (session_.loses_a_secret(before->text, result->content)) return no_secret(**there);
        auto bytes = encoded(result->content, before->format, files_.shown((*there)->path));
        if (!bytes) return bytes.error();
        tell((*there)->content ? 'M' : 'A', (*there)->path,
             with_other_names(result->notes, **there));
        return changes_.write(**there, std::move(*bytes), change.executable);
    }

    // The content is as the patch leaves it; the mode may not be.
    Result<void> keep(const StagedFile& file, const text::FileChange& change,
                      const std::string& why) {
        const bool stays = change.executable.value_or(is_executable(file)) == is_executable(file);
        tell('=', file.path, stays ? why : with_other_names({why}, file));
        if (stays) return {};
        return changes_.write(file, *file.content, change.executable);
    }

    Result<void> carry(const text::FileChange& change) {
        const bool renames = change.kind == text::ChangeKind::kRename;
        const auto from = look(change.path);
        if (!from) return from.error();
        if (renames) {
            if (auto allowed = check_is_no_link(change.path); !allowed) return allowed;
        }
        const auto to = look(change.new_path);
        if (!to) return to.error();
        if (*from == *to) {
            return tool_error(Code::kInvalidArgument,
                              "The patch renames or copies '" + files_.shown((*from)->path) +
                                  "' to itself. Nothing was changed. Leave that out.");
        }
        // A copy is made of the file as it was before the patch, as git means it.
        const StagedFile source = renames ? leaving(**from) : changes_.original(**from);
        const std::string done = renames ? "already renamed" : "already there";
        if (!source.content) {
            if (!(*to)->content) return missing(**from, change.path);
            const auto held = text_for(**to, change);
            const bool is_done = held && has_somewhere(held->text, change);
            return is_done ? keep(**to, change, done) : missing(**from, change.path);
        }
        std::string notes;
        auto content = applied(source, change, notes);
        const bool makes_room = (*to)->content && leaves_later(**to);
        if ((*to)->content && !makes_room) {
            // So does a process leave it that was killed in the same patch; what a copy was made of
            // may have been changed since.
            const auto held = text_for(**to, change);
            const bool is_done = (content && *content == *(*to)->content) ||
                                 (!renames && held && has_exactly(held->text, change));
            if (!is_done) {
                return tool_error(
                    Code::kAlreadyExists,
                    "'" + files_.shown((*to)->path) +
                        "' already exists. Nothing was changed. Choose another name.");
            }
            if (renames) {
                tell('D', (*from)->path);
                take_away(**from);
            }
            return keep(**to, change, done);
        }
        if (!content) return content.error();
        const std::string origin = "from " + files_.shown((*from)->path);
        tell(renames ? 'R' : 'C', (*to)->path, notes.empty() ? origin : origin + "; " + notes);
        if (makes_room) make_room(**to);
        changes_.derive(**to, source, renames);
        if (auto staged = changes_.write(**to, std::move(*content), change.executable); !staged)
            return staged;
        if (renames) take_away(**from);
        return {};
    }

    const Session& session_;
    const Files& files_;
    ChangeSet changes_;
    std::span<const text::FileChange> all_;
    std::span<const text::FileChange> later_;
    // Files whose names have been given to others, until they leave; by path.
    std::map<std::string, StagedFile, std::less<>> leaving_;
    std::vector<std::string> created_;  // canonical paths, by what the patch calls so
    std::vector<std::string> removed_;
    std::string report_;
};

// Where a file lies that the patch may not touch is said before what is wrong with its change.
Error malformed(const Files& files, const text::PatchFailure& failure) {
    if (failure.path.empty()) return explained(failure);
    const auto target = files.target(text::quote_if_needed(failure.path));
    return target ? explained(failure) : target.error();
}

// All or nothing is promised within one root.
Result<const Files*> files_of(const Session& session,
                              const std::vector<text::FileChange>& changes) {
    const Files* files = nullptr;
    for (const text::FileChange& change : changes) {
        for (const std::string* name : {&change.path, &change.new_path}) {
            if (name->empty()) continue;
            const Files& own = session.files_for(text::quote_if_needed(*name));
            if (files == nullptr) files = &own;
            if (files == &own) continue;
            return tool_error(
                Code::kInvalidArgument,
                "patch: it changes files in several directories of this session. Give "
                "one patch for each directory.");
        }
    }
    return files == nullptr ? &session.files() : files;
}

Result<Answer> run_patch(Session& session, const Arguments& arguments, const CallOptions& options) {
    auto parsed = text::parse_patch(arguments.text("patch"));
    if (!parsed) return malformed(session.files_for(parsed.error().path), parsed.error());
    const auto files = files_of(session, *parsed);
    if (!files) return files.error();
    if (auto chosen = choose_targets(**files, *parsed); !chosen) return chosen.error();
    Stager stager(session, **files, *parsed);
    search::Interruption interruption(session.search_time(), options.cancel);
    for (std::size_t i = 0; i < parsed->size(); ++i) {
        if (interruption.requested()) return interrupted(interruption, "The changes");
        if (auto staged = stager.stage(i); !staged) return staged.error();
    }
    if (auto fine = stager.check_secrets(); !fine) return fine.error();
    const std::string report = stager.report();
    if (arguments.flag("dry_run")) {
        if (auto allowed = stager.changes().check(); !allowed) return allowed.error();
        return text_answer("Would apply cleanly:\n" + report);
    }
    if (auto done = stager.changes().commit(); !done) return done.error();
    return text_answer("Applied:\n" + report);
}

}  // namespace

const Declaration& patch() {
    static const Declaration kTool{
        .name = "patch",
        .title = "Apply patch",
        .summary = "Change several files with a patch: all of it, or nothing.",
        .description =
            "Takes a unified diff, a git diff (also creating, deleting, renaming, copying, "
            "changing modes), or the form between '*** Begin Patch' and '*** End Patch' with '*** "
            "Add File:', '*** Update File:', '*** Delete File:'. Files that are changed must have "
            "been read. A hunk with a wrong line number or different white space is applied only "
            "if it fits in exactly one place. It gets the file's indentation, and the result says "
            "so.",
        .traits = {.destructive = true, .pace = Pace::kChanging},
        .arguments = {{.name = "patch",
                       .help = "The patch",
                       .required = true,
                       .aliases = {"input", "diff", "patch_text", "patchText"}},
                      {.name = "dry_run",
                       .type = Type::kFlag,
                       .help = "Check the patch and write nothing",
                       .default_value = false,
                       .aliases = {"dryRun", "check"}}},
        .errors = {Code::kIsADirectory, Code::kNotRegularFile, Code::kAlreadyExists, Code::kNotRead,
                   Code::kStaleRead, Code::kPatchFailed, Code::kUnsupportedEncoding,
                   Code::kBinaryFile, Code::kTooLarge},
        .example = R"({"patch": "*** Begin Patch\n*** Update File: src/greet.h\n@@\n)"
                   R"(-void greet(void);\n+int greet(void);\n*** Add File: src/bye.h\n)"
                   R"(+void bye(void);\n*** End Patch\n"})",
        .run = run_patch};
    return kTool;
}

namespace {

struct Split {
    std::string_view first;  // component
    std::string_view rest;   // empty: there is no other
};

Split split(std::string_view name) {
    const std::size_t slash = name.find('/');
    if (slash == 0 || slash == name.npos) return {name, {}};
    return {name.substr(0, slash), name.substr(slash + 1)};
}

bool differ_in_the_first(std::string_view one, std::string_view other) {
    return !split(one).rest.empty() && split(one).rest == split(other).rest;
}

// Is `longer` the other name with something added to one of its components?
bool adds_to(std::string_view longer, std::string_view name) {
    for (std::size_t at = 1; at <= name.size(); ++at) {
        if (at < name.size() && name[at] != '/') continue;
        const std::string_view tail = name.substr(at);
        const bool fits = longer.size() > name.size() && longer.starts_with(name.substr(0, at)) &&
                          longer.ends_with(tail);
        if (fits && longer.substr(at, longer.size() - name.size()).find('/') == longer.npos)
            return true;
    }
    return false;
}

class Chooser {
public:
    explicit Chooser(const Files& files) : files_(files) {}

    Result<void> choose(text::FileChange& change) {
        const std::string after = change.path;
        const std::string& before = change.other_name;
        const auto has_after = file_of(after);
        if (!has_after) return has_after.error();
        const auto has_before = file_of(before);
        if (!has_before) return has_before.error();
        if (*has_after && *has_before && *has_after != *has_before) {
            const bool is_before = adds_to(after, before) && after.starts_with(before);
            if (!adds_to(before, after) && !is_before) return ambiguous(change);
            set(change, is_before ? before : after);
        } else if (*has_before && !*has_after) {
            set(change, before);
        } else if (!*has_after && differ_in_the_first(after, before)) {
            const std::string rest(split(after).rest);
            const auto found = file_of(rest);
            if (!found) return found.error();
            if (!*found) return {};
            set(change, rest);
        } else if (!*has_after) {
            return {};
        }
        if (!differ_in_the_first(after, before)) return {};
        const bool is_cut = change.path.size() == split(after).rest.size();
        const std::string_view kept = is_cut ? std::string_view() : split(change.path).first;
        for (const std::string& name : {after, before}) note(split(name).first, kept);
        return {};
    }

    // A file that comes or goes has one name.
    Result<void> follow(text::FileChange& change) const {
        const auto [first, rest] = split(change.path);
        const auto noted = kept_.find(first);
        if (rest.empty() || noted == kept_.end() || !noted->second) return {};
        const auto there = file_of(change.path);
        if (!there) return there.error();
        if (!*there)
            set(change, (noted->second->empty() ? "" : *noted->second + "/") + std::string(rest));
        return {};
    }

private:
    // The canonical path of the file, if there is one.
    Result<std::optional<std::string>> file_of(const std::string& name) const {
        const auto found = files_.target(text::quote_if_needed(name));
        if (!found && found.error().code == Code::kNotADirectory) return std::nullopt;
        if (!found) return found.error();
        const bool is_file = found->exists && found->type == FileType::kRegular;
        return is_file ? std::optional(found->path) : std::nullopt;
    }

    static void set(text::FileChange& change, const std::string& name) {
        change.path = change.new_path = name;
    }

    // Two that do not agree say nothing.
    void note(std::string_view first, std::string_view kept) {
        const auto [it, is_new] = kept_.emplace(first, kept);
        if (!is_new && it->second != kept) it->second.reset();
    }

    static Error ambiguous(const text::FileChange& change) {
        return tool_error(Code::kInvalidArgument,
                          "The patch changes '" + Files::shown_given(change.other_name) + "' or '" +
                              Files::shown_given(change.path) +
                              "': its lines '---' and '+++' name different files. Nothing was "
                              "changed. Write the same name on both lines.");
    }

    const Files& files_;
    // What stands for the first component of a name: empty: nothing; absent: that is not known.
    std::map<std::string, std::optional<std::string>, std::less<>> kept_;
};

}  // namespace

Result<void> choose_targets(const Files& files, std::vector<text::FileChange>& changes) {
    Chooser chooser(files);
    for (text::FileChange& change : changes) {
        if (change.other_name.empty()) continue;
        if (auto chosen = chooser.choose(change); !chosen) return chosen;
    }
    for (text::FileChange& change : changes) {
        const bool comes_or_goes = change.kind != text::ChangeKind::kModify || change.may_create;
        if (!change.is_plain || !comes_or_goes) continue;
        if (auto followed = chooser.follow(change); !followed) return followed;
    }
    return {};
}

}  // namespace paddock::tools
