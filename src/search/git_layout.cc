#include "search/git_layout.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <paddock/limits.h>

#include "base/within.h"
#include "fs/entry.h"
#include "fs/rel_path.h"
#include "fs/root_state.h"
#include "git/config.h"
#include "search/link_trail.h"
#include "search/pinned_directory.h"

namespace paddock::search {
namespace {

using fs::joined;
using fs::leaf_of;
using fs::parent_of;
using git::GitSetting;

constexpr std::array<std::string_view, 4> kParts = {"config", "config.worktree", "hooks",
                                                    "commondir"};
// Directories of files that each give a remote its address, if no config does.
constexpr std::array<std::string_view, 2> kRemoteFiles = {"remotes", "branches"};
constexpr std::array<std::string_view, 3> kShape = {"head", "objects", "refs"};
// As git spells them.
constexpr std::array<std::string_view, 7> kRepositoryNames = {
    "HEAD", "objects", "refs", "commondir", "config", "config.worktree", "hooks"};

// Of ASCII letters. `lower` has none that is not lower case.
bool is_name(std::string_view name, std::string_view lower) {
    return std::equal(name.begin(), name.end(), lower.begin(), lower.end(), [](char a, char b) {
        return a == b || (b >= 'a' && b <= 'z' && a == b - 32);
    });
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view known) { return is_name(name, known); });
}

class Layout {
public:
    enum class Seen : bool { kAll, kAbove };

    Layout(const Root& root, const NotableMap& notable, std::string_view home, Seen seen,
           GitBounds bounds = {})
        : root_(root), notable_(notable), home_(home), seen_(seen), bounds_(std::move(bounds)) {}

    GitParts run();

private:
    struct Config {
        GitPart part;
        std::string spelled_in;  // where a relative path of it begins
    };
    struct HooksPath {
        GitPart config;
        std::string path;  // as it is written there
    };

    void add_directory(const std::string& path);
    void lead_to(const std::string& path, const std::string& pointer,
                 const std::set<std::string>& worktrees);
    bool may_spend(std::size_t bytes);
    bool may_go_on();
    bool is_known(const std::string& path) const {
        return bounds_.is_known && bounds_.is_known(path);
    }
    void add_part(std::string path, GitPart::Kind kind, std::string_view git_directory,
                  const std::string& named_by = {});
    void follow_dot_git(const std::string& directory, const NotableEntry& entry);
    void find_parts(const std::string& git_directory);
    void follow_config(const std::string& path, const std::string& git_directory,
                       const std::string& named_by);
    void add_config(std::string path, std::string_view git_directory, const std::string& named_by,
                    std::string_view spelled_in);
    void read_config(const Config& read);
    void add_worktree(const GitPart& config, std::string_view path);
    void add_hooks(const HooksPath& written);
    std::set<std::string> bases_of(const std::string& git_directory) const;
    std::vector<NotableEntry> unseen_entries(const std::string& directory) const;
    std::optional<std::string> pointed(const std::string& file, std::string_view from) const;
    std::optional<std::string> configured(std::string_view path, std::string_view from) const;

    const Root& root_;
    const NotableMap& notable_;
    const std::string_view home_;
    const Seen seen_;
    const GitBounds bounds_;
    std::set<std::string> directories_;                       // of git
    std::vector<std::string> waiting_;                        // those whose parts are not known yet
    std::map<std::string, std::set<std::string>> worktrees_;  // of a git directory
    std::map<std::string, std::string> common_;               // the "commondir" of a git directory
    std::map<std::string, GitPart> parts_;
    std::vector<Config> configs_;                              // of these
    std::set<std::pair<std::string, std::string>> spellings_;  // of configs: the file, its place
    std::set<std::string> included_;                           // as configs spell them
    std::set<std::string> read_;
    std::vector<HooksPath> hooks_paths_;
    std::size_t spent_ = 0;
    bool is_interrupted_ = false;
};

// git takes it for a repository: its own parts, or those that it shares.
bool has_the_shape(const std::vector<NotableEntry>& entries) {
    const auto has = [&](std::string_view lower) {
        return std::any_of(entries.begin(), entries.end(),
                           [&](const NotableEntry& entry) { return is_name(entry.name, lower); });
    };
    return has("head") && ((has("objects") && has("refs")) || has("commondir"));
}

