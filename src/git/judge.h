// May this change be made? The one function behind every change of a workspace: the file tools ask
// it, and so does the gate, for commands.
//
// Three classes. *Sealed*: what runs or widens by itself, settings of editors, agents and shells
// (policy/path_defaults.h) and what git obeys; it cannot be made or changed. *Secret*: existing
// files that look like credentials; they can be neither read nor changed. Everything else is free.
// The operator's rules come first and hold everywhere. Of the defaults, a tree that the session
// made itself is free of all but what git obeys, so that clones are whole.
//
// What git obeys is told by shape, wherever it lies. A directory is a git directory if it holds
// "objects" and "refs", or "HEAD" and "commondir": git accepts no other. In one
//   - "config" and "config.worktree" are judged by content (judge_config) before they get the name,
//     and are never written in place.
//     In one of the owner's they get no new path: what it leads to may change once it was judged;
//   - so is "index", whose names git follows without looking: none leads out of the worktree, into
//     a ".git", or to a secret;
//   - so is "MERGE_RR", whose files git reads and writes without looking: it is empty, and no
//     "rr-cache" is made;
//   - so is "objects/info/alternates": a new line leads to objects inside, and only in a repository
//     of the session's; "http-alternates" gets none;
//   - "hooks" holds nothing but samples, "remotes" and "branches" nothing at all, unless the owner
//     made it;
//   - no link is made but git's probe: git writes through links;
//   - whoever makes the name that completes the shape has the parts that are there judged first.
// So is what the settings of a repository of the owner's lead to: included files, core.hooksPath,
// and where links among its hooks lead. A path is asked of from the directories above it; what
// leads out of its repository's directory is known by a search (Facts::repositories).
// A change is refused where that cannot be known: "could not look" is no answer (kUnreadRule). No
// directory that leads to what is obeyed is closed to its owner.
// No other pointer (".git" files, "gitdir", "commondir") has to be followed: wherever one leads
// inside, what it finds there was judged. A ".git" file may lead elsewhere later, if it moves or a
// link replaces its target: its directory gets no hooks where any known repository would look for
// them. It is made only in a directory of the session's, or an empty one.
//
// Removing is never executing: only the owner's own top-level settings and repository are kept from
// being removed, by default.
//
// Paths are canonical and relative to the root; no link is on the way. The caller is alone with the
// names while it asks and acts (journal::Turn).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "git/settings_paths.h"
#include "git/tree_view.h"
#include "policy/path_rules.h"

namespace paddock::git {

struct Refusal {
    PathAccess access = PathAccess::kReadOnly;  // kDeny: nothing of it may be known
    std::string rule;                           // the pattern, or the part of git that it is
    std::string detail = {};                    // of a config: the keys
};

struct GitSetting;
struct JudgedFile;

using Verdict = std::optional<Refusal>;  // nothing: go on

// Told as the rule where no pattern of paths applies.
inline constexpr std::string_view kHooksRule = "hooks of a git repository";
inline constexpr std::string_view kConfigRule = "settings of a git repository";
inline constexpr std::string_view kIndexRule = "the index of a git repository";
inline constexpr std::string_view kRerereRule = "recorded merges of a git repository";
inline constexpr std::string_view kAlternatesRule = "alternates of a git repository";
inline constexpr std::string_view kLinksRule = "links in a git repository";
inline constexpr std::string_view kPointerRule = "a .git file in a directory of the owner's";
inline constexpr std::string_view kPointersRule = "so many .git files above one another";
inline constexpr std::string_view kWorktreeRule = "a worktree outside of the workspace";
inline constexpr std::string_view kCommonOfWorktree = "../..\n";
inline constexpr std::string_view kUnreadRule = "what git obeys cannot be read";
inline constexpr std::string_view kJournalRule = "the journal of paddock";

// By its shape. What cannot be looked at counts as there.
bool is_git_directory(const TreeView& tree, std::string_view directory);
// At any depth: the owner may run paddock below the workspace, and would believe a journal there.
bool is_any_journal(std::string_view path);
// Hashes for names: no rule is about them, and there are many, so no search for secrets goes there.
bool is_object_store(std::string_view directory);
// May git run or obey what bears this name in a git directory?
bool is_obeyed_name(std::string_view name);

// Of a file that is judged by its content, the most bytes that can be.
std::uint64_t judged_bytes_max(std::string_view path);

using Repositories = std::vector<LeadingRepository>;

class Judge {
public:
    struct Facts {
        // Did this session make it?
        std::function<bool(const Stat& stat)> is_own;
        // Is this existing object, whose name looks like a secret, kept from the session?
        std::function<bool(const std::string& path, const Stat& stat)> is_secret;
        // Those that a search has found, wherever they lie. May wait for the first search. Absent:
        // none.
        std::function<std::shared_ptr<const Repositories>()> repositories = {};
        std::string home = {};  // what "~/" stands for in git's settings; empty: nothing
        // Absolute: directories in which commands change nothing but through a judge either.
        std::vector<std::string> gated = {};
        // Counts what may lead git elsewhere (count_change), in all processes and sessions of the
        // workspace. Absent: there are no others.
        std::function<std::uint64_t()> changes = {};
        std::function<void()> count_change = {};
    };

