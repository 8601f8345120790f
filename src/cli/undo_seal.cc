#include "cli/undo_seal.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <paddock/limits.h>
#include <paddock/root.h>

#include "cli/host_environment.h"
#include "cli/outer_git.h"
#include "fs/rel_path.h"
#include "git/index.h"
#include "git/judge.h"
#include "policy/path_rules.h"
#include "sys/open.h"

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
    UndoSeal(const Root& root, TreeModel& model, policy::PathRules rules, std::string home)
        : root_(root),
          model_(model),
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

    bool may_not_move(const Step& step) const {
        if (journal::is_journal_path(step.other)) return false;
        const FileType type = type_at(step.path);
        const auto refused = journal::is_journal_path(step.path)
                                 ? judge_.arrive(step.path, step.other, type)
                                 : judge_.move(step.path, step.other, type);
        return refused || may_not_say(step.other, step.path);
    }
    // Settings are judged by what they say, in place as well.
    bool may_not_write(const Step& step) const {
        if (!judge_.is_config(step.path)) return judge_.write(step.path).has_value();
        return judge_.carry(step.path) || may_not_say(step.path, step.other);
    }
    bool may_not_say(const std::string& path, const std::string& from) const {
        if (!judge_.is_config(path)) return false;
        const ModelNode* node = model_.find(from);
        if (node == nullptr || !node->on_disk) return true;
        const auto text = root_.read_file(*node->on_disk, git::judged_bytes_max(path));
        return !text || judge_.judge_new_config(path, *text, present(path)).has_value();
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

    const Root root_;
    TreeModel& model_;
    const policy::PathRules rules_;
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
    return [root = root_of(workspace), path](TreeModel& model) -> journal::IsSealed {
        // What the owner's tools obey besides git is as it was.
        const PathRule all{"**", PathAccess::kAllow};
        auto rules = policy::PathRules::compile({}, {&all, 1},
                                                rules_of_outer_git(path, InnerRepositories::kAll));
        if (!rules || !root) return [](const Step&) { return true; };
        const auto seal = std::make_shared<UndoSeal>(*root, model, std::move(*rules),
                                                     std::string(host_variable("HOME")));
        return [seal](const Step& step) { return seal->is_sealed(step); };
    };
}

}  // namespace paddock::cli
