#include "cli/undo_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <paddock/limits.h>
#include <paddock/root.h>

#include "base/display.h"
#include "cli/log_command.h"
#include "cli/outer_git.h"
#include "cli/workspace_options.h"
#include "fs/rel_path.h"
#include "git/judge.h"
#include "git/objects.h"
#include "journal/place.h"
#include "journal/undo.h"
#include "json/write.h"
#include "policy/path_rules.h"
#include "sys/files.h"
#include "sys/io.h"

namespace paddock::cli {
namespace {

using journal::ModelNode;
using journal::Presence;
using journal::Step;
using journal::TreeModel;

// The tree of a model, for the judge.
class ModelView final : public git::TreeView {
public:
    ModelView(const Root& root, TreeModel& model) : TreeView(root), model_(model) {}

    Result<Stat> lstat(std::string_view path) const override {
        const auto node = find(path);
        if (!node) return as_error(node.error(), "read", path);
        Stat stat;
        stat.type = (*node)->type;
        stat.mode = (*node)->mode;
        stat.size = (*node)->size;
        return stat;
    }
    Result<LinkTarget> readlink(std::string_view path) const override {
        const auto node = find(path, FileType::kSymlink);
        if (!node) return as_error(node.error(), "read", path);
        return root().readlink(*(*node)->on_disk);
    }
    Result<std::string> read_file(std::string_view path, std::uint64_t bytes_max) const override {
        const auto node = find(path, FileType::kRegular);
        if (!node) return as_error(node.error(), "read", path);
        return root().read_file(*(*node)->on_disk, bytes_max);
    }
    Result<Listing> list(std::string_view path) const override {
        constexpr std::size_t kMost = limits::kListEntriesMax;
        const auto node = find(path, FileType::kDirectory);
        if (!node) return as_error(node.error(), "list", path);
        const auto names = model_.names_in(in_model(path), kMost + 1);
        if (!names) return as_error(names.error(), "list", path);
        Listing listing;
        listing.truncated = names->size() > kMost;
        for (const std::string& name : *names) {
            const auto child = find(fs::joined(in_model(path), name));
            listing.entries.push_back({name, child ? (*child)->type : FileType::kUnknown});
        }
        return listing;
    }
    Status walk(std::string_view path, const WalkVisitor& visitor) const override {
        std::vector<std::string> directories{std::string(path)};
        while (!directories.empty()) {
            const std::string directory = std::move(directories.back());
            directories.pop_back();
            const auto listing = list(directory);
            if (!listing) {
                const Failure& failure = listing.error();
                if (directory == path) return tl::unexpected(listing.error());
                const WalkEntry closed{.path = directory,
                                       .name = fs::leaf_of(directory),
                                       .type = FileType::kDirectory,
                                       .failure = &failure};
                if (visitor(closed) == WalkAction::kStop) return {};
                continue;
            }
            for (const ListEntry& entry : listing->entries) {
                std::string below = fs::joined(directory, entry.name);
                const auto action =
                    visitor({.path = below, .name = entry.name, .type = entry.type});
                if (action == WalkAction::kStop) return {};
                const bool is_entered =
                    action == WalkAction::kContinue && entry.type == FileType::kDirectory;
                if (is_entered) directories.push_back(std::move(below));
            }
        }
        return {};
    }

private:
    static std::string_view in_model(std::string_view path) { return path == "." ? "" : path; }

    Outcome<const ModelNode*> find(std::string_view path) const {
        const ModelNode* node = model_.find(in_model(path));
        if (node != nullptr && node->presence == Presence::kPresent) return node;
        if (node != nullptr && node->presence == Presence::kUnknown) {
            return refuse(Code::kPermissionDenied);
        }
        // Behind a link or a file is not the same as missing.
        while (node == nullptr && !path.empty()) {
            path = fs::parent_of(path);
            node = model_.find(path);
        }
        const bool is_behind = node != nullptr && node->presence == Presence::kPresent &&
                               node->type != FileType::kDirectory;
        if (!is_behind) return refuse(Code::kNotFound);
        return refuse(node->type == FileType::kSymlink ? Code::kPathEscape : Code::kNotADirectory);
    }
    Outcome<const ModelNode*> find(std::string_view path, FileType type) const {
        PADDOCK_ASSIGN(node, find(path));
        if (node->type == FileType::kSymlink && type != FileType::kSymlink) {
            return refuse(Code::kPathEscape);
        }
        const bool is_it = node->type == type && (type == FileType::kDirectory || node->on_disk);
        if (!is_it) return refuse(Code::kNotRegularFile);
        return node;
    }

