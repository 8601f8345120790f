// What settings of repositories make git obey, and the ".git" files that may lead to any of them.
#include <algorithm>
#include <string>
#include <utility>

#include "base/within.h"
#include "fs/rel_path.h"
#include "git/judge.h"
#include "git/link_trail.h"
#include "git/obeyed_names.h"
#include "git/settings_paths.h"

namespace paddock::git {

using fs::joined;
using fs::leaf_of;
using fs::parent_of;

// All that was known of directories goes by other names from now on, here and elsewhere.
void Judge::forget_obeyed() const {
    const std::lock_guard lock(mutex_);
    obeyed_.clear();
    if (facts_.count_change) facts_.count_change();
}

const ObeyedPaths& Judge::obeyed_in(std::string_view directory) const {
    const auto known = obeyed_.find(directory);
    if (known != obeyed_.end()) return known->second;
    constexpr std::size_t kKnownMax = 20'000;
    if (obeyed_.size() >= kKnownMax) obeyed_.clear();
    auto obeyed = paths_obeyed_in(*tree_, std::string(directory), facts_.home);
    keep_hooks(obeyed.relative_hooks);
    // Of the workspace's own they were read outside (PathRules, the further ones). Others may begin
    // anywhere, and git of the owner be led there.
    if (obeyed.leads_outside && directory != base_ && obeyed.unread.empty()) {
        obeyed.unread = joined(directory, ".git");
    }
    if (obeyed.is_by_pointer || !obeyed.unread.empty()) return not_kept_ = std::move(obeyed);
    return obeyed_.emplace(directory, std::move(obeyed)).first->second;
}

void Judge::keep_hooks(const std::vector<std::string>& relative_hooks) const {
    relative_hooks_.insert(relative_hooks.begin(), relative_hooks.end());
}

Verdict Judge::judge_any_obeyed(std::string_view path, By by,
                                const std::function<bool(const std::string&)>& is) const {
    if (!rules_.has_defaults()) return std::nullopt;
    const std::lock_guard lock(mutex_);
    const std::uint64_t changes = facts_.changes ? facts_.changes() : 0;
    if (std::exchange(obeyed_since_, changes) != changes) obeyed_.clear();
    Verdict unread;
    std::vector<std::string_view> pointers;  // directories with one
    for (std::string_view above = parent_of(path);; above = parent_of(above)) {
        if (by == By::kAny || above == base_) {
            const ObeyedPaths& obeyed = obeyed_in(above);
            if (std::any_of(obeyed.all.begin(), obeyed.all.end(), is)) return sealed(kHooksRule);
            if (!unread && !obeyed.unread.empty()) unread = not_readable(obeyed.unread);
            if (obeyed.is_by_pointer) pointers.push_back(above);
        }
        if (above.empty()) break;
    }
    if (by == By::kWorkspace) return unread;
    const auto repositories = facts_.repositories();
    for (const LeadingRepository& each : *repositories) {
        if (std::any_of(each.outside.begin(), each.outside.end(), is)) return sealed(kHooksRule);
        keep_hooks(each.relative_hooks);
    }
    for (const std::string_view worktree : pointers) {
        const auto hooks = hooks_obeyed_from(*tree_, std::string(worktree), relative_hooks_);
        if (std::any_of(hooks.all.begin(), hooks.all.end(), is)) return sealed(kHooksRule);
        if (!unread && !hooks.unread.empty()) unread = not_readable(hooks.unread);
    }
    return unread;
}

Verdict Judge::judge_obeyed(std::string_view path, By by) const {
    return judge_any_obeyed(path, by,
                            [&](const std::string& each) { return is_within(path, each); });
}

Verdict Judge::judge_above_obeyed(std::string_view path) const {
    return judge_any_obeyed(path, By::kAny,
                            [&](const std::string& each) { return is_within(each, path); });
}

// What lies in the directory already was not judged by where the file will lead. The owner's own
// directories have to be empty even of such a file.
bool Judge::may_hold_pointer(std::string_view directory) const {
    const auto listing = tree_->list(directory.empty() ? "." : directory);
    if (!listing || listing->truncated) return false;
    const bool may_be_there = !directory.empty() && is_own(directory);
    return std::all_of(listing->entries.begin(), listing->entries.end(), [&](const auto& entry) {
        return may_be_there && is_called(entry.name, ".git");
    });
}

// It may lead to any repository of the owner's, whose relative settings then begin in this
// worktree: what they lead to is either sealed already, or below and not there yet.
Verdict Judge::judge_pointer(std::string_view worktree) const {
    std::vector<std::string> git_directories;
    for (std::string_view above = worktree; !above.empty();) {
        above = parent_of(above);
        std::string git = joined(above, ".git");
        const auto stat = tree_->lstat(git);
        if (!stat && !is_not_there(stat.error())) return not_readable(git);
        if (stat && stat->type == FileType::kDirectory) git_directories.push_back(std::move(git));
    }
    const auto repositories = facts_.repositories();
    for (const LeadingRepository& each : *repositories) {
        git_directories.push_back(each.git_directory);
    }
    for (const std::string& git : git_directories) {
        const auto obeyed = paths_obeyed_by(*tree_, git, std::string(worktree), facts_.home);
        if (!obeyed.unread.empty()) return not_readable(obeyed.unread);
        for (const std::string& each : obeyed.all) {
            const auto present = judge_obeyed(each, By::kAny);
            if (present && present->rule == kUnreadRule) return present;
            if (present) continue;
            if (!is_within(each, worktree)) return sealed(kHooksRule);
            const auto there = tree_->lstat(each);
            if (there || !is_not_there(there.error())) return sealed(kHooksRule);
        }
    }
    return std::nullopt;
}

// Relative paths of this repository begin in the worktree: does something lie there already?
Verdict Judge::judge_hooks_in(const std::string& git_directory, std::string_view worktree) const {
    const auto obeyed = paths_obeyed_by(*tree_, git_directory, std::string(worktree), facts_.home);
    if (!obeyed.unread.empty()) return not_readable(obeyed.unread);
    const bool is_there =
        std::any_of(obeyed.all.begin(), obeyed.all.end(), [&](const std::string& each) {
            return is_within(each, worktree) && has(parent_of(each), leaf_of(each));
        });
    return is_there ? sealed(kHooksRule) : Verdict();
}

}  // namespace paddock::git