GitParts Layout::run() {
    for (const auto& [path, entries] : notable_) {
        if (!may_go_on()) break;
        for (const NotableEntry& entry : entries) {
            if (is_git_directory_name(entry.name)) follow_dot_git(path, entry);
        }
        const bool by_name = is_git_directory_name(leaf_of(path));
        if (by_name) worktrees_[path].insert(std::string(parent_of(path)));
        if (by_name || has_the_shape(entries)) add_directory(path);
    }
    while (!waiting_.empty() && may_go_on()) {
        const std::string next = std::move(waiting_.back());
        waiting_.pop_back();
        find_parts(next);
    }
    // Each may include more of them.
    for (std::size_t i = 0; i < configs_.size() && may_go_on(); ++i) {
        read_config(Config(configs_[i]));
    }
    // What they say of hooks depends on the worktrees, which any of them may name.
    for (const HooksPath& hooks : hooks_paths_) add_hooks(hooks);
    GitParts parts;
    parts.all.reserve(parts_.size());
    for (auto& [path, part] : parts_) parts.all.push_back(std::move(part));
    parts.is_flooded = spent_ > limits::kGitLedBytesMax;
    parts.is_cut = parts.is_flooded || is_interrupted_;
    return parts;
}

// What configs lead to can be many times what they hold: each of many hooks in each of many
// worktrees.
bool Layout::may_spend(std::size_t bytes) {
    if (spent_ <= limits::kGitLedBytesMax) spent_ += bytes;
    return spent_ <= limits::kGitLedBytesMax;
}

bool Layout::may_go_on() {
    is_interrupted_ =
        is_interrupted_ || (bounds_.interruption != nullptr && bounds_.interruption->requested());
    return !is_interrupted_;
}

void Layout::add_directory(const std::string& path) {
    if (directories_.insert(path).second) waiting_.push_back(path);
}

// What was not met under that path may lie behind a link, which then leads git as the pointer does.
void Layout::lead_to(const std::string& path, const std::string& pointer,
                     const std::set<std::string>& worktrees) {
    const std::string end = follow_links(root_, path).end.value_or(path);
    for (const std::string& directory : {path, end}) {
        worktrees_[directory].insert(worktrees.begin(), worktrees.end());
    }
    add_directory(path);
    // Who has seen the whole tree knows it by its shape. A link alone makes no repository of it.
    if (seen_ == Seen::kAbove) add_directory(end);
    if (path.empty() || notable_.contains(path)) return;
    add_part(path, GitPart::Kind::kPointer, path, pointer);
}

void Layout::add_part(std::string path, GitPart::Kind kind, std::string_view git_directory,
                      const std::string& named_by) {
    GitPart part{path, kind, std::string(git_directory), named_by};
    parts_.emplace(std::move(path), std::move(part));
}

void Layout::add_config(std::string path, std::string_view git_directory,
                        const std::string& named_by, std::string_view spelled_in) {
    if (spellings_.emplace(path, spelled_in).second) {
        GitPart part{path, GitPart::Kind::kConfig, std::string(git_directory), named_by};
        configs_.push_back({std::move(part), std::string(spelled_in)});
    }
    add_part(std::move(path), GitPart::Kind::kConfig, git_directory, named_by);
}

std::optional<std::string> Layout::pointed(const std::string& file, std::string_view from) const {
    const auto content = root_.read_file(file, limits::kPathBytesMax);
    if (!content) return std::nullopt;
    const auto target = pointer_target(*content, leaf_of(file));
    return target ? led_inside(root_, from, *target) : std::nullopt;
}

// Where a setting leads that git reads as a path.
std::optional<std::string> Layout::configured(std::string_view path, std::string_view from) const {
    constexpr std::string_view kHome = "~/";
    if (!path.starts_with(kHome)) return led_inside(root_, from, path);
    if (home_.empty()) return std::nullopt;
    return led_inside(root_, from, joined(home_, path.substr(kHome.size())));
}