    TreeModel& model_;
};

class UndoSeal {
public:
    UndoSeal(int workspace, const Root& root, TreeModel& model, policy::PathRules rules,
             std::string home)
        : workspace_(workspace),
          root_(root),
          model_(model),
          view_(root, model),
          rules_(std::move(rules)),
          judge_(std::make_unique<ModelView>(root, model), {}, rules_,
                 {.is_own = [](const Stat&) { return true; },
                  .is_secret = [](const std::string&, const Stat&) { return false; },
                  .repositories =
                      [all = std::make_shared<const git::Repositories>(git::leading_repositories(
                           root, repositories_in(root), home))] { return all; },
                  .home = home,
                  .changes = [this] { return changes_; }}) {}

    // Removing is never executing, and what goes into the journal is removed.
    bool is_sealed(const Step& step) {
        const bool is_file = type_at(step.path) == FileType::kRegular;
        bool is_refused = false;
        switch (step.what) {
            case Step::What::kNothing:
            case Step::What::kRemove: break;
            case Step::What::kMove: is_refused = may_not_move(step); break;
            case Step::What::kExchange:
                is_refused =
                    judge_.exchange(step.path, type_at(step.path), step.other, type_at(step.other))
                        .has_value();
                break;
            case Step::What::kMakeDirectory:
                is_refused = judge_.make(step.path, FileType::kDirectory).has_value();
                break;
            case Step::What::kMakeCopy:
                is_refused = judge_.make(step.path, FileType::kRegular) ||
                             may_not_say(step.path, step.other);
                break;
            case Step::What::kPutBack: is_refused = may_not_write(step); break;
            case Step::What::kChmod:
                is_refused = is_file && !judge_.is_config(step.path) && judge_.write(step.path);
                break;
        }
        is_refused = is_refused || completes_with_open_file(step);
        // What else may be obeyed from now on, or no longer.
        const bool is_name_of_git = git::is_obeyed_name(fs::leaf_of(step.path)) ||
                                    git::is_obeyed_name(fs::leaf_of(step.other));
        if (!is_file || is_name_of_git) ++changes_;
        return is_refused;
    }

private:
    FileType type_at(const std::string& path) const {
        const ModelNode* node = model_.find(path);
        return node == nullptr ? FileType::kUnknown : node->type;
    }

    bool may_not_move(const Step& step) {
        if (journal::is_journal_path(step.other)) return false;
        const FileType type = type_at(step.path);
        const bool is_tree = type == FileType::kDirectory && journal::is_journal_path(step.path);
        if (is_tree && holds_open_file(step.path)) return true;
        const auto refused = journal::is_journal_path(step.path)
                                 ? judge_.arrive(step.path, step.other, type)
                                 : judge_.move(step.path, step.other, type);
        return refused || may_not_say(step.other, step.path);
    }
    // Settings are judged by what they say, in place as well.
    bool may_not_write(const Step& step) {
        // The model then finds its content elsewhere.
        if (const ModelNode* node = model_.find(step.path);
            node != nullptr && may_be_open_for_writing(step.path)) {
            open_.insert(node->object);
        }
        if (!judge_.is_config(step.path)) return judge_.write(step.path).has_value();
        return judge_.carry(step.path) || may_not_say(step.path, step.other);
    }
    bool may_not_say(const std::string& path, const std::string& from) {
        if (!judge_.is_config(path)) return false;
        if (may_be_open_for_writing(from)) return true;
        const ModelNode* node = model_.find(from);
        if (node == nullptr || !node->on_disk) return true;
        const auto text = root_.read_file(*node->on_disk, git::judged_bytes_max(path));
        return !text || judge_.judge_new_config(path, *text, present(path)).has_value();
    }
    // What git begins to obey was judged by its content. A command that opened it before could
    // change it after that. None can open it now: the journal has its turn.
    bool may_be_open_for_writing(const std::string& path) {
        const ModelNode* node = model_.find(path);
        if (node == nullptr || !node->on_disk || open_.contains(node->object)) return true;
        const std::string& on_disk = *node->on_disk;
        const auto directory = journal::open_directory(workspace_, fs::parent_of(on_disk));
        if (!directory) return true;
        constexpr int kRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
        const auto file =
            sys::openat(directory->get(), std::string(fs::leaf_of(on_disk)).c_str(), kRead);
        if (!file) return true;
        const auto is_open = sys::is_open_for_writing(file->get());
        if (is_open) return *is_open;
        // This file system cannot tell.
        if (!is_session_live_) is_session_live_ = journal::is_any_session_live(workspace_);
        return *is_session_live_;
    }
    bool completes_with_open_file(const Step& step) {
        const bool is_move = step.what == Step::What::kMove;
        const bool makes = is_move || step.what == Step::What::kMakeDirectory ||
                           step.what == Step::What::kMakeCopy;
        if (!makes || (is_move && journal::is_journal_path(step.other))) return false;
        const auto files = judge_.configs_completed_by(is_move ? step.other : step.path);
        return std::any_of(files.begin(), files.end(), [this](const std::string& file) {
            return may_be_open_for_writing(file);
        });
    }
    // A directory that comes back with all that is in it.
    bool holds_open_file(const std::string& directory) {
        bool found = false;
        (void)view_.walk(directory, [&](const WalkEntry& entry) {
            const std::string path(entry.path);
            found = entry.type == FileType::kRegular && judge_.is_config(path) &&
                    may_be_open_for_writing(path);
            return found ? WalkAction::kStop : WalkAction::kContinue;
        });
        return found;
    }
    // What git obeys now stays allowed.
    std::string present(const std::string& config) const {
        const ModelNode* directory = model_.find(fs::parent_of(config));
        if (directory == nullptr || !directory->on_disk) return {};
        const std::string& on_disk = *directory->on_disk;
        if (git::is_any_journal(on_disk) || !git::is_git_directory(root_, on_disk)) return {};
        return root_
            .read_file(fs::joined(on_disk, fs::leaf_of(config)), git::judged_bytes_max(config))
            .value_or(std::string());
    }

