#include "cli/undo_command.h"

#include <unistd.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/display.h"
#include "cli/journal_view.h"
#include "cli/setting_options.h"
#include "cli/undo_seal.h"
#include "fs/rel_path.h"
#include "journal/undo.h"
#include "json/write.h"
#include "sys/io.h"

namespace paddock::cli {
namespace {

using journal::Conflict;
using journal::PlannedChange;
using journal::UndoPlan;
using journal::UndoResult;

constexpr std::size_t kChangesShown = 50;  // removals are all shown

class UndoForm final : public Form {
public:
    explicit UndoForm(bool redo) { request_.redo = redo; }

    void declare(Parser& parser) override {
        parser.flag({.names = {"--dry-run"}, .help = "Only say what would be done"},
                    request_.dry_run);
        parser.flag({.names = {"-y", "--yes"}, .help = "Do not ask"}, request_.yes);
        options_.declare(parser, {"workspace.root"});
        parser.output(request_.output);
    }
    Request finish(Parser& parser) override {
        request_.settings = options_.take(parser);
        request_.words = past_words(std::move(parser.operands()));
        return std::move(request_);
    }

private:
    SettingOptions options_;
    UndoRequest request_{};
};

std::string_view word_of(PlannedChange::What what) {
    switch (what) {
        case PlannedChange::What::kRemove: return "remove";
        case PlannedChange::What::kMove: return "move";
        case PlannedChange::What::kRestore: return "restore";
        case PlannedChange::What::kPutBack: return "put back";
        case PlannedChange::What::kChmod: return "mode";
    }
    return {};
}

std::string reason(const Conflict& conflict, const std::string& by) {
    const std::string who = by.empty() ? " since, not by a session" : " since by " + by;
    switch (conflict.why) {
        case Conflict::Why::kChangedSince: return "changed" + who;
        case Conflict::Why::kRemovedSince: return "removed" + who;
        case Conflict::Why::kReplacedSince: return "replaced" + who;
        case Conflict::Why::kNotEmpty:
            return "made" + who + ", in a directory that would be removed";
        case Conflict::Why::kNoDirectory: return "its directory is gone. Name the directory too";
        case Conflict::Why::kNotKept: return "its old content was not kept: too large, or no room";
        case Conflict::Why::kSealed: return "git would obey it. Restore it yourself if it is yours";
        case Conflict::Why::kRunning: return "call " + by + " is still running";
    }
    return {};
}

std::string name_text(const PlannedChange& change) {
    std::string text = displayable(change.path);
    if (change.type == FileType::kDirectory) text += '/';
    if (change.what == PlannedChange::What::kChmod) text += "  " + octal_mode(change.mode);
    return change.from.empty() ? text : displayable(change.from) + " -> " + text;
}

// A tree that goes or comes as a whole is one line. The names in it, by the tree's own.
class WholeTrees {
public:
    explicit WholeTrees(const UndoPlan& plan) {
        for (const PlannedChange& change : plan.changes) {
            if (is_whole(change) && change.type == FileType::kDirectory) {
                directories_.insert({change.what, change.path});
            }
        }
        for (const PlannedChange& change : plan.changes) {
            if (const auto top = tree_of(change)) ++inside_[*top];
        }
    }

    // Nothing: it is in no tree, or the tree itself.
    std::optional<std::string> tree_of(const PlannedChange& change) const {
        std::optional<std::string> top;
        if (!is_whole(change)) return top;
        for (std::string_view above = fs::parent_of(change.path); !above.empty();
             above = fs::parent_of(above)) {
            if (directories_.contains({change.what, std::string(above)})) top = above;
        }
        return top;
    }
    std::size_t inside(const PlannedChange& change) const {
        const auto found = inside_.find(change.path);
        return is_whole(change) && found != inside_.end() ? found->second : 0;
    }

private:
    static bool is_whole(const PlannedChange& change) {
        return change.what == PlannedChange::What::kRemove ||
               change.what == PlannedChange::What::kRestore;
    }

