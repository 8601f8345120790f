#include "git/judge.h"

#include <algorithm>
#include <array>
#include <utility>

#include <paddock/limits.h>

#include "base/within.h"
#include "fs/rel_path.h"
#include "git/config.h"
#include "git/settings_paths.h"
#include "git/trust.h"
#include "journal/journal.h"

namespace paddock::git {
namespace {

using fs::joined;
using fs::leaf_of;
using fs::parent_of;

// Directories of a git directory in which nothing is made, samples of hooks excepted.
constexpr std::array<std::string_view, 3> kClosedDirectories = {"hooks", "remotes", "branches"};
constexpr std::array<std::string_view, 2> kConfigs = {"config", "config.worktree"};

// Where a directory ignores case, git finds them under any.
bool is_called(std::string_view name, std::string_view wanted) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return name.size() == wanted.size() &&
           std::equal(name.begin(), name.end(), wanted.begin(),
                      [&](char a, char b) { return lower(a) == lower(b); });
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view each) { return is_called(name, each); });
}

bool is_sample(std::string_view name) { return name.ends_with(".sample"); }

Refusal sealed(std::string_view rule) { return Refusal{PathAccess::kReadOnly, std::string(rule)}; }

// The name whose making turns a directory that holds the other one into a git directory.
std::string_view counterpart(std::string_view name) {
    if (is_called(name, "objects")) return "refs";
    if (is_called(name, "refs")) return "objects";
    if (is_called(name, "HEAD")) return "commondir";
    if (is_called(name, "commondir")) return "HEAD";
    return {};
}

// "name/..": git goes up from where the name leads, which a link makes another place than the text
// says. What git writes itself has ".." at its beginning only.
bool goes_up_from_a_name(std::string_view path) {
    bool named = false;
    while (!path.empty()) {
        const std::string_view part = path.substr(0, path.find('/'));
        path.remove_prefix(std::min(path.size(), part.size() + 1));
        if (part == ".." && named) return true;
        named = named || (!part.empty() && part != "." && part != "..");
    }
    return false;
}

// The git directory of a submodule, "X/.git/modules/NAME", may have a worktree below X: then the
// two move together, and no link or other place of X leads git elsewhere.
bool is_worktree_of_submodule(std::string_view git_directory, std::string_view path) {
    constexpr std::string_view kModules = ".git/modules/";
    const std::size_t at = git_directory.find(kModules);
    if (at == git_directory.npos || (at > 0 && git_directory[at - 1] != '/')) return false;
    if (path.starts_with('/') || goes_up_from_a_name(path)) return false;
    const std::string_view inner = git_directory.substr(at);
    auto ups = std::count(inner.begin(), inner.end(), '/') + 1;
    for (; path.starts_with("../"); path.remove_prefix(3)) --ups;
    return ups == 0 && !path.empty() && path != "..";
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

// The first of the names that a default rule gives, of a path that it matches: a session that makes
// ".github" itself has not made the tree that ".github/hooks" is in.
std::string_view first_named(std::string_view path, std::string_view pattern) {
    if (pattern.starts_with("**/")) pattern.remove_prefix(3);
    for (auto i = std::count(pattern.begin(), pattern.end(), '/'); i > 0; --i)
        path = parent_of(path);
    return path;
}

// The part of a path from the first ".git" on; empty: there is none.
std::string_view tail_from_git(std::string_view path) {
    for (std::size_t at = 0; at < path.size();) {
        const std::string_view name = path.substr(at, path.find('/', at) - at);
        if (is_called(name, ".git")) return path.substr(at);
        at += name.size() + 1;
    }
    return {};
}

bool is_there(const Root& root, std::string_view directory, std::string_view name) {
    const auto there = root.lstat(joined(directory, name));
    return there || there.error().code != Code::kNotFound;
}

}  // namespace