// ".git" as a directory is found by its name when its entries are met.
void Layout::follow_dot_git(const std::string& directory, const NotableEntry& entry) {
    if (entry.type == FileType::kDirectory) return;
    const std::string path = joined(directory, entry.name);
    add_part(path, GitPart::Kind::kPointer, directory);
    std::optional<std::string> target;
    if (entry.type == FileType::kSymlink) {
        const auto link = root_.readlink(path);
        if (link) target = led_inside(root_, directory, link->text);
    } else {
        target = pointed(path, directory);
    }
    if (!target) return;
    lead_to(*target, path, {directory});
}

// Of a directory that nobody has looked at, or of none.
std::vector<NotableEntry> Layout::unseen_entries(const std::string& directory) const {
    std::vector<NotableEntry> entries;
    const auto add = [&](std::string_view name) {
        const auto stat = root_.lstat(joined(directory, name));
        if (stat) entries.push_back({std::string(name), stat->type});
    };
    for (const std::string_view name : kParts) add(name);
    return entries;
}

void Layout::find_parts(const std::string& git_directory) {
    for (const std::string_view name : kRemoteFiles) {
        const auto files = notable_.find(joined(git_directory, name));
        if (files == notable_.end()) continue;
        for (const NotableEntry& file : files->second) {
            add_part(joined(files->first, file.name), GitPart::Kind::kHooks, git_directory);
        }
    }
    const auto found = notable_.find(git_directory);
    const bool is_seen = found != notable_.end();
    for (const NotableEntry& entry : is_seen ? found->second : unseen_entries(git_directory)) {
        if (!is_one_of(kParts, entry.name)) continue;
        const std::string path = joined(git_directory, entry.name);
        if (is_name(entry.name, "hooks")) {
            add_part(path, GitPart::Kind::kHooks, git_directory);
        } else if (!is_name(entry.name, "commondir")) {
            add_config(path, git_directory, {}, git_directory);
            if (entry.type == FileType::kSymlink) follow_config(path, git_directory, path);
        } else {
            add_part(path, GitPart::Kind::kPointer, git_directory);
            const auto common = pointed(path, git_directory);
            if (!common) continue;
            common_[git_directory] = *common;
            lead_to(*common, path, std::set(worktrees_[git_directory]));
        }
    }
}

// Git reads the end of a link, and what that includes by a relative path from where the link is.
void Layout::follow_config(const std::string& path, const std::string& git_directory,
                           const std::string& named_by) {
    const auto end = follow_links(root_, path).end;
    if (!end || end->empty()) return;
    const std::string place(parent_of(path));
    add_config(*end, git_directory, named_by, follow_links(root_, place).end.value_or(place));
}

void Layout::read_config(const Config& read) {
    const GitPart& config = read.part;
    const auto content = root_.read_file(config.path, limits::kGitConfigBytesMax);
    if (!content) return;
    // Above one path there are few, and nobody to know them.
    const bool is_above = seen_ == Seen::kAbove && config.named_by.empty();
    const bool is_free = read_.insert(config.path).second && (is_above || is_known(config.path));
    if (!is_free && !may_spend(content->size())) return;
    const auto settings = git::parse_git_config(*content);
    if (!settings) return;
    // Git obeys the last of its kind.
    std::optional<std::string> worktree;
    std::optional<std::string> hooks;
    for (const GitSetting& setting : *settings) {
        if (setting.key == "core.worktree") worktree = setting.value;
        if (setting.key == "core.hookspath") hooks = setting.value;
    }
    if (worktree) add_worktree(config, *worktree);
    if (hooks) hooks_paths_.push_back({config, *hooks});
    for (const GitSetting& setting : *settings) {
        if (!setting.is_include() || !setting.value) continue;
        const auto included = configured(*setting.value, read.spelled_in);
        if (!included || included->empty() || !included_.insert(*included).second) continue;
        if (!may_spend(included->size())) return;
        add_config(*included, config.git_directory, config.path, parent_of(*included));
        follow_config(*included, config.git_directory, config.path);
    }
}