    // `root` passes no link. `base`: where the workspace lies in it; empty: it is the root. `rules`
    // must outlive this.
    Judge(const Root& root, std::string base, const policy::PathRules& rules, Facts facts);
    // The same of a tree that is not, or not yet, the one on the disk.
    Judge(std::unique_ptr<const TreeView> tree, std::string base, const policy::PathRules& rules,
          Facts facts);

    Verdict look(std::string_view path) const;
    // A name that does not exist yet, or whose object is replaced.
    Verdict make(std::string_view path, FileType type) const;
    // A symbolic link. Git makes one in a new repository, to learn whether it can.
    Verdict make_link(std::string_view path, std::string_view target) const;
    // Content of an existing file.
    Verdict write(std::string_view path) const;
    Verdict remove(std::string_view path) const;
    // A name below a directory that is moved, at its new place. The rest was judged when made.
    Verdict carry(std::string_view path) const;
    // Both ends, and what is below a directory.
    Verdict move(std::string_view from, std::string_view to, FileType type) const;
    // The new place alone: what undo takes from the journal leaves none.
    Verdict arrive(std::string_view from, std::string_view to, FileType type) const;
    Verdict exchange(std::string_view one, FileType one_type, std::string_view other,
                     FileType other_type) const;
    Verdict chmod(std::string_view path) const;
    // Of a directory or a config: may it have no other rights of its owner's than these? An empty
    // path is the root.
    Verdict close(std::string_view path, std::uint32_t mode) const;
    // May a directory with this content become a repository? Nothing if it is none.
    Verdict adopt(std::string_view directory) const;
    // A second name of a file.
    Verdict link(std::string_view from, std::string_view to) const;

    // Would making it complete the shape of a git directory?
    bool completes(std::string_view path) const;

    // The file by which a worktree's git directory says where its repository is, in the place where
    // git makes it: kCommonOfWorktree is all that git writes there.
    bool is_commondir_of_worktree(std::string_view path) const;

    // Is a file of this name judged by its content? See judged_file().
    bool is_config(std::string_view path) const;
    // May it hold this text? What the present file says stays allowed.
    Verdict judge_config(std::string_view path, std::string_view text) const;
    // The same of a file that git did not read before, or that said this.
    Verdict judge_new_config(std::string_view path, std::string_view text,
                             std::string_view before = {}) const;
    // The files that git begins to obey when `path` is made. Somebody may still write to them
    // through a descriptor: each is replaced by a copy that was judged.
    std::vector<std::string> configs_completed_by(std::string_view path) const;

private:
    friend class OrdinaryNames;
    enum class Act : std::uint8_t { kMake, kWrite, kRemove };