bool is_git_directory(const Root& root, std::string_view directory) {
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
    const auto git = root_.lstat(joined(directory, ".git"));
    if (git && git->type != FileType::kDirectory) {
        // Whoever may write to it leads it elsewhere.
        return pointed_ = paths_obeyed_in(root_, std::string(directory), facts_.home);
    }
    return obeyed_.emplace(directory, paths_obeyed_in(root_, std::string(directory), facts_.home))
        .first->second;
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
    if (journal::is_journal_path(rule_path(path))) {
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
    if (journal::is_journal_path(ruled)) {
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

// The topmost part of the path that a rule restricts decides.
Verdict Judge::judge_rules(std::string_view path, Act act) const {
    if (is_obeyed(path, act == Act::kRemove ? By::kWorkspace : By::kAny)) return sealed(kHooksRule);
    const auto decision = rules_.decide(rule_path(path));
    if (decision.access == PathAccess::kAllow) return std::nullopt;
    if (decision.by_operator) return Refusal{decision.access, std::string(decision.pattern)};
    if (decision.access == PathAccess::kDeny) return judge_secret(path, decision);
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
        for (const std::string& each :
             paths_obeyed_by(root_, git, std::string(worktree), facts_.home)) {
            if (is_within(each, worktree) && root_.lstat(each)) return sealed(kHooksRule);
        }
    }
    return std::nullopt;
}

Verdict Judge::judge_completion(std::string_view path) const {
    const std::string_view directory = parent_of(path);
    const std::string_view other = counterpart(leaf_of(path));
    if (other.empty() || has(directory, leaf_of(path)) || !has(directory, other)) {
        return std::nullopt;
    }
    return judge_parts(directory);
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
    if (!rules_.has_defaults()) return configs;
    const std::string_view directory = parent_of(path);
    const std::string_view other = counterpart(leaf_of(path));
    if (other.empty() || has(directory, leaf_of(path)) || !has(directory, other)) return configs;
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

Verdict Judge::move(std::string_view from, std::string_view to, FileType type) const {
    if (auto refused = remove(from)) return refused;
    if (auto refused = make(to, type)) return refused;
    if (type != FileType::kDirectory) return std::nullopt;
    if (is_one_of(kClosedDirectories, leaf_of(to)) && is_git_directory(parent_of(to))) {
        if (auto refused = judge_hooks(from)) return refused;
    }
    return judge_below(from, to);
}

// Rules that name a path of several names: the directory carries what is below it to such a path,
// or away from one.
Verdict Judge::judge_below(std::string_view from, std::string_view to) const {
    for (const std::string_view named : {from, to}) {
        for (const auto& below : rules_.restricted_below(rule_path(named))) {
            const std::string path = joined(from, below.path);
            if (!below.path.empty() && !has(parent_of(path), leaf_of(path))) continue;
            const auto decision = rules_.decide(rule_path(joined(named, below.path)));
            if (!below.path.empty() && decision.access == PathAccess::kAllow) continue;
            const std::string restricted = joined(named, below.path);
            const bool is_own = below.path.empty()
                                    ? is_in_own_tree(joined(from, "x"))
                                    : is_in_own_tree(first_named(restricted, below.pattern));
            if (!decision.by_operator && is_own) continue;
            return sealed(below.pattern);
        }
    }
    if (is_above_obeyed(from) || is_above_obeyed(to)) return sealed(kHooksRule);
    if (tail_from_git(from) != tail_from_git(to)) {
        if (auto refused = judge_configs_below(from, to)) return refused;
    }
    // All that was known of them goes by other names from now on.
    const std::lock_guard lock(mutex_);
    obeyed_.clear();
    return std::nullopt;
}

// Settings that were judged by where they lie within a ".git" get another place.
Verdict Judge::judge_configs_below(std::string_view from, std::string_view to) const {
    constexpr std::size_t kLookedAtMax = 100'000;
    std::size_t looked_at = 0;
    Verdict refused;
    const auto walked = root_.walk(from, [&](const WalkEntry& entry) {
        if (++looked_at > kLookedAtMax) refused = sealed(kConfigRule);
        if (refused) return WalkAction::kStop;
        if (entry.type == FileType::kDirectory) {
            return entry.name == "objects" ? WalkAction::kSkip : WalkAction::kContinue;
        }
        if (!is_one_of(kConfigs, entry.name)) return WalkAction::kContinue;
        const auto text = root_.read_file(entry.path, limits::kGitConfigBytesMax);
        const auto settings = parse_git_config(text ? *text : std::string());
        if (!settings) return WalkAction::kContinue;
        const std::string below(parent_of(entry.path.substr(from.size() + 1)));
        const std::string git_directory = below.empty() ? std::string(to) : joined(to, below);
        for (const GitSetting& setting : *settings) {
            if (setting.key != "core.worktree") continue;
            if (is_worktree_of_submodule(git_directory, setting.value.value_or(""))) continue;
            refused = Refusal{PathAccess::kReadOnly, std::string(kConfigRule), setting.key};
        }
        return refused ? WalkAction::kStop : WalkAction::kContinue;
    });
    if (!walked && !refused) return sealed(kConfigRule);
    return refused;
}

Verdict Judge::exchange(std::string_view one, FileType one_type, std::string_view other,
                        FileType other_type) const {
    if (is_config(one) || is_config(other)) return sealed(kConfigRule);
    if (auto refused = move(one, other, one_type)) return refused;
    return move(other, one, other_type);
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
    return make(to, FileType::kRegular);
}

}  // namespace paddock::git