void Layout::add_worktree(const GitPart& config, std::string_view path) {
    const auto worktree = led_inside(root_, config.git_directory, path);
    if (!worktree) return;
    worktrees_[config.git_directory].insert(*worktree);
    if (const auto common = common_.find(config.git_directory); common != common_.end()) {
        worktrees_[common->second].insert(*worktree);
    }
    if (worktree->empty()) return;
    add_part(*worktree, GitPart::Kind::kPointer, config.git_directory, config.path);
}

// A relative path begins where git runs hooks: in each worktree, or in a bare repository.
std::set<std::string> Layout::bases_of(const std::string& git_directory) const {
    std::set<std::string> bases;
    if (const auto found = worktrees_.find(git_directory); found != worktrees_.end()) {
        bases = found->second;
    }
    bases.insert(git_directory);
    return bases;
}

void Layout::add_hooks(const HooksPath& written) {
    const GitPart& config = written.config;
    for (const std::string& base : bases_of(config.git_directory)) {
        if (!may_go_on()) return;
        const auto hooks = configured(written.path, base);
        // A directory with the repository in it cannot be kept as it is.
        if (!hooks || is_within(config.git_directory, *hooks)) continue;
        // Nobody else's take the place of its own and of those that are known.
        const bool is_free = base == config.git_directory ||
                             base == parent_of(config.git_directory) ||
                             is_known(joined(base, ".git"));
        if (!is_free && !may_spend(hooks->size())) continue;
        add_part(*hooks, GitPart::Kind::kHooks, config.git_directory, config.path);
    }
}

void note(const PinnedDirectory& directory, std::string_view name,
          std::vector<NotableEntry>& entries) {
    if (const auto type = directory.type_of(name)) entries.push_back({std::string(name), *type});
}

// Links give what they lead to, now or later, the name that git obeys.
void add_trail(const LinkTrail& trail, const GitPart& of, std::vector<GitPart>& parts) {
    const auto add = [&](const std::string& path) {
        parts.push_back({path, of.kind, of.git_directory, of.path});
    };
    for (const std::string& link : trail.links) add(link);
    // A directory with the repository in it cannot be kept as it is.
    if (trail.end && !is_within(of.git_directory, *trail.end)) add(*trail.end);
}

// No link, in a directory that was reached without passing any.
bool is_noted_as_plain(const NotableMap& notable, std::string_view path) {
    const auto found = notable.find(std::string(parent_of(path)));
    return found != notable.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](const NotableEntry& entry) {
               return entry.name == leaf_of(path) && entry.type != FileType::kSymlink;
           });
}

void follow_part(const Root& root, const NotableMap& notable, const GitPart& part,
                 std::vector<GitPart>& parts) {
    const bool is_plain = is_noted_as_plain(notable, part.path);
    const LinkTrail trail = is_plain ? LinkTrail{{}, part.path} : follow_links(root, part.path);
    add_trail(trail, part, parts);
    if (part.kind != GitPart::Kind::kHooks || !trail.end) return;
    const Listing hooks = is_plain ? list_seen(root, *trail.end).value_or(Listing())
                                   : root.list(*trail.end).value_or(Listing());
    for (const ListEntry& entry : hooks.entries) {
        if (entry.type != FileType::kSymlink || is_sample_hook(entry.name)) continue;
        add_trail(follow_links(root, joined(*trail.end, entry.name)), part, parts);
    }
}

}  // namespace

bool is_git_name(std::string_view name, FileType type) {
    return is_one_of(kParts, name) || is_one_of(kShape, name) ||
           (is_git_directory_name(name) && type != FileType::kDirectory);
}

bool may_be_remote_file(std::string_view path, FileType type) {
    return type != FileType::kDirectory && is_one_of(kRemoteFiles, leaf_of(parent_of(path)));
}

bool is_git_directory_name(std::string_view name) { return is_name(name, ".git"); }

bool is_sample_hook(std::string_view name) { return name.ends_with(".sample"); }

bool has_git_name(std::string_view path) {
    for (auto name = fs::take_component(path); !name.empty(); name = fs::take_component(path)) {
        if (is_one_of(kParts, name) || is_one_of(kShape, name)) return true;
    }
    return false;
}