    std::set<std::pair<PlannedChange::What, std::string>> directories_;
    std::map<std::string, std::size_t> inside_;
};

std::string changes_text(const UndoPlan& plan, const Paint& paint) {
    const WholeTrees trees(plan);
    std::vector<std::vector<Cell>> rows;
    std::size_t hidden = 0;
    for (const PlannedChange& change : plan.changes) {
        if (trees.tree_of(change)) continue;
        const bool is_removal = change.what == PlannedChange::What::kRemove;
        if (!is_removal && rows.size() >= kChangesShown) {
            ++hidden;
            continue;
        }
        std::string name = name_text(change);
        if (const std::size_t inside = trees.inside(change); inside > 0) {
            name += "  and " + std::to_string(inside) + " inside";
        }
        rows.push_back(
            {{"  " + std::string(word_of(change.what)), is_removal ? Tone::kBad : Tone::kQuiet},
             {std::move(name), Tone::kPath}});
    }
    std::string text = table(rows, paint);
    if (hidden > 0) {
        text += "  and " + std::to_string(hidden) + " more (--dry-run --json lists them)\n";
    }
    return text;
}

std::string conflicts_text(const Past& past, const UndoPlan& plan, const std::string& name) {
    std::vector<std::vector<Cell>> rows;
    for (const Conflict& conflict : plan.conflicts) {
        const std::string by =
            conflict.by.empty() ? std::string() : short_name(past.timeline, conflict.by);
        rows.push_back({{"  " + displayable(conflict.path)}, {reason(conflict, by)}});
    }
    return "cannot undo " + name + ":\n" + table(rows, Paint(STDERR_FILENO, Colours::kNever)) +
           "Nothing was changed. See 'paddock diff " + name +
           "', or name the files to undo without these.";
}

std::string as_json(const UndoPlan& plan, const UndoResult* result) {
    json::Array changes;
    for (const PlannedChange& change : plan.changes) {
        json::Object object{{"action", word_of(change.what)},
                            {"path", displayable(change.path)},
                            {"type", file_type_name(change.type)}};
        if (!change.from.empty()) object["from"] = displayable(change.from);
        changes.emplace_back(std::move(object));
    }
    json::Array conflicts;
    for (const Conflict& conflict : plan.conflicts) {
        json::Object object{{"path", displayable(conflict.path)},
                            {"reason", reason(conflict, conflict.by)}};
        if (!conflict.by.empty()) object["by"] = displayable(conflict.by);
        conflicts.emplace_back(std::move(object));
    }
    json::Object document{{"of", plan.target.text()},
                          {"changes", std::move(changes)},
                          {"conflicts", std::move(conflicts)},
                          {"done", result != nullptr && !result->failure}};
    if (result != nullptr) document["session"] = result->session;
    if (result != nullptr && result->failure) {
        document["failed_path"] = displayable(result->failed_path);
        document["error"] = code_name(result->failure->code);
    }
    return json::to_text(document) + "\n";
}

// Only a person can answer, and only "y".
bool is_confirmed(const UndoPlan& plan, bool redo) {
    const std::size_t count = plan.changes.size();
    (void)print(
        (redo ? "Redo " : "Undo ") +
        (count == 1 ? std::string("this change") : "these " + std::to_string(count) + " changes") +
        "? [y/N] ");
    std::array<char, 64> typed = {};
    const auto got = sys::read(STDIN_FILENO, typed.data(), typed.size());
    return got && *got > 0 && (typed[0] == 'y' || typed[0] == 'Y');
}

int show_plan(const UndoRequest& request, const Past& past, const UndoPlan& plan) {
    if (!plan.conflicts.empty()) {
        if (request.output.json) return print(as_json(plan, nullptr)) ? kRefused : kUsageError;
        complain(conflicts_text(past, plan, short_name(past.timeline, plan.target.text())));
        return kRefused;
    }
    if (request.output.json) return 0;
    const Paint paint(STDOUT_FILENO, request.output.colours);
    const std::string title = (request.redo ? "Redo: take back the undo " : "Undo ") +
                              short_name(past.timeline, plan.target.text()) + ":\n";
    return print(title + changes_text(plan, paint)) ? 0 : kUsageError;
}

int perform(const UndoRequest& request, const Past& past, const UndoPlan& plan) {
    const auto result = journal::perform_undo(past.workspace.get(), plan,
                                              request.redo ? "paddock redo" : "paddock undo");
    if (!result) {
        complain(as_error(result.error(), "undo", plan.target.text()).message());
        return result.error().code == Code::kRace ? kRefused : kUsageError;
    }
    if (request.output.json && !print(as_json(plan, &*result))) return kUsageError;
    if (result->failure) {
        complain(as_error(*result->failure, "undo", result->failed_path).message() +
                 "\nIt stopped there, half way. '" +
                 (request.redo ? "paddock undo" : "paddock redo") + "' takes back what was done.");
        return kUsageError;
    }
    if (request.output.json) return 0;
    const std::string text = request.redo ? "Done. 'paddock undo' takes it back.\n"
                                          : "Done. 'paddock redo' takes it back.\n";
    return print(text) ? 0 : kUsageError;
}

int nothing_to_do(const UndoRequest& request, const UndoPlan* plan) {
    if (request.output.json && plan != nullptr) {
        return print(as_json(*plan, nullptr)) ? kRefused : kUsageError;
    }
    complain(std::string("there is nothing to ") + (request.redo ? "redo" : "undo") +
             (request.words.files.empty() ? "" : " of these files"));
    return kRefused;
}

}  // namespace

int run(const UndoRequest& request) {
    const bool can_ask =
        is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO) && !request.output.json;
    if (!request.yes && !request.dry_run && !can_ask) {
        complain("nobody can be asked here: give --yes to do it, or --dry-run to see what it does");
        return kUsageError;
    }
    const auto past = open_past(request.settings, request.words.target, RewrittenIndexes::kCompare);
    if (!past) {
        complain(past.error().text);
        return past.error().exit_code;
    }
    auto target = target_of(*past, request.words);
    if (!target) {
        complain(target.error().text);
        return target.error().exit_code;
    }
    if (target->session.empty()) {
        const auto direction = request.redo ? journal::Direction::kRedo : journal::Direction::kUndo;
        auto last =
            journal::last_target(past->workspace.get(), past->timeline, direction, target->files);
        if (!last) return nothing_to_do(request, nullptr);
        target = std::move(*last);
    }
    auto plan = journal::plan_undo(past->workspace.get(), past->timeline, *target,
                                   seal_in(past->workspace.get(), past->root));
    if (!plan) {
        complain(as_error(plan.error(), "undo", target->text()).message());
        return kUsageError;
    }
    plan->is_same_index = same_index_in(past->workspace.get());
    // What cancels out is noted all the same: earlier calls can then be undone.
    if (plan->is_empty()) {
        if (!request.dry_run && !plan->steps.empty()) {
            (void)journal::perform_undo(past->workspace.get(), *plan, "paddock undo");
        }
        return nothing_to_do(request, &*plan);
    }
    if (const int code = show_plan(request, *past, *plan); code != 0) return code;
    if (request.dry_run) {
        return !request.output.json || print(as_json(*plan, nullptr)) ? 0 : kUsageError;
    }
    if (!request.yes && !is_confirmed(*plan, request.redo)) {
        complain("nothing was changed");
        return kRefused;
    }
    return perform(request, *past, *plan);
}

