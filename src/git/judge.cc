#include "git/judge.h"

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "base/within.h"
#include "fs/rel_path.h"
#include "git/config.h"
#include "git/obeyed_names.h"
#include "git/settings_paths.h"
#include "git/trust.h"

namespace paddock::git {
namespace {

using fs::joined;
using fs::leaf_of;
using fs::parent_of;

bool is_sample(std::string_view name) { return name.ends_with(".sample"); }

// The name whose making turns a directory that holds the other one into a git directory.
std::string_view counterpart(std::string_view name) {
    if (is_called(name, "objects")) return "refs";
    if (is_called(name, "refs")) return "objects";
    if (is_called(name, "HEAD")) return "commondir";
    if (is_called(name, "commondir")) return "HEAD";
    return {};
}

// By its text: whatever repository lies inside is judged itself. A bare one has no worktree.
bool is_place_inside(const Root& root, std::string_view git_directory, std::string_view path) {
    const bool is_bare = leaf_of(git_directory) != ".git";
    const std::string_view from = is_bare ? git_directory : parent_of(git_directory);
    return !goes_up_from_a_name(path) && resolve_git_path(root, from, path);
}

// Each setting must be known to run nothing and to lead nowhere outside, or be there already.
Verdict judge_settings(const Root& root, std::string_view path, std::string_view text,
                       std::string_view present) {
    const auto trusted = parse_git_config(present);
    const auto leads_inside = [&](std::string_view to, PathFrom from) {
        const std::string_view git_directory = parent_of(path);
        return from == PathFrom::kWorktree ? is_place_inside(root, git_directory, to)
                                           : is_worktree_of_submodule(git_directory, to);
    };
    const auto verdict =
        judge_git_config(text, trusted.value_or(std::vector<GitSetting>()), leads_inside);
    if (verdict.is_clean()) return std::nullopt;
    return Refusal{PathAccess::kReadOnly, std::string(kConfigRule), verdict.summary()};
}

// At any depth: the owner may run paddock below the workspace, and would believe a journal there.
bool is_any_journal(std::string_view path) {
    for (; !path.empty(); path = parent_of(path)) {
        const std::string_view name = leaf_of(path);
        if (is_called(name, ".paddock")) return true;
        if (is_called(name, "paddock") && is_called(leaf_of(parent_of(path)), ".git")) return true;
    }
    return false;
}

bool is_there(const Root& root, std::string_view directory, std::string_view name) {
    const auto there = root.lstat(joined(directory, name));
    return there || there.error().code != Code::kNotFound;
}

}  // namespace

bool is_git_directory(const Root& root, std::string_view directory) {
    // The owner's "git init" would complete it.
    if (is_called(leaf_of(directory), ".git")) return true;
    const auto has = [&](std::string_view name) { return is_there(root, directory, name); };
    return (has("objects") && has("refs")) || (has("HEAD") && has("commondir"));
}

bool is_obeyed_name(std::string_view name) {
    return is_one_of(kClosedDirectories, name) || is_one_of(kConfigs, name) ||
           is_called(name, "commondir");
}

Judge::Judge(Root root, std::string base, const policy::PathRules& rules, Facts facts)
    : root_(std::move(root)), base_(std::move(base)), rules_(rules), facts_(std::move(facts)) {}

std::string_view Judge::rule_path(std::string_view path) const {
    if (base_.empty() || !is_within(path, base_)) return path;
    return path.size() == base_.size() ? "." : path.substr(base_.size() + 1);
}

bool Judge::has(std::string_view directory, std::string_view name) const {
    return is_there(root_, directory, name);
}

bool Judge::is_own(std::string_view path) const {
    const auto stat = root_.lstat(path);
    return stat && facts_.is_own(*stat);
}

bool Judge::is_in_own_tree(std::string_view path) const {
    for (std::string_view above = parent_of(path); !above.empty(); above = parent_of(above)) {
        if (is_own(above)) return true;
    }
    return false;
}

const std::vector<std::string>& Judge::obeyed_in(std::string_view directory) const {
    const auto known = obeyed_.find(directory);
    if (known != obeyed_.end()) return known->second;
    constexpr std::size_t kKnownMax = 20'000;
    if (obeyed_.size() >= kKnownMax) obeyed_.clear();
    auto obeyed = paths_obeyed_in(root_, std::string(directory), facts_.home);
    if (obeyed.is_by_pointer) return pointed_ = std::move(obeyed.all);
    return obeyed_.emplace(directory, std::move(obeyed.all)).first->second;
}

bool Judge::any_obeyed(std::string_view path, By by,
                       const std::function<bool(const std::string&)>& is) const {
    if (!rules_.has_defaults()) return false;
    const std::lock_guard lock(mutex_);
    for (std::string_view above = parent_of(path);; above = parent_of(above)) {
        if (by == By::kAny || above == base_) {
            const auto& obeyed = obeyed_in(above);
            if (std::any_of(obeyed.begin(), obeyed.end(), is)) return true;
        }
        if (above.empty()) return false;
    }
}

bool Judge::is_obeyed(std::string_view path, By by) const {
    return any_obeyed(path, by, [&](const std::string& each) { return is_within(path, each); });
}

bool Judge::is_above_obeyed(std::string_view path) const {
    return any_obeyed(path, By::kAny,
                      [&](const std::string& each) { return is_within(each, path); });
}

Verdict Judge::look(std::string_view path) const {
    if (is_any_journal(rule_path(path))) {
        return Refusal{PathAccess::kDeny, std::string(kJournalRule)};
    }
    const auto decision = rules_.decide(rule_path(path));
    if (decision.access != PathAccess::kDeny) return std::nullopt;
    return judge_secret(path, decision);
}

Verdict Judge::make(std::string_view path, FileType type) const {
    return judge(path, Act::kMake, type);
}

Verdict Judge::write(std::string_view path) const {
    return judge(path, Act::kWrite, FileType::kRegular);
}

Verdict Judge::remove(std::string_view path) const {
    return judge(path, Act::kRemove, FileType::kUnknown);
}

Verdict Judge::judge(std::string_view path, Act act, FileType type) const {
    const std::string_view ruled = rule_path(path);
    if (is_any_journal(ruled)) {
        return Refusal{PathAccess::kDeny, std::string(kJournalRule)};
    }
    const auto decision = rules_.decide(ruled);
    if (decision.by_operator && decision.access == PathAccess::kAllow) return std::nullopt;
    if (auto refused = judge_rules(path, act)) return refused;
    // A link gives what it leads to the names below its own.
    const bool is_new_link = act == Act::kMake && type == FileType::kSymlink;
    if (is_new_link && is_above_obeyed(path)) return sealed(kHooksRule);
    if (is_new_link && !is_in_own_tree(path)) {
        for (const auto& below : rules_.restricted_below(ruled)) return sealed(below.pattern);
    }
    return judge_git(path, act, type);
}

Verdict Judge::carry(std::string_view path) const {
    const auto decision = rules_.decide(rule_path(path));
    if (is_any_journal(rule_path(path))) {
        return Refusal{PathAccess::kDeny, std::string(kJournalRule)};
    }
    if (decision.by_operator && decision.access == PathAccess::kAllow) return std::nullopt;
    return judge_rules(path, Act::kMake);
}

// The topmost part of the path that a rule restricts decides.
Verdict Judge::judge_rules(std::string_view path, Act act) const {
    if (is_obeyed(path, act == Act::kRemove ? By::kWorkspace : By::kAny)) return sealed(kHooksRule);
    const auto decision = rules_.decide(rule_path(path));
    if (decision.access == PathAccess::kAllow) return std::nullopt;
    if (decision.by_operator) return Refusal{decision.access, std::string(decision.pattern)};
    if (decision.access == PathAccess::kDeny) return judge_secret(path, decision);
    if (decision.is_further) return sealed(decision.pattern);
    std::string_view restricted = path;  // the topmost
    for (std::string_view above = path; !above.empty(); above = parent_of(above)) {
        if (rules_.decide(rule_path(above)).access != PathAccess::kAllow) restricted = above;
    }
    const auto pattern = rules_.decide(rule_path(restricted)).pattern;
    const std::string_view first = first_named(restricted, pattern);
    const bool is_free =
        act == Act::kRemove ? rule_path(first).find('/') != first.npos : is_in_own_tree(first);
    return is_free ? Verdict() : sealed(decision.pattern);
}

// Only what existed before the session is a secret.
Verdict Judge::judge_secret(std::string_view path, const policy::Decision& decision) const {
    Refusal refused{PathAccess::kDeny, std::string(decision.pattern)};
    if (decision.by_operator) return refused;
    for (std::size_t end = 0; end != path.npos;) {
        end = path.find('/', end + 1);
        const std::string_view above = path.substr(0, end);
        if (rules_.decide(rule_path(above)).access != PathAccess::kDeny) continue;
        const auto stat = root_.lstat(above);
        if (!stat && stat.error().code == Code::kNotFound) return std::nullopt;
        if (!stat || (!facts_.is_own(*stat) && facts_.is_secret(std::string(above), *stat))) {
            return refused;
        }
        return std::nullopt;
    }
    return std::nullopt;
}

Verdict Judge::judge_git(std::string_view path, Act act, FileType type) const {
    if (!rules_.has_defaults()) return std::nullopt;
    const std::string_view ruled = rule_path(path);
    const std::string_view top = ruled.substr(0, ruled.find('/'));
    const bool is_owners =
        is_called(top, ".git") && !is_own(path.substr(0, path.size() - ruled.size() + top.size()));
    if (is_owners && top == ruled && act == Act::kRemove) return sealed(".git");
    for (std::string_view at = path; !at.empty(); at = parent_of(at)) {
        const std::string_view name = leaf_of(at);
        if (!is_one_of(kClosedDirectories, name) || !is_git_directory(parent_of(at))) continue;
        const bool is_itself = at == path;
        const bool is_entry = !is_itself && parent_of(path) == at;
        if (act == Act::kRemove && !is_owners) continue;
        if (is_itself && act == Act::kMake && type == FileType::kDirectory) continue;
        if (is_entry && is_called(name, "hooks") && is_sample(leaf_of(path)) &&
            type != FileType::kSymlink && type != FileType::kDirectory) {
            continue;
        }
        return sealed(kHooksRule);
    }
    const std::string_view name = leaf_of(path);
    // It may lead to where commands write unseen: their own /tmp, by way of /proc.
    if (is_called(name, ".git") && type == FileType::kSymlink && act == Act::kMake) {
        return sealed(kConfigRule);
    }
    if (is_one_of(kConfigs, name) && is_git_directory(parent_of(path))) {
        if (act == Act::kWrite) {
            return Refusal{PathAccess::kReadOnly, std::string(kConfigRule),
                           "use git config, or rename a finished file to this name"};
        }
        if (act == Act::kRemove ? is_owners : type != FileType::kRegular) {
            return sealed(kConfigRule);
        }
    }
    if (is_called(name, "commondir") && act != Act::kRemove) {
        // It would take the place of what its directory has itself, as no worktree's does.
        const std::string_view directory = parent_of(path);
        if (has(directory, "objects") || has(directory, "config")) return sealed(kConfigRule);
        if (type == FileType::kSymlink) return sealed(kConfigRule);
    }
    if (is_called(name, ".git") && act == Act::kMake) {
        if (auto refused = judge_pointer(path)) return refused;
    }
    return act == Act::kMake ? judge_completion(path) : std::nullopt;
}

// A ".git" may lead to a repository of the owner's above, whose relative core.hooksPath then begins
// here: nothing may lie there yet.
Verdict Judge::judge_pointer(std::string_view path) const {
    const std::string_view worktree = parent_of(path);
    const std::lock_guard lock(mutex_);
    obeyed_.erase(std::string(worktree));
    for (std::string_view above = worktree; !above.empty();) {
        above = parent_of(above);
        const std::string git = joined(above, ".git");
        const auto stat = root_.lstat(git);
        if (!stat || stat->type != FileType::kDirectory) continue;
        if (leads_to_hooks_in(git, worktree)) return sealed(kHooksRule);
    }
    return std::nullopt;
}

Verdict Judge::judge_completion(std::string_view path) const {
    return completes(path) ? judge_parts(parent_of(path)) : std::nullopt;
}

bool Judge::completes(std::string_view path) const {
    const std::string_view other = counterpart(leaf_of(path));
    return !other.empty() && has(parent_of(path), other) && !root_.lstat(path);
}

Verdict Judge::judge_parts(std::string_view directory) const {
    for (const std::string_view name : kConfigs) {
        const std::string config = joined(directory, name);
        const auto stat = root_.lstat(config);
        if (!stat && stat.error().code == Code::kNotFound) continue;
        if (!stat || stat->type != FileType::kRegular) return sealed(kConfigRule);
        const auto text = root_.read_file(config, limits::kGitConfigBytesMax);
        if (!text) return sealed(kConfigRule);
        if (auto refused = judge_settings(root_, config, *text, {})) return refused;
    }
    for (const std::string_view name : kClosedDirectories) {
        if (auto refused = judge_hooks(joined(directory, name))) return refused;
    }
    return std::nullopt;
}

// May this directory be one of hooks, remotes or branches?
Verdict Judge::judge_hooks(std::string_view directory) const {
    const auto stat = root_.lstat(directory);
    if (!stat && stat.error().code == Code::kNotFound) return std::nullopt;
    if (!stat || stat->type != FileType::kDirectory) return sealed(kHooksRule);
    const auto listing = root_.list(directory);
    if (!listing || listing->truncated) return sealed(kHooksRule);
    for (const ListEntry& entry : listing->entries) {
        if (!is_sample(entry.name) || entry.type != FileType::kRegular) return sealed(kHooksRule);
    }
    return std::nullopt;
}

std::vector<std::string> Judge::configs_completed_by(std::string_view path) const {
    std::vector<std::string> configs;
    if (!rules_.has_defaults() || !completes(path)) return configs;
    const std::string_view directory = parent_of(path);
    for (const std::string_view name : kConfigs) {
        std::string config = joined(directory, name);
        if (root_.lstat(config)) configs.push_back(std::move(config));
    }
    return configs;
}

bool Judge::is_config(std::string_view path) const {
    return rules_.has_defaults() && is_one_of(kConfigs, leaf_of(path)) &&
           is_git_directory(parent_of(path));
}

Verdict Judge::judge_config(std::string_view path, std::string_view text) const {
    const auto decision = rules_.decide(rule_path(path));
    if (decision.by_operator && decision.access == PathAccess::kAllow) return std::nullopt;
    const auto present = root_.read_file(path, limits::kGitConfigBytesMax);
    return judge_settings(root_, path, text, present ? *present : std::string());
}

Verdict Judge::judge_new_config(std::string_view path, std::string_view text) const {
    return judge_settings(root_, path, text, {});
}

Verdict Judge::adopt(std::string_view directory) const {
    return is_git_directory(directory) ? judge_parts(directory) : std::nullopt;
}

Verdict Judge::chmod(std::string_view path) const {
    const auto stat = root_.lstat(path);
    if (stat && facts_.is_own(*stat)) return judge_rules(path, Act::kWrite);
    return write(path);
}

Verdict Judge::link(std::string_view from, std::string_view to) const {
    if (auto refused = look(from)) return refused;
    if (auto refused = write(from)) return refused;
    if (is_config(to)) return sealed(kConfigRule);
    const auto stat = root_.lstat(from);
    return make(to, stat ? stat->type : FileType::kUnknown);
}

}  // namespace paddock::git