    std::string_view rule_path(std::string_view path) const;
    bool is_git_directory(std::string_view directory) const {
        return git::is_git_directory(*tree_, directory);
    }
    bool has(std::string_view directory, std::string_view name) const;
    bool is_own(std::string_view path) const;
    bool is_in_own_tree(std::string_view path) const;
    std::optional<JudgedFile> judged(std::string_view path) const;
    Verdict judge(std::string_view path, Act act, FileType type) const;
    Verdict judge_rules(std::string_view path, Act act) const;
    Verdict judge_secret(std::string_view path, const policy::Decision& decision) const;
    Verdict judge_git(std::string_view path, Act act, FileType type) const;
    Verdict judge_content(std::string_view path, std::string_view text,
                          std::string_view present) const;
    Verdict judge_settings(std::string_view path, std::string_view text,
                           std::string_view present) const;
    bool is_address_of_submodule(std::string_view git_directory, const GitSetting& setting) const;
    std::string_view common_directory(std::string_view git_directory) const;
    Verdict judge_index(std::string_view path, std::string_view bytes,
                        std::string_view present) const;
    Verdict judge_alternates(std::string_view path, std::string_view text,
                             std::string_view present) const;
    std::uint64_t effort_of(std::string_view name) const;
    bool is_objects_inside(std::string_view line) const;
    Verdict judge_alternates_below(std::string_view from, std::string_view to) const;
    std::size_t object_id_bytes(std::string_view git_directory) const;
    bool rests_on_ids(std::string_view git_directory) const;
    Verdict judge_indexes(std::string_view from, std::string_view to) const;
    std::vector<std::string> denied_names_in(const std::string& index,
                                             std::string_view worktree) const;
    std::vector<std::string> judged_files(std::string_view directory) const;
    Verdict judge_completion(std::string_view path) const;
    Verdict judge_parts(std::string_view directory) const;
    Verdict judge_hooks(std::string_view directory) const;
    Verdict judge_below(std::string_view from, std::string_view to) const;
    bool holds_unjudged(std::string_view directory) const;
    Verdict judge_configs_below(std::string_view from, std::string_view to) const;
    Verdict judge_secrets_below(std::string_view from, std::string_view to) const;
    Verdict judge_pointer(std::string_view worktree) const;
    Verdict judge_repositories_below(std::string_view from, std::string_view to) const;
    Verdict judge_hooks_in(const std::string& git_directory, std::string_view worktree) const;
    // By a repository in whose directory the path lies; by the workspace's own.
    enum class By : std::uint8_t { kAny, kWorkspace };
    // kHooksRule if settings of git lead there; kUnreadRule if nobody can tell.
    Verdict judge_obeyed(std::string_view path, By by) const;
    Verdict judge_above_obeyed(std::string_view path) const;
    Verdict judge_any_obeyed(std::string_view path, By by,
                             const std::function<bool(const std::string&)>& is) const;
    Verdict judge_closing(std::string_view path) const;
    const ObeyedPaths& obeyed_in(std::string_view directory) const;
    void keep_hooks(const std::vector<std::string>& relative_hooks) const;
    void forget_obeyed() const;
    Verdict judge_links_below(std::string_view directory) const;
    bool is_in_git_directory(std::string_view path) const;
    bool is_link_probe(std::string_view path) const;
    bool may_hold_worktree(std::string_view directory) const;
    bool is_of_worktree_outside(std::string_view path) const;
    bool may_hold_pointer(std::string_view directory) const;

    std::unique_ptr<const TreeView> tree_;
    std::string base_;
    const policy::PathRules& rules_;
    Facts facts_;
    // For each directory that was asked of: where its repository's settings and the links among its
    // hooks lead, if all could be read. The session makes none that lead anywhere, so this is true
    // until a directory moves, goes or gets a ".git", in whichever process (Facts::changes).
    mutable std::mutex mutex_;
    mutable std::uint64_t obeyed_since_ = 0;
    mutable std::map<std::string, ObeyedPaths, std::less<>> obeyed_;
    mutable ObeyedPaths not_kept_;                  // the last
    mutable std::set<std::string> relative_hooks_;  // of all repositories seen, also if they move

    // Of an index, by its path: an index is never written in place.
    struct DeniedNames {
        Identity identity;
        std::chrono::nanoseconds changed{};
        std::uint64_t size = 0;
        std::string worktree;
        std::vector<std::string> names;
    };
    mutable std::map<std::string, DeniedNames, std::less<>> denied_names_;
};

}  // namespace paddock::git