std::vector<Command> undo_commands() {
    const Manual undo{
        .name = "undo",
        .summary = "Take back what a session or call changed.",
        .description =
            "Without an argument: the last session that can be undone. With FILE: only these "
            "files, and what is below them. All of it is taken back or nothing: a file that "
            "somebody changed since is named, and so is one that was not kept. An undo is a "
            "session of its own: 'paddock redo' takes it back." +
            std::string(kHowToName) + " To undo a file whose name looks like that, write ./7.",
        .operands = {{.name = "CALL|SESSION", .required = false},
                     {.name = "FILE", .offers = Offers::kPath, .required = false, .many = true}},
        .examples = {"paddock undo --dry-run", "paddock undo 3f2a/7",
                     "paddock undo 3f2a src/main.c --yes"},
        .no = "it was refused, or there is nothing to undo"};
    const Manual redo{
        .name = "redo",
        .summary = "Take back the last undo.",
        .description = "The same rules as for 'paddock undo', which can take it back again.",
        .examples = {"paddock redo", "paddock redo --yes --json"},
        .no = "it was refused, or there is nothing to redo"};
    return {{undo, [] { return std::make_unique<UndoForm>(false); }},
            {redo, [] { return std::make_unique<UndoForm>(true); }}};
}

}  // namespace paddock::cli
