#include "cli/undo_seal.h"

#include <memory>
#include <string>
#include <utility>

#include <paddock/limits.h>
#include <paddock/root.h>

#include "fs/rel_path.h"
#include "git/judge.h"
#include "policy/path_defaults.h"
#include "policy/path_rules.h"
#include "sys/open.h"

namespace paddock::cli {
namespace {

using journal::Step;

class UndoSeal {
public:
    UndoSeal(Root root, policy::PathRules rules)
        : root_(std::move(root)),
          rules_(std::move(rules)),
          judge_(root_, {}, rules_,
                 {.is_own = [](const Stat&) { return false; },
                  .is_secret = [](const std::string&, const Stat&) { return false; }}) {}

    bool is_sealed(const Step& step) const {
        switch (step.what) {
            case Step::What::kMove: return is_sealed(step.other, step.path);
            case Step::What::kExchange:
                return is_sealed(step.path, step.other) || is_sealed(step.other, step.path);
            case Step::What::kMakeCopy:
            case Step::What::kPutBack: return is_sealed(step.path, step.other);
            case Step::What::kMakeDirectory: return is_sealed(step.path, {});
            case Step::What::kNothing:
            case Step::What::kRemove:
            case Step::What::kChmod: return false;
        }
        return true;
    }

private:
    // `from`: where the object or its content is now; empty: a new directory.
    bool is_sealed(const std::string& path, const std::string& from) const {
        if (journal::is_journal_path(path)) return false;
        const auto stat = from.empty() ? Result<Stat>(Stat{}) : root_.lstat(from);
        const FileType type = !stat || from.empty() ? FileType::kDirectory : stat->type;
        if (judge_.is_config(path) && is_directory(fs::parent_of(path))) {
            const auto text = root_.read_file(from, limits::kGitConfigBytesMax);
            return !text || judge_.judge_config(path, *text).has_value();
        }
        for (std::string_view at = path; !at.empty(); at = fs::parent_of(at)) {
            const std::string_view above = fs::parent_of(at);
            if (!git::is_obeyed_name(fs::leaf_of(at)) || !is_directory(above)) continue;
            if (git::is_git_directory(root_, above) && !is_free(path, at, type)) return true;
        }
        return judge_.make(path, type).has_value() && judge_.completes(path);
    }

    // What clones and "git init" put there.
    bool is_free(std::string_view path, std::string_view obeyed, FileType type) const {
        if (path == obeyed) return type == FileType::kDirectory && !root_.lstat(path);
        return path.ends_with(".sample") && type == FileType::kRegular;
    }

    bool is_directory(std::string_view path) const {
        const auto stat = root_.lstat(path.empty() ? "." : path);
        return stat && stat->type == FileType::kDirectory;
    }

    const Root root_;
    const policy::PathRules rules_;
    const git::Judge judge_;
};

}  // namespace

journal::IsSealed sealed_in(int workspace) {
    auto rules = policy::PathRules::compile({}, policy::default_path_rules());
    auto held = sys::duplicate(workspace);
    const auto root = held ? Root::adopt(std::move(*held)) : Result<Root>(Error{});
    if (!rules || !root) return [](const Step&) { return true; };
    const auto seal = std::make_shared<UndoSeal>(root->linkless(), std::move(*rules));
    return [seal](const Step& step) { return seal->is_sealed(step); };
}

}  // namespace paddock::cli
