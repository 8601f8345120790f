// A patch is worked out in memory first: every file as it would be, checked against the rules and
// the tracker. Only then the disk is touched, file by file, each atomically; a failure takes back
// what was done before it.
#include "text/patch_apply.h"
#include "text/patch_parse.h"
#include "text/quote.h"
#include "tools/arguments.h"
#include "tools/change_set.h"
#include "tools/registry.h"
#include "tools/session.h"
#include "tools/text_answer.h"

namespace paddock::tools {
namespace {

Problem explained(const text::PatchFailure& failure) {
    std::string text;
    if (!failure.path.empty()) text += "'" + text::quote_if_needed(failure.path) + "': ";
    if (failure.hunk > 0) text += "hunk " + std::to_string(failure.hunk) + ": ";
    if (failure.patch_line > 0 && failure.hunk == 0) {
        text += "line " + std::to_string(failure.patch_line) + " of the patch: ";
    }
    text += failure.detail + " Nothing was changed.";
    return Problem(failure.code, std::move(text));
}

// The change that would take this one back.
text::FileChange reversed(text::FileChange change) {
    for (text::Hunk& hunk : change.hunks) {
        hunk.old_start.reset();
        for (text::HunkLine& line : hunk.lines) {
            line.mark = line.mark == '+' ? '-' : line.mark == '-' ? '+' : line.mark;
        }
    }
    change.kind = text::ChangeKind::kModify;
    return change;
}

class Stager {
public:
    explicit Stager(const Files& files) : files_(files), changes_(files) {}

    Attempt<void> stage(const text::FileChange& change) {
        switch (change.kind) {
            case text::ChangeKind::kCreate: return create(change);
            case text::ChangeKind::kDelete: return remove(change);
            case text::ChangeKind::kModify: return modify(change);
            case text::ChangeKind::kRename:
            case text::ChangeKind::kCopy: return carry(change);
        }
        return {};
    }

    ChangeSet& changes() { return changes_; }
    const std::string& report() const { return report_; }

private:
    void tell(char mark, const std::string& path, const std::string& what = {}) {
        report_ += std::string(1, mark) + " " + files_.shown(path);
        if (!what.empty()) report_ += "  (" + what + ")";
        report_ += "\n";
    }

    static std::string joined(const std::vector<std::string>& notes) {
        std::string all;
        for (const std::string& note : notes) all += (all.empty() ? "" : "; ") + note;
        return all;
    }

    Attempt<std::string> applied(const std::string& content, const text::FileChange& change,
                                 std::string& notes) {
        const auto result = text::apply_change(content, change);
        if (!result) return explained(result.error());
        notes = joined(result->notes);
        return result->content;
    }

    Attempt<void> create(const text::FileChange& change) {
        std::string notes;
        const auto content = applied({}, change, notes);
        if (!content) return content.error();
        const auto there = changes_.look(change.path);
        if (!there) return there.error();
        if ((*there)->content) {
            if (*(*there)->content == *content) {
                tell('=', (*there)->path, "already there");
                return {};
            }
            return Problem(Code::kAlreadyExists,
                           "The patch creates '" + files_.shown((*there)->path) +
                               "', which already exists. Nothing was changed. "
                               "Read it and patch what is there.");
        }
        tell('A', (*there)->path, notes);
        changes_.write(**there, *content, change.mode);
        return {};
    }

    Attempt<void> remove(const text::FileChange& change) {
        const auto there = changes_.look(change.path);
        if (!there) return there.error();
        if (!(*there)->content) {
            tell('=', (*there)->path, "already gone");
            return {};
        }
        if (!change.any_content) {
            std::string notes;
            const auto rest = applied(*(*there)->content, change, notes);
            if (!rest) return rest.error();
        }
        tell('D', (*there)->path);
        changes_.remove(**there);
        return {};
    }

    Attempt<void> modify(const text::FileChange& change) {
        const auto there = changes_.look(change.path);
        if (!there) return there.error();
        if (!(*there)->content && !change.may_create) return files_.missing(change.path);
        const std::string before = (*there)->content.value_or("");
        std::string notes;
        const auto content = applied(before, change, notes);
        if (content) {
            tell('M', (*there)->path, notes);
            changes_.write(**there, *content, change.mode);
            return {};
        }
        if (!text::apply_change(before, reversed(change))) return content.error();
        tell('=', (*there)->path, "already has this change");
        return {};
    }

    Attempt<void> carry(const text::FileChange& change) {
        const auto from = changes_.look(change.path);
        if (!from) return from.error();
        const auto to = changes_.look(change.new_path);
        if (!to) return to.error();
        const bool renames = change.kind == text::ChangeKind::kRename;
        if (!(*from)->content) {
            if (renames && (*to)->content &&
                text::apply_change(*(*to)->content, reversed(change))) {
                tell('=', (*to)->path, "already renamed");
                return {};
            }
            return files_.missing(change.path);
        }
        if ((*to)->content) {
            return Problem(Code::kAlreadyExists,
                           "'" + files_.shown((*to)->path) +
                               "' already exists. Nothing was changed. Choose another name.");
        }
        std::string notes;
        const auto content = applied(*(*from)->content, change, notes);
        if (!content) return content.error();
        const std::string origin = "from " + files_.shown((*from)->path);
        tell(renames ? 'R' : 'C', (*to)->path, notes.empty() ? origin : origin + "; " + notes);
        changes_.write(**to, *content, change.mode ? change.mode : (*from)->mode);
        if (renames) changes_.remove(**from);
        return {};
    }

    const Files& files_;
    ChangeSet changes_;
    std::string report_;
};

Attempt<Answer> run(Session& session, const Arguments& arguments) {
    const auto parsed = text::parse_patch(arguments.text("patch"));
    if (!parsed) return explained(parsed.error());
    Stager stager(session.files());
    for (const text::FileChange& change : *parsed) {
        if (auto staged = stager.stage(change); !staged) return staged.error();
    }
    const std::string report = stager.report();
    if (arguments.flag("dry_run")) return text_answer("Would apply cleanly:\n" + report);
    if (auto done = stager.changes().commit(); !done) return done.error();
    return text_answer("Applied:\n" + report);
}

}  // namespace

const Declaration& patch() {
    static const Declaration kTool{
        .name = "patch",
        .title = "Apply patch",
        .summary = "Change several files at once by a patch: all of it, or nothing.",
        .description =
            "Takes a unified diff, a git diff (also creating, deleting, renaming, copying, "
            "changing modes), or the form between '*** Begin Patch' and '*** End Patch' with "
            "'*** Add File:', '*** Update File:', '*** Delete File:'. Files that are changed must "
            "have been read. A hunk that is not where it says is applied only where it fits in one "
            "place, and that is told.",
        .manners = {.destructive = true},
        .arguments = {{.name = "patch",
                       .help = "The patch",
                       .required = true,
                       .aliases = {"input", "diff", "patch_text", "patchText"}},
                      {.name = "dry_run",
                       .type = Type::kFlag,
                       .help = "Check it and write nothing",
                       .usual = false,
                       .aliases = {"dryRun", "check"}}},
        .run = run};
    return kTool;
}

}  // namespace paddock::tools
