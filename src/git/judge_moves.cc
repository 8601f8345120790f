// What a directory carries along when it gets another name, and what it must not shut in.
#include <algorithm>
#include <string>

#include <paddock/limits.h>

#include "base/text.h"
#include "fs/rel_path.h"
#include "git/config.h"
#include "git/judge.h"
#include "git/obeyed_names.h"
#include "git/objects.h"
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

// It may hold anything. Covered directories are known.
bool is_closed(const WalkEntry& entry) {
    return entry.failure != nullptr && entry.failure->code != Code::kMountCrossing;
}

bool is_in_store(std::string_view path) {
    for (; !path.empty(); path = parent_of(path)) {
        if (is_object_store(path)) return true;
    }
    return false;
}

}  // namespace

bool is_object_store(std::string_view directory) {
    return leaf_of(directory) == "objects" && leaf_of(parent_of(directory)) == ".git";
}

Verdict Judge::move(std::string_view from, std::string_view to, FileType type) const {
    if (auto refused = remove(from)) return refused;
    if (is_commondir_of_worktree(to)) return sealed(kConfigRule);
    return arrive(from, to, type);
}

Verdict Judge::arrive(std::string_view from, std::string_view to, FileType type) const {
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
    for (const std::string_view end : {from, to}) {
        if (auto refused = judge_above_obeyed(end)) return refused;
    }
    if (auto refused = judge_alternates_below(from, to)) return refused;
    if (auto refused = judge_repositories_below(from, to)) return refused;
    if (is_called(leaf_of(to), ".git")) {
        if (has(from, "paddock")) return Refusal{PathAccess::kDeny, std::string(kJournalRule)};
        if (holds_unjudged(from)) return sealed(kConfigRule);
        if (has(from, "commondir")) return sealed(kPointerRule);
        if (auto refused = judge_hooks_in(std::string(from), parent_of(to))) return refused;
    }
    // What comes from the journal was anywhere. A probe is harmless only where it was made.
    const std::string_view origin = is_any_journal(rule_path(from)) ? std::string_view() : from;
    const bool stays_repository = is_git_directory(from) && is_called(leaf_of(to), ".git");
    if (!stays_repository && (is_called(leaf_of(to), ".git") || is_in_git_directory(to))) {
        if (auto refused = judge_links_below(from)) return refused;
    }
    if (tail_from_git(origin) != tail_from_git(to)) {
        if (auto refused = judge_configs_below(from, to)) return refused;
    }
    if (auto refused = judge_secrets_below(from, to)) return refused;
    if (auto refused = judge_indexes(from, to)) return refused;
    forget_obeyed();
    return std::nullopt;
}

// They were judged nowhere, and git moves no directory of objects.
Verdict Judge::judge_alternates_below(std::string_view from, std::string_view to) const {
    for (const std::string_view name : kAlternates) {
        for (const std::string& below : {std::string(name), joined("info", name)}) {
            const auto file = judged_file(joined(to, below));
            if (!file || file->rule != kAlternatesRule) continue;
            const auto stat = tree_->lstat(joined(from, below));
            if (stat || !is_not_there(stat.error())) return sealed(kAlternatesRule);
        }
    }
    return std::nullopt;
}

// Settings that lead out of the directory of their repository would lead elsewhere.
Verdict Judge::judge_repositories_below(std::string_view from, std::string_view to) const {
    bool leads_out = false;
    const auto repositories = facts_.repositories();
    for (const LeadingRepository& each : *repositories) {
        if (each.outside.empty() && each.unread.empty()) continue;
        leads_out = true;
        if (is_within(each.directory, from) || is_within(each.git_directory, from)) {
            return sealed(kHooksRule);
        }
    }
    if (!leads_out) return std::nullopt;
    std::size_t looked_at = 0;
    Verdict refused;
    const auto walked = tree_->walk(from, [&](const WalkEntry& entry) {
        if (++looked_at > kLookedAtMax || is_closed(entry)) refused = sealed(kHooksRule);
        if (!refused && entry.type != FileType::kDirectory && is_called(entry.name, ".git")) {
            const std::string at = joined(to, entry.path.substr(from.size() + 1));
            refused = judge_pointer(parent_of(at));
        }
        return refused ? WalkAction::kStop : WalkAction::kContinue;
    });
    if (!walked && !refused) return sealed(kHooksRule);
    return refused;
}

// Parts of a git directory in one that was none until now.
bool Judge::holds_unjudged(std::string_view directory) const {
    const auto holds = [&](std::string_view name) { return has(directory, name); };
    return !is_git_directory(directory) &&
           (!judged_files(directory).empty() ||
            std::any_of(kClosedDirectories.begin(), kClosedDirectories.end(), holds) ||
            holds("commondir"));
}