    const int workspace_;
    const Root root_;
    TreeModel& model_;
    const ModelView view_;
    const policy::PathRules rules_;
    std::set<journal::Object> open_;  // files that are put back while they may be written
    std::optional<bool> is_session_live_;
    std::uint64_t changes_ = 0;
    const git::Judge judge_;
};

Result<Root> root_of(int workspace) {
    auto held = sys::duplicate(workspace);
    if (!held) return as_error(held.error(), "open", {});
    auto root = Root::adopt(std::move(*held));
    if (!root) return root.error();
    return root->linkless();
}

}  // namespace

journal::IsSameIndex same_index_in(int workspace) {
    const auto root = root_of(workspace);
    if (!root) return {};
    return [root = *root](const std::string& one, const std::string& other) {
        return git::is_same_index(root, one, other);
    };
}

journal::SealOn seal_in(int workspace, const std::string& path) {
    return [workspace, root = root_of(workspace), path](TreeModel& model) -> journal::IsSealed {
        // What the owner's tools obey besides git is as it was.
        const PathRule all{"**", PathAccess::kAllow};
        auto rules = policy::PathRules::compile({}, {&all, 1},
                                                rules_of_outer_git(path, InnerRepositories::kAll));
        if (!rules || !root) return [](const Step&) { return true; };
        const auto seal = std::make_shared<UndoSeal>(workspace, *root, model, std::move(*rules),
                                                     std::string(host_variable("HOME")));
        return [seal](const Step& step) { return seal->is_sealed(step); };
    };
}

namespace {

using journal::Conflict;
using journal::PlannedChange;
using journal::UndoPlan;
using journal::UndoResult;

constexpr std::size_t kChangesShown = 50;  // removals are all shown

class UndoParser final : public CommandParser {
public:
    explicit UndoParser(bool redo) { request_.redo = redo; }

    void declare(Parser& parser) override {
        parser.flag({.names = {"--dry-run"}, .help = "Only show what would be done"},
                    request_.dry_run);
        parser.flag({.names = {"-y", "--yes"}, .help = "Do not ask for confirmation"},
                    request_.yes);
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
        case Conflict::Why::kNoDirectory:
            return "its directory no longer exists. Name the directory too";
        case Conflict::Why::kNotKept: return "its old content was not kept: too large, or no room";
        case Conflict::Why::kSealed: return "git acts on it. If it is yours, restore it yourself";
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
                 "\nThe rest was not done. '" + (request.redo ? "paddock undo" : "paddock redo") +
                 "' takes back what was done.");
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
    const bool can_ask =
        is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO) && !request.output.json;
    if (!request.yes && !request.dry_run && !can_ask) {
        complain(
            "cannot ask for confirmation without a terminal: give --yes to confirm, or --dry-run "
            "to see the effect");
        return kUsageError;
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
        .summary = "Undo the changes of a session or call.",
        .description =
            "Without an argument: the last session that can be undone. With FILE: only these "
            "files, and what is below them. Everything is undone, or nothing: paddock names files "
            "that were changed since, and files whose old content was not kept. An undo is its own "
            "session: 'paddock redo' takes it back." +
            std::string(kHowToName) + " To undo a file whose name looks like that, write ./7.",
        .operands = {{.name = "CALL|SESSION", .required = false},
                     {.name = "FILE", .offers = Offers::kPath, .required = false, .many = true}},
        .examples = {"paddock undo --dry-run", "paddock undo 3f2a/7",
                     "paddock undo 3f2a src/main.c --yes"},
        .no = "it was refused, or there is nothing to undo"};
    const Manual redo{
        .name = "redo",
        .summary = "Take back the last undo.",
        .description =
            "The rules of 'paddock undo' apply, and 'paddock undo' can take back a redo.",
        .examples = {"paddock redo", "paddock redo --yes --json"},
        .no = "it was refused, or there is nothing to redo"};
    return {{undo, [] { return std::make_unique<UndoParser>(false); }},
            {redo, [] { return std::make_unique<UndoParser>(true); }}};
}

}  // namespace paddock::cli
