// What a directory carries along when it gets another name.
#include <algorithm>
#include <string>

#include <paddock/limits.h>

#include "base/within.h"
#include "fs/rel_path.h"
#include "git/config.h"
#include "git/judge.h"
#include "git/obeyed_names.h"
#include "git/settings_paths.h"

namespace paddock::git {
namespace {

using fs::joined;
using fs::leaf_of;
using fs::parent_of;

// Below a directory that is moved.
constexpr std::size_t kLookedAtMax = 100'000;

// The part of a path from the first ".git" on; empty: there is none.
std::string_view tail_from_git(std::string_view path) {
    for (std::size_t at = 0; at < path.size();) {
        const std::string_view name = path.substr(at, path.find('/', at) - at);
        if (is_called(name, ".git")) return path.substr(at);
        at += name.size() + 1;
    }
    return {};
}

}  // namespace

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
            if (!decision.by_operator && !decision.is_further && is_own) continue;
            return sealed(below.pattern);
        }
    }
    if (is_above_obeyed(from) || is_above_obeyed(to)) return sealed(kHooksRule);
    if (is_called(leaf_of(to), ".git")) {
        if (has(from, "paddock")) return Refusal{PathAccess::kDeny, std::string(kJournalRule)};
        if (holds_unjudged(from)) return sealed(kConfigRule);
        if (leads_to_hooks_in(std::string(from), parent_of(to))) return sealed(kHooksRule);
    }
    if (tail_from_git(from) != tail_from_git(to)) {
        if (auto refused = judge_configs_below(from, to)) return refused;
    }
    if (auto refused = judge_secrets_below(from, to)) return refused;
    // All that was known of them goes by other names from now on.
    const std::lock_guard lock(mutex_);
    obeyed_.clear();
    return std::nullopt;
}

// Parts of a git directory in one that was none until now.
bool Judge::holds_unjudged(std::string_view directory) const {
    const auto holds = [&](std::string_view name) { return has(directory, name); };
    return !is_git_directory(directory) &&
           (std::any_of(kConfigs.begin(), kConfigs.end(), holds) ||
            std::any_of(kClosedDirectories.begin(), kClosedDirectories.end(), holds) ||
            holds("commondir"));
}

// Settings that were judged by where they lie within a ".git" get another place.
Verdict Judge::judge_configs_below(std::string_view from, std::string_view to) const {
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

// Relative paths of this repository begin in the worktree: does something lie there already?
bool Judge::leads_to_hooks_in(const std::string& git_directory, std::string_view worktree) const {
    const auto obeyed = paths_obeyed_by(root_, git_directory, std::string(worktree), facts_.home);
    return std::any_of(obeyed.begin(), obeyed.end(), [&](const std::string& each) {
        return is_within(each, worktree) && root_.lstat(each);
    });
}

// The defaults excuse packages and branches. What is moved there stays what it was.
Verdict Judge::judge_secrets_below(std::string_view from, std::string_view to) const {
    const auto inner = [&](std::string_view directory) {
        return rules_.decide(rule_path(joined(directory, "x.key"))).access;
    };
    if (inner(from) != PathAccess::kDeny || inner(to) == PathAccess::kDeny) return std::nullopt;
    std::size_t looked_at = 0;
    Verdict refused;
    const auto walked = root_.walk(from, [&](const WalkEntry& entry) {
        if (++looked_at > kLookedAtMax) refused = sealed("*.key");
        if (refused) return WalkAction::kStop;
        const auto decision = rules_.decide(rule_path(entry.path));
        if (decision.access == PathAccess::kDeny) refused = look(entry.path);
        return refused ? WalkAction::kStop : WalkAction::kContinue;
    });
    if (!walked && !refused) return sealed("*.key");
    return refused;
}

Verdict Judge::exchange(std::string_view one, FileType one_type, std::string_view other,
                        FileType other_type) const {
    if (is_config(one) || is_config(other)) return sealed(kConfigRule);
    if (auto refused = move(one, other, one_type)) return refused;
    return move(other, one, other_type);
}

}  // namespace paddock::git
