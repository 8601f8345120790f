#include "git/judge.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include <paddock/limits.h>

#include "base/text.h"
#include "fs/rel_path.h"
#include "git/config.h"
#include "git/obeyed_names.h"
#include "git/objects.h"
#include "git/settings_paths.h"
#include "git/trust.h"

namespace paddock::git {
namespace {

using fs::joined;
using fs::leaf_of;
using fs::parent_of;

constexpr std::size_t kIdBytes = 20;
constexpr std::size_t kLongIdBytes = 32;

// For all names of an index. The turn is held meanwhile: this takes a second or two.
constexpr std::uint64_t kEffortMax = std::uint64_t{1} << 30;

// Each ".git" file above a name is read whenever the name is asked of.
constexpr std::size_t kPointersMax = 16;

bool is_sample(std::string_view name) { return name.ends_with(".sample"); }

// The name whose making turns a directory that holds the other one into a git directory.
std::string_view counterpart(std::string_view name) {
    if (is_called(name, "objects")) return "refs";
    if (is_called(name, "refs")) return "objects";
    if (is_called(name, "HEAD")) return "commondir";
    if (is_called(name, "commondir")) return "HEAD";
    return {};
}

// Git goes up from where a name leads. Where each is a directory that is there, and no link is
// passed, that is what the text says.
bool goes_up_as_written(const TreeView& tree, std::string_view from, std::string_view path) {
    bool is_named = false;
    for (std::size_t at = 0; at < path.size();) {
        const std::string_view name = path.substr(at, path.find('/', at) - at);
        if (name == ".." && is_named) {
            const auto place = resolve_git_path(tree, from, path.substr(0, at));
            if (!place) return false;
            const auto stat = tree.lstat(place->empty() ? "." : *place);
            if (!stat || stat->type != FileType::kDirectory) return false;
        }
        is_named = is_named || (!name.empty() && name != "." && name != "..");
        at += name.size() + 1;
    }
    return true;
}

// By its text: whatever repository lies inside is judged itself. A bare one has no worktree.
bool is_place_inside(const TreeView& tree, std::string_view git_directory, std::string_view path) {
    const bool is_bare = leaf_of(git_directory) != ".git";
    const std::string_view from = is_bare ? git_directory : parent_of(git_directory);
    if (!goes_up_as_written(tree, from, path)) return false;
    const auto place = resolve_git_path(tree, from, path);
    return place && follow_links(tree, *place).end;
}

// Git looks for relative hooks in the worktree, or in the current directory of a bare repository.
// If the settings name hooks or include a file, core.worktree and core.bare must not change.
std::set<std::string> moved_hooks(std::string_view path, std::string_view text,
                                  std::string_view present) {
    const auto now = parse_git_config(text);
    const auto before = parse_git_config(present);
    std::set<std::string> moved;
    if (!now || !before) return moved;
    bool names_hooks = is_called(leaf_of(path), "config.worktree");
    for (const GitSetting& each : *now) {
        names_hooks = names_hooks || each.is_include() || each.key == "core.hookspath";
    }
    const SettingSet was(*before);
    for (const GitSetting& each : *now) {
        const bool moves = each.key == "core.worktree" || each.key == "core.bare";
        if (names_hooks && moves && !was.holds(each)) moved.insert(each.key);
    }
    return moved;
}

// As git reads it: the last ones count, and without version 1 there are no extensions.
std::size_t id_bytes_of(std::string_view config) {
    const auto settings = parse_git_config(config);
    if (!settings) return kIdBytes;
    bool is_extended = false;
    bool is_long = false;
    for (const GitSetting& each : *settings) {
        if (each.key == "core.repositoryformatversion") is_extended = each.value == "1";
        if (each.key == "extensions.objectformat") is_long = each.value == "sha256";
    }
    return is_extended && is_long ? kLongIdBytes : kIdBytes;
}

// By its text, as above.
bool is_in_one_of(const std::vector<std::string>& directories, std::string_view path) {
    const bool is_plain = path.starts_with('/') && !goes_up_from_a_name(path);
    return is_plain && std::any_of(directories.begin(), directories.end(),
                                   [&](const auto& each) { return is_within(path, each); });
}

// By a link called "t" and six letters, in a new repository, git learns whether links can be made.
constexpr std::string_view kProbeTarget = "testing";
bool is_name_of_link_probe(std::string_view name) {
    constexpr std::size_t kProbeBytes = 7;
    return name.size() == kProbeBytes && name.front() == 't' &&
           std::all_of(name.begin(), name.end(),
                       [](unsigned char c) { return std::isalnum(c) != 0; });
}

bool is_there(const TreeView& tree, std::string_view directory, std::string_view name) {
    const auto there = tree.lstat(joined(directory, name));
    return there || there.error().code != Code::kNotFound;
}

}  // namespace

bool is_git_directory(const TreeView& tree, std::string_view directory) {
    // The owner's "git init" would complete it.
    if (is_called(leaf_of(directory), ".git")) return true;
    const auto has = [&](std::string_view name) { return is_there(tree, directory, name); };
    return (has("objects") && has("refs")) || (has("HEAD") && has("commondir"));
}

bool is_any_journal(std::string_view path) {
    for (; !path.empty(); path = parent_of(path)) {
        const std::string_view name = leaf_of(path);
        if (is_called(name, ".paddock")) return true;
        if (is_called(name, "paddock") && is_called(leaf_of(parent_of(path)), ".git")) return true;
    }
    return false;
}

bool is_obeyed_name(std::string_view name) {
    return is_one_of(kClosedDirectories, name) || is_one_of(kConfigs, name) ||
           is_called(name, "commondir") || is_called(name, kRerereList);
}

std::uint64_t judged_bytes_max(std::string_view path) {
    return is_index(leaf_of(path)) ? kIndexBytesMax : limits::kGitConfigBytesMax;
}

Judge::Judge(const Root& root, std::string base, const policy::PathRules& rules, Facts facts)
    : Judge(std::make_unique<TreeView>(root), std::move(base), rules, std::move(facts)) {}

Judge::Judge(std::unique_ptr<const TreeView> tree, std::string base, const policy::PathRules& rules,
             Facts facts)
    : tree_(std::move(tree)), base_(std::move(base)), rules_(rules), facts_(std::move(facts)) {
    if (facts_.repositories) return;
    facts_.repositories = [none = std::make_shared<const Repositories>()] { return none; };
}

std::string_view Judge::rule_path(std::string_view path) const {
    if (base_.empty() || !is_within(path, base_)) return path;
    return path.size() == base_.size() ? "." : path.substr(base_.size() + 1);
}

bool Judge::has(std::string_view directory, std::string_view name) const {
    return is_there(*tree_, directory, name);
}

bool Judge::is_own(std::string_view path) const {
    const auto stat = tree_->lstat(path);
    return stat && facts_.is_own(*stat);
}

bool Judge::is_in_own_tree(std::string_view path) const {
    for (std::string_view above = parent_of(path); !above.empty(); above = parent_of(above)) {
        if (is_own(above)) return true;
    }
    return false;
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

Verdict Judge::make_link(std::string_view path, std::string_view target) const {
    if (target != kProbeTarget || !is_link_probe(path)) return make(path, FileType::kSymlink);
    if (auto refused = judge_above_obeyed(path)) return refused;
    return carry(path);
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
    if (is_new_link) {
        if (auto refused = judge_above_obeyed(path)) return refused;
    }
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
    const By by = act == Act::kRemove ? By::kWorkspace : By::kAny;
    if (auto refused = judge_obeyed(path, by)) return refused;
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
    bool was_telling = false;
    for (std::size_t end = 0; end != path.npos;) {
        end = path.find('/', end + 1);
        const std::string_view above = path.substr(0, end);
        // The topmost is denied by its own name, or by that of its directory.
        const bool is_telling = rules_.may_restrict_by(leaf_of(above));
        const bool may_be_denied = std::exchange(was_telling, is_telling) || is_telling;
        if (!may_be_denied && end != path.npos) continue;
        if (rules_.decide(rule_path(above)).access != PathAccess::kDeny) continue;
        const auto stat = tree_->lstat(above);
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
    const std::string_view top_path = path.substr(0, path.size() - ruled.size() + top.size());
    const bool is_owners = is_called(top, ".git") && !is_own(top_path);
    if (is_owners && top == ruled && act == Act::kRemove) return sealed(".git");
    if (act == Act::kRemove && is_of_worktree_outside(path)) return sealed(kWorktreeRule);
    const bool is_new_link = act == Act::kMake && type == FileType::kSymlink;
    if (is_new_link && is_in_git_directory(path)) return sealed(kLinksRule);
    for (std::string_view at = path; !at.empty(); at = parent_of(at)) {
        const std::string_view name = leaf_of(at);
        if (act == Act::kRemove && !(is_owners && parent_of(at) == top_path)) continue;
        if (!is_one_of(kClosedDirectories, name) || !is_git_directory(parent_of(at))) continue;
        const bool is_cache = is_called(name, kRerereCache);
        if (is_cache && act == Act::kRemove) continue;
        if (is_cache) return sealed(kRerereRule);
        const bool is_itself = at == path;
        const bool is_entry = !is_itself && parent_of(path) == at;
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
    if (const auto file = judged(path)) {
        if (act == Act::kWrite) {
            return Refusal{PathAccess::kReadOnly, std::string(file->rule),
                           "use git, or rename a finished file to this name"};
        }
        if (act == Act::kMake && type != FileType::kRegular) return sealed(file->rule);
        const std::string_view git_directory = file->git_directory;
        const bool is_owners_own = is_owners && git_directory == top_path;
        const bool changes_ids = is_called(name, "config") &&
                                 object_id_bytes(git_directory) != kIdBytes &&
                                 rests_on_ids(git_directory);
        const bool is_kept = file->rule == kConfigRule && (is_owners_own || changes_ids);
        if (act == Act::kRemove && is_kept) return sealed(kConfigRule);
    }
    if (act == Act::kRemove) return std::nullopt;
    const std::string_view directory = parent_of(path);
    if (is_called(name, "commondir")) {
        // It would take the place of what its directory has itself, as no worktree's does.
        if (has(directory, "objects") || has(directory, "config")) return sealed(kConfigRule);
        // The gate makes it for git, which never writes to one that is there.
        if (!is_commondir_of_worktree(path) || act == Act::kWrite) return sealed(kConfigRule);
        if (type != FileType::kRegular) return sealed(kConfigRule);
    }
    if (is_called(name, ".git") && type != FileType::kDirectory) {
        const auto present = tree_->lstat(path);
        // An exchange puts one where a directory is.
        const bool is_pointer =
            act == Act::kMake || !present || present->type != FileType::kDirectory;
        const bool is_owners_own = act == Act::kWrite && present && !facts_.is_own(*present);
        if (is_pointer && (is_owners_own || !may_hold_pointer(directory))) {
            return sealed(kPointerRule);
        }
        if (auto refused = is_pointer ? judge_pointer(directory) : Verdict()) return refused;
    }
    if (act != Act::kMake) return std::nullopt;
    auto refused = judge_completion(path);
    const bool leads = is_called(name, ".git") || is_called(name, "commondir") || completes(path);
    if (!refused && leads) forget_obeyed();
    return refused;
}

// The workspace itself may be one.
bool Judge::is_in_git_directory(std::string_view path) const {
    for (std::string_view above = path; !above.empty();) {
        above = parent_of(above);
        if (is_git_directory(above)) return true;
    }
    return false;
}

// At the top of a repository, or of a submodule's, which has no shape yet. A branch may be called
// like a probe, and git writes to its log: there links are never made.
bool Judge::is_link_probe(std::string_view path) const {
    const std::string_view directory = parent_of(path);
    if (!is_name_of_link_probe(leaf_of(path))) return false;
    bool is_in_submodule = false;
    for (std::string_view at = directory; !at.empty() && is_in_git_directory(at);) {
        const bool leads_to_submodule = at != directory && is_called(leaf_of(at), "modules");
        if (!leads_to_submodule && is_one_of(kFilledByGit, leaf_of(at))) return false;
        at = parent_of(at);
        is_in_submodule = is_in_submodule || (leads_to_submodule && is_git_directory(at));
    }
    return is_in_submodule || is_git_directory(directory);
}

Verdict Judge::judge_completion(std::string_view path) const {
    return completes(path) ? judge_parts(parent_of(path)) : std::nullopt;
}

bool Judge::completes(std::string_view path) const {
    const std::string_view other = counterpart(leaf_of(path));
    return !other.empty() && has(parent_of(path), other) && !tree_->lstat(path);
}

Verdict Judge::judge_parts(std::string_view directory) const {
    for (const std::string& file : judged_files(directory)) {
        const auto stat = tree_->lstat(file);
        if (!stat || stat->type != FileType::kRegular) return sealed(kConfigRule);
        const auto text = tree_->read_file(file, judged_bytes_max(file));
        if (!text) return sealed(kConfigRule);
        if (auto refused = judge_content(file, *text, {})) return refused;
    }
    for (const std::string_view name : kClosedDirectories) {
        if (auto refused = judge_hooks(joined(directory, name))) return refused;
    }
    return judge_links_below(directory);
}

// May this directory be one of hooks, remotes or branches?
Verdict Judge::judge_hooks(std::string_view directory) const {
    const auto stat = tree_->lstat(directory);
    if (!stat && stat.error().code == Code::kNotFound) return std::nullopt;
    if (is_called(leaf_of(directory), kRerereCache)) return sealed(kRerereRule);
    if (!stat || stat->type != FileType::kDirectory) return sealed(kHooksRule);
    const auto listing = tree_->list(directory);
    if (!listing || listing->truncated) return sealed(kHooksRule);
    for (const ListEntry& entry : listing->entries) {
        if (!is_sample(entry.name) || entry.type != FileType::kRegular) return sealed(kHooksRule);
    }
    return std::nullopt;
}

std::vector<std::string> Judge::configs_completed_by(std::string_view path) const {
    if (!rules_.has_defaults() || !completes(path)) return {};
    return judged_files(parent_of(path));
}

// Those that are there. What cannot be looked at counts as there.
std::vector<std::string> Judge::judged_files(std::string_view directory) const {
    std::vector<std::string> files;
    for (const std::string_view name :
         {kConfigs[0], kConfigs[1], std::string_view("index"), kRerereList}) {
        if (has(directory, name)) files.push_back(joined(directory, name));
    }
    for (const std::string_view name : kAlternates) {
        std::string file = joined(joined(directory, "objects/info"), name);
        const auto stat = tree_->lstat(file);
        if (stat || !is_not_there(stat.error())) files.push_back(std::move(file));
    }
    const auto listing = tree_->list(directory);
    if (!listing) return files;
    for (const ListEntry& entry : listing->entries) {
        if (is_index(entry.name) && !is_called(entry.name, "index")) {
            files.push_back(joined(directory, entry.name));
        }
    }
    return files;
}

Verdict Judge::judge_content(std::string_view path, std::string_view text,
                             std::string_view present) const {
    if (is_index(leaf_of(path))) return judge_index(path, text, present);
    if (is_called(leaf_of(path), kRerereList)) {
        return text.empty() || text == present ? Verdict() : sealed(kRerereRule);
    }
    const auto file = judged_file(path);
    if (file && file->rule == kAlternatesRule) return judge_alternates(path, text, present);
    const std::string_view git_directory = parent_of(path);
    const bool is_shared = is_called(leaf_of(path), "config");
    const bool changes_ids = is_shared && id_bytes_of(text) != object_id_bytes(git_directory) &&
                             rests_on_ids(git_directory);
    if (changes_ids) {
        return Refusal{PathAccess::kReadOnly, std::string(kConfigRule), "extensions.objectformat"};
    }
    return judge_settings(path, text, present);
}

// Each setting must be known to run nothing and to lead nowhere outside, or be there already. What
// a path leads to may change later: in a repository of the owner's there is no new one.
Verdict Judge::judge_settings(std::string_view path, std::string_view text,
                              std::string_view present) const {
    const std::string_view git_directory = parent_of(path);
    const bool is_owners = !is_own(common_directory(git_directory));
    const auto trusted = parse_git_config(present).value_or(std::vector<GitSetting>());
    const bool had_worktree = std::any_of(trusted.begin(), trusted.end(), [](const auto& each) {
        return each.key == "core.worktree";
    });
    const auto leads_inside = [&](std::string_view to, PathFrom from) {
        if (from == PathFrom::kWorktree) {
            return is_place_inside(*tree_, git_directory, to) || is_in_one_of(facts_.gated, to);
        }
        return is_worktree_of_submodule(git_directory, to) &&
               (!is_owners || (!had_worktree && is_usual_worktree(git_directory, to)));
    };
    auto verdict = judge_git_config(text, trusted, leads_inside);
    for (const std::string& key : moved_hooks(path, text, present)) verdict.refused.push_back(key);
    if (is_owners && verdict.is_clean()) {
        const auto were_there = repositories_here(trusted);
        const SettingSet before(were_there);
        for (const GitSetting& each : repositories_here(*parse_git_config(text))) {
            if (before.holds(each) || is_address_of_submodule(git_directory, each)) continue;
            verdict.refused.push_back(each.key);
            break;
        }
    }
    if (verdict.is_clean()) return std::nullopt;
    return Refusal{PathAccess::kReadOnly, std::string(kConfigRule), verdict.summary()};
}

// "git submodule init" writes again what "deinit" took away.
bool Judge::is_address_of_submodule(std::string_view git_directory,
                                    const GitSetting& setting) const {
    constexpr std::string_view kBegin = "submodule.";
    constexpr std::string_view kEnd = ".url";
    std::string_view name = setting.key;
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return false;
    if (name.size() <= kBegin.size() + kEnd.size()) return false;
    name = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    if (!is_name_in_worktree(name)) return false;
    const std::string submodule = joined(joined(git_directory, "modules"), name);
    if (is_own(submodule)) return false;
    const auto text = tree_->read_file(joined(submodule, "config"), limits::kGitConfigBytesMax);
    const auto settings = parse_git_config(text ? *text : std::string());
    return settings && std::any_of(settings->begin(), settings->end(), [&](const auto& each) {
               return each.key.starts_with("remote.") && each.key.ends_with(kEnd) &&
                      each.value == setting.value && each.verbatim == setting.verbatim;
           });
}

// A name that is new must not be a secret's: the owner's "git commit -a" would store its content
// where the session can read it.
Verdict Judge::judge_index(std::string_view path, std::string_view bytes,
                           std::string_view present) const {
    const std::string_view git_directory = parent_of(path);
    if (has(git_directory, "commondir") && !is_git_directory(parent_of(parent_of(git_directory)))) {
        return Refusal{PathAccess::kReadOnly, std::string(kIndexRule),
                       "the repository of its worktree is not known"};
    }
    const std::size_t id_bytes = object_id_bytes(git_directory);
    const bool has_worktree = is_called(leaf_of(git_directory), ".git");
    Refusal refused{PathAccess::kReadOnly, std::string(kIndexRule), "it is damaged"};
    std::set<std::string, std::less<>> hidden;
    std::uint64_t effort = 0;
    const auto is_fine = [&](std::string_view name) {
        if (!is_name_in_worktree(name)) {
            refused.detail = "it names a file outside of the worktree";
            return false;
        }
        effort += effort_of(name);
        if (effort > kEffortMax) {
            refused.detail = "it is too large";
            return false;
        }
        if (!has_worktree) return true;
        const std::string file = joined(parent_of(git_directory), name);
        const bool is_denied = rules_.decide(rule_path(file)).access == PathAccess::kDeny;
        if (is_denied && look(file)) hidden.emplace(name);
        return true;
    };
    if (!visit_index_names(bytes, id_bytes, is_fine)) return refused;
    if (!hidden.empty()) {
        (void)visit_index_names(present, id_bytes, [&](std::string_view name) {
            if (const auto known = hidden.find(name); known != hidden.end()) hidden.erase(known);
            return !hidden.empty();
        });
    }
    if (hidden.empty()) return std::nullopt;
    refused.detail = "it names a file that is hidden";
    return refused;
}

// To decide about a name of an index: it grows with the square of the names in it that may be
// somebody's rule.
std::uint64_t Judge::effort_of(std::string_view name) const {
    std::uint64_t telling = 1;
    for (std::string_view rest = name; !rest.empty();) {
        const std::string_view part = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        if (rules_.may_restrict_by(part)) ++telling;
    }
    return name.size() * telling * telling;
}

Verdict Judge::judge_alternates(std::string_view path, std::string_view text,
                                std::string_view present) const {
    const auto take_line = [](std::string_view& rest) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        return line;
    };
    std::set<std::string_view> known = {""};
    while (!present.empty()) known.insert(take_line(present));
    const bool may_add =
        is_called(leaf_of(path), "alternates") && is_own(judged_file(path)->git_directory);
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (line.starts_with('#') || !known.insert(line).second) continue;
        if (!may_add || !is_objects_inside(line)) return sealed(kAlternatesRule);
    }
    return std::nullopt;
}

// Those of a git directory, by a path that leads there from wherever the file is.
bool Judge::is_objects_inside(std::string_view line) const {
    if (!line.starts_with('/') || !goes_up_as_written(*tree_, {}, line)) return false;
    const auto place = resolve_git_path(*tree_, {}, line);
    if (!place || !is_called(leaf_of(*place), "objects")) return false;
    const auto stat = tree_->lstat(*place);
    return stat && stat->type == FileType::kDirectory && is_git_directory(parent_of(*place));
}

// Of a worktree, its repository's.
std::string_view Judge::common_directory(std::string_view git_directory) const {
    const bool is_worktree = has(git_directory, "commondir");
    return is_worktree ? parent_of(parent_of(git_directory)) : git_directory;
}

std::size_t Judge::object_id_bytes(std::string_view git_directory) const {
    const auto text = tree_->read_file(joined(common_directory(git_directory), "config"),
                                       limits::kGitConfigBytesMax);
    return id_bytes_of(text ? *text : std::string());
}

// What an index names depends on how long the ids in it are.
bool Judge::rests_on_ids(std::string_view git_directory) const {
    const auto files = judged_files(git_directory);
    return has(git_directory, "worktrees") ||
           std::any_of(files.begin(), files.end(),
                       [](const auto& file) { return is_index(leaf_of(file)); });
}

std::optional<JudgedFile> Judge::judged(std::string_view path) const {
    const auto file = judged_file(path);
    return file && is_git_directory(file->git_directory) ? file : std::nullopt;
}

bool Judge::is_config(std::string_view path) const {
    return rules_.has_defaults() && judged(path).has_value();
}

Verdict Judge::judge_config(std::string_view path, std::string_view text) const {
    const auto decision = rules_.decide(rule_path(path));
    if (decision.by_operator && decision.access == PathAccess::kAllow) return std::nullopt;
    const auto present = tree_->read_file(path, judged_bytes_max(path));
    return judge_content(path, text, present ? *present : std::string());
}

Verdict Judge::judge_new_config(std::string_view path, std::string_view text,
                                std::string_view before) const {
    return judge_content(path, text, before);
}

Verdict Judge::adopt(std::string_view directory) const {
    return is_git_directory(directory) ? judge_parts(directory) : std::nullopt;
}

Verdict Judge::chmod(std::string_view path) const {
    const auto stat = tree_->lstat(path);
    if (stat && facts_.is_own(*stat)) return judge_rules(path, Act::kWrite);
    return write(path);
}

Verdict Judge::link(std::string_view from, std::string_view to) const {
    if (auto refused = look(from)) return refused;
    if (auto refused = write(from)) return refused;
    if (is_config(to) || is_commondir_of_worktree(to)) return sealed(kConfigRule);
    const auto stat = tree_->lstat(from);
    return make(to, stat ? stat->type : FileType::kUnknown);
}

// What settings of repositories make git obey, and the ".git" files that may lead to any of them.

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
            if (pointers.size() > kPointersMax) return sealed(kPointersRule);
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