bool is_obeyed_part(const Root& root, std::string_view path, GitChange change) {
    const std::string_view made = leaf_of(path);
    const bool is_part = is_one_of(kParts, made);
    if (!is_part && !is_one_of(kShape, made)) return false;
    const PinnedDirectory directory(root, parent_of(path));
    // Of the shape only what appears or goes matters.
    if (!is_part && change == GitChange::kMake && directory.may_hold(made)) return false;
    std::vector<NotableEntry> entries = {{std::string(made), FileType::kUnknown}};
    bool has_part = is_part;
    for (const std::string_view name : kRepositoryNames) {
        if (!directory.may_hold(name)) continue;
        entries.push_back({std::string(name), FileType::kUnknown});
        has_part = has_part || is_one_of(kParts, name);
    }
    return has_part && has_the_shape(entries);
}

std::optional<GitPart> obeyed_part(const Root& root, std::string_view path, GitChange change) {
    for (std::string_view at = path; !at.empty(); at = parent_of(at)) {
        if (!is_obeyed_part(root, at, at == path ? change : GitChange::kMake)) continue;
        return GitPart{std::string(at), GitPart::Kind::kConfig, std::string(parent_of(at))};
    }
    return std::nullopt;
}

std::string name_in_dot_git(const GitPart& part) {
    const std::string_view name = part.kind == GitPart::Kind::kConfig  ? "config"
                                  : part.kind == GitPart::Kind::kHooks ? "hooks"
                                                                       : "commondir";
    return joined(joined(parent_of(part.git_directory), ".git"), name);
}

GitParts git_parts(const Root& root, const NotableMap& notable, std::string_view home,
                   const GitBounds& bounds) {
    return Layout(root, notable, home, Layout::Seen::kAll, bounds).run();
}

void note_repository(const Root& root, const std::string& path, NotableMap& notable) {
    const PinnedDirectory directory(root, path);
    std::vector<NotableEntry> entries;
    note(directory, ".git", entries);
    if (!entries.empty() && entries.front().type == FileType::kDirectory) {
        const std::string dot_git = joined(path, ".git");
        const PinnedDirectory inside(root, dot_git);
        for (const std::string_view part : kParts) note(inside, part, notable[dot_git]);
    }
    if (!is_git_directory_name(leaf_of(path)) && directory.may_hold("HEAD")) {
        for (const std::string_view name : kRepositoryNames) note(directory, name, entries);
    }
    if (!entries.empty()) notable[path] = std::move(entries);
}

GitParts git_parts_above(const Root& root, std::string_view path, std::string_view home) {
    NotableMap notable;
    for (std::string_view at = path; !at.empty();) {
        at = parent_of(at);
        note_repository(root, std::string(at), notable);
    }
    return git_parts_noted(root, notable, home);
}

GitParts git_parts_noted(const Root& root, const NotableMap& notable, std::string_view home) {
    GitParts parts;
    if (!notable.empty()) parts = Layout(root, notable, home, Layout::Seen::kAbove).run();
    for (std::size_t i = 0, count = parts.all.size(); i < count; ++i) {
        if (parts.all[i].kind == GitPart::Kind::kPointer) continue;
        follow_part(root, notable, GitPart(parts.all[i]), parts.all);
    }
    return parts;
}

std::optional<std::string> led_inside(const Root& root, std::string_view from,
                                      std::string_view path) {
    if (path.empty()) return std::nullopt;
    fs::PathRules rules = fs::state_of(root).rules;
    rules.absolute = AbsolutePaths::kInside;
    rules.dotdot = DotDot::kNormalize;
    auto led = fs::parse_path(path.front() == '/' ? std::string(path) : joined(from, path), rules);
    if (!led) return std::nullopt;
    return std::move(led->text);
}

std::optional<std::string> pointer_target(std::string_view content, std::string_view name) {
    constexpr std::string_view kBegin = "gitdir: ";
    if (is_git_directory_name(name)) {
        if (!content.starts_with(kBegin)) return std::nullopt;
        content.remove_prefix(kBegin.size());
    }
    while (content.ends_with('\n') || content.ends_with('\r')) content.remove_suffix(1);
    if (content.empty()) return std::nullopt;
    return std::string(content);
}

}  // namespace paddock::search