// Links in what becomes part of a git directory.
Verdict Judge::judge_links_below(std::string_view directory) const {
    std::size_t looked_at = 0;
    Verdict refused;
    const auto walked = tree_->walk(directory, [&](const WalkEntry& entry) {
        const bool is_link = entry.type == FileType::kSymlink;
        if (is_link || ++looked_at > kLookedAtMax) refused = sealed(kLinksRule);
        return refused ? WalkAction::kStop : WalkAction::kContinue;
    });
    if (!walked && !refused) return sealed(kLinksRule);
    return refused;
}

// Settings that were judged by where they lie within a ".git" get another place.
Verdict Judge::judge_configs_below(std::string_view from, std::string_view to) const {
    std::size_t looked_at = 0;
    Verdict refused;
    const auto walked = tree_->walk(from, [&](const WalkEntry& entry) {
        if (++looked_at > kLookedAtMax || is_closed(entry)) refused = sealed(kConfigRule);
        if (refused) return WalkAction::kStop;
        if (entry.type == FileType::kDirectory) {
            return entry.name == "objects" ? WalkAction::kSkip : WalkAction::kContinue;
        }
        if (!is_one_of(kConfigs, entry.name)) return WalkAction::kContinue;
        const auto text = tree_->read_file(entry.path, limits::kGitConfigBytesMax);
        if (!text && entry.type == FileType::kRegular) refused = not_readable(entry.path);
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

// The defaults excuse packages and branches, and no search goes into stores of objects. What is
// moved there stays what it was.
Verdict Judge::judge_secrets_below(std::string_view from, std::string_view to) const {
    const auto is_excused = [&](std::string_view path) {
        return rules_.decide(rule_path(path)).access != PathAccess::kDeny || is_in_store(path);
    };
    const bool leads_into_git = !tail_from_git(to).empty();
    const auto is_package = [&](std::string_view directory) {
        return is_excused(joined(directory, "x.key"));
    };
    if (!leads_into_git && (is_package(from) || !is_package(to))) return std::nullopt;
    std::size_t looked_at = 0;
    Verdict refused;
    OrdinaryNames ordinary(*this, from);
    const auto walked = tree_->walk(from, [&](const WalkEntry& entry) {
        if (++looked_at > kLookedAtMax || is_closed(entry)) refused = sealed("*.key");
        if (refused) return WalkAction::kStop;
        if (ordinary.include(entry)) return WalkAction::kContinue;  // no rule denies it
        if (entry.path.size() > limits::kPathBytesMax) {            // nobody can look at it
            refused = sealed("*.key");
            return WalkAction::kStop;
        }
        if (is_object_store(rule_path(entry.path))) return WalkAction::kSkip;
        const std::string now = joined(to, entry.path.substr(from.size() + 1));
        if (!is_excused(entry.path) && is_excused(now)) refused = look(entry.path);
        return refused ? WalkAction::kStop : WalkAction::kContinue;
    });
    if (!walked && !refused) return sealed("*.key");
    return refused;
}

bool Judge::may_hold_worktree(std::string_view directory) const {
    const auto stat = tree_->lstat(directory);
    if (!stat || stat->type != FileType::kDirectory) return false;
    std::size_t looked_at = 0;
    bool found = false;
    const auto walked = tree_->walk(directory, [&](const WalkEntry& entry) {
        found =
            ++looked_at > kLookedAtMax || is_closed(entry) || is_called(entry.name, "commondir");
        return found ? WalkAction::kStop : WalkAction::kContinue;
    });
    return found || !walked;
}

// Whatever an index names, the owner's "git commit -a" stores. No hidden file was there when the
// index was judged, and none gets there by a move, of it or of the repository.
Verdict Judge::judge_indexes(std::string_view from, std::string_view to) const {
    const auto id_bytes_around = [&](std::string_view path) -> std::size_t {
        while (!path.empty()) {
            path = parent_of(path);
            if (is_git_directory(path)) return object_id_bytes(path);
        }
        return 0;
    };
    const std::size_t id_bytes = id_bytes_around(from);
    if (is_in_git_directory(to)) {
        // The index of a worktree was judged by the ids of another repository, or of none.
        if (id_bytes != 0 && id_bytes_around(to) != id_bytes) return sealed(kIndexRule);
        if (id_bytes == 0 && may_hold_worktree(from)) return sealed(kIndexRule);
    }
    Verdict refused;
    const auto judge_names = [&](std::string_view git, std::string_view worktree,
                                 std::string_view moved, std::string_view place) {
        for (const std::string& index : judged_files(git)) {
            if (refused || !is_index(leaf_of(index))) continue;
            for (const std::string& name : denied_names_in(index, worktree)) {
                std::string file = joined(worktree, name);
                if (!is_within(file, place)) continue;
                file.replace(0, place.size(), moved);
                if (!look(file)) continue;
                refused = Refusal{PathAccess::kReadOnly, std::string(kIndexRule),
                                  "it names a file that is hidden"};
                break;
            }
        }
    };
    if (is_called(leaf_of(to), ".git")) {
        const std::string_view worktree = parent_of(to);
        judge_names(from, worktree, worktree, worktree);
    }
    for (std::string_view above = to; !above.empty();) {
        above = parent_of(above);
        const std::string git = joined(above, ".git");
        if (tree_->lstat(git)) judge_names(git, above, from, to);
    }
    return refused;
}

// The names in it of which a rule says that nobody may know them.
std::vector<std::string> Judge::denied_names_in(const std::string& index,
                                                std::string_view worktree) const {
    constexpr std::size_t kKnownMax = 1000;
    const auto stat = tree_->lstat(index);
    if (!stat) return {};
    const std::lock_guard lock(mutex_);
    if (denied_names_.size() >= kKnownMax) denied_names_.clear();
    DeniedNames& known = denied_names_[index];
    const bool is_known = known.identity == stat->identity && known.changed == stat->changed &&
                          known.size == stat->size && known.worktree == worktree;
    if (is_known) return known.names;
    known = {stat->identity, stat->changed, stat->size, std::string(worktree), {}};
    const auto bytes = tree_->read_file(index, kIndexBytesMax);
    if (!bytes) return {};  // nobody made it here: it is too large
    (void)visit_index_names(*bytes, object_id_bytes(parent_of(index)), [&](std::string_view name) {
        const std::string file = joined(worktree, name);
        if (rules_.decide(rule_path(file)).access == PathAccess::kDeny) {
            known.names.emplace_back(name);
        }
        return true;
    });
    return known.names;
}

bool Judge::is_commondir_of_worktree(std::string_view path) const {
    const std::string_view all = parent_of(parent_of(path));
    return is_called(leaf_of(path), "commondir") && is_called(leaf_of(all), "worktrees") &&
           is_git_directory(parent_of(all));
}

// Git inside finds nothing where a worktree outside lies, and "git worktree prune" would cut it
// off. What the session made there itself may go, such as a lock file.
bool Judge::is_of_worktree_outside(std::string_view path) const {
    for (std::string_view at = path; !at.empty(); at = parent_of(at)) {
        const std::string_view all = parent_of(at);
        if (!is_called(leaf_of(all), "worktrees") || !is_git_directory(parent_of(all))) continue;
        if (is_own(path)) return false;
        const auto text = tree_->read_file(joined(at, "gitdir"), limits::kPathBytesMax);
        const auto target = text ? pointer_target(*text, "commondir") : std::nullopt;
        return target && !resolve_git_path(*tree_, at, *target);
    }
    return false;
}

// Through a closed directory nobody reaches the journal, neither undo nor the next session; and
// nobody can tell what git obeys.
Verdict Judge::close(std::string_view path, std::uint32_t mode) const {
    constexpr std::uint32_t kOwner = 0700;
    const bool leads_to_journal = path == base_ || is_called(rule_path(path), ".git");
    if (leads_to_journal && (mode & kOwner) != kOwner) {
        return Refusal{PathAccess::kReadOnly, std::string(kJournalRule),
                       "the directories that lead to it must stay open to their owner (u+rwx)"};
    }
    const bool is_settings = is_config(path);
    const std::uint32_t reads = is_settings ? 0400 : 0500;
    const std::uint32_t reaches = is_settings ? 0400 : 0100;
    // Nothing is closed that stays readable, or that nobody reaches now.
    const auto stat = tree_->lstat(path.empty() ? "." : path);
    if (stat && ((stat->mode & reads & ~mode) == 0 || (stat->mode & reaches) == 0)) {
        return std::nullopt;
    }
    auto refused = judge_closing(path);
    if (refused && refused->detail.empty()) {
        refused->detail =
            "the directories and links that lead there must stay readable for their owner";
    }
    return refused;
}

// Is it part of what leads to what git obeys, or to what settings from outside name?
Verdict Judge::judge_closing(std::string_view path) const {
    if (!rules_.has_defaults()) return std::nullopt;
    for (const auto& below : rules_.restricted_below(rule_path(path))) {
        if (rules_.decide(rule_path(joined(path, below.path))).is_further) {
            return sealed(below.pattern);
        }
    }
    const std::string inner = joined(path, "x");
    if (is_in_git_directory(inner)) return sealed(kConfigRule);
    const auto leads = [&](const std::string& each) { return is_within(each, path); };
    const auto repositories = facts_.repositories();
    for (const LeadingRepository& each : *repositories) {
        if (leads(each.directory) || leads(each.git_directory)) return sealed(kHooksRule);
    }
    return judge_any_obeyed(inner, By::kAny, leads);
}

Verdict Judge::exchange(std::string_view one, FileType one_type, std::string_view other,
                        FileType other_type) const {
    if (is_config(one) || is_config(other)) return sealed(kConfigRule);
    if (auto refused = move(one, other, one_type)) return refused;
    return move(other, one, other_type);
}

}  // namespace paddock::git
