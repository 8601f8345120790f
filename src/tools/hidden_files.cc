#include "tools/hidden_files.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <paddock/limits.h>

#include "base/text.h"
#include "fs/readable.h"
#include "fs/rel_path.h"
#include "git/judge.h"
#include "git/settings_paths.h"
#include "search/entries.h"
#include "secrets/known_values.h"
#include "sys/files.h"

namespace paddock::tools {
namespace {

// Paths of hidden files that are remembered, to name one of which a command was denied a read.
constexpr std::size_t kHiddenPathsMax = 10'000;

using sandbox::Shield;
using search::Interest;

// By these entries of their directories repositories are found.
constexpr std::string_view kRepository = ".git";
constexpr std::string_view kBareRepository = "HEAD";

// A path can only be covered if it can be named, with that of the workspace before it. What lies
// deeper is covered with a directory above it.
constexpr std::size_t kCoveredPathMax = limits::kPathBytesMax / 2;

std::string_view covering(std::string_view path) {
    if (path.size() <= kCoveredPathMax) return path;
    return path.substr(0, path.rfind('/', kCoveredPathMax));
}

search::Chooser chooser_of(const policy::PathRules& rules) {
    return [&rules](std::string_view path, std::string_view name, FileType type) {
        if (git::is_any_journal(path)) return Interest{.take = true};
        if (rules.decide(path).access == PathAccess::kDeny) return Interest{.take = true};
        if (type == FileType::kSocket) return Interest{.take = true};
        return Interest{.take = leads_to_repository(name),
                        .enter = type == FileType::kDirectory && !git::is_object_store(path)};
    };
}

}  // namespace

bool leads_to_repository(std::string_view name) {
    return name == kRepository || name == kBareRepository;
}

std::vector<std::string> repositories_among(const std::vector<search::FoundEntry>& entries) {
    std::vector<std::string> directories;
    for (const search::FoundEntry& entry : entries) {
        const std::string_view name = fs::leaf_of(entry.path);
        const std::string_view directory = fs::parent_of(entry.path);
        const bool is_bare = name == kBareRepository && fs::leaf_of(directory) != kRepository;
        if (is_bare || name == kRepository) directories.emplace_back(directory);
    }
    return directories;
}

HiddenFiles::HiddenFiles(const Root& root, std::string base, Root workspace,
                         const policy::PathRules& rules, std::string home,
                         const BySession& by_session, const secrets::SecretScanner* scanner)
    : root_(root),
      base_(std::move(base)),
      workspace_(std::move(workspace)),
      rules_(rules),
      home_(std::move(home)),
      is_own_(by_session.made),
      secrets_(root.linkless(), by_session.written),
      scanner_(scanner) {}

HiddenFiles::Key HiddenFiles::key_of(const Stat& stat) {
    return {stat.identity.device, stat.identity.inode, stat.created.count()};
}

bool HiddenFiles::is_secret(const std::string& path, const Stat& stat) {
    return secrets_.is_secret(path, stat);
}

bool HiddenFiles::holds(const Handle& file) const {
    const std::shared_lock lock(mutex_);
    const Identity& identity = file.stat().identity;
    const auto at = found_.lower_bound({identity.device, identity.inode, 0});
    if (at == found_.end() || std::get<1>(at->first) != identity.inode) return false;
    // With its birth: the number alone may be that of another file by now.
    const auto node = sys::node(file.fd());
    return node && found_.contains(key_of(node->stat));
}

bool HiddenFiles::is_hidden(const std::string& path, const Stat& stat) {
    const auto decision = rules_.decide(path);
    if (decision.by_operator && decision.access == PathAccess::kDeny) return true;
    if (is_own_(stat)) return false;
    if (decision.access != PathAccess::kDeny) return stat.type == FileType::kSocket;
    return secrets_.is_secret(fs::joined(base_, path), stat);
}

// Relative to the workspace; nothing if that is outside, or would cover the link itself.
std::optional<std::string> HiddenFiles::end_of_link(const std::string& path) const {
    const auto target = root_.resolve(fs::joined(base_, path));
    if (!target || !target->exists || target->path == "." || !is_within(target->path, base_)) {
        return std::nullopt;
    }
    std::string end = base_.empty() ? target->path : target->path.substr(base_.size());
    if (end.starts_with('/')) end.erase(0, 1);
    if (end.empty() || is_within(path, end)) return std::nullopt;
    return end;
}

Outcome<std::vector<sandbox::Protection>> HiddenFiles::find(const std::stop_token& cancel) {
    const auto searched = search::find_entries(workspace_, chooser_of(rules_), cancel);
    if (searched && !searched->is_cut) look_at_repositories(searched->all);
    end_search();
    PADDOCK_ASSIGN(entries, searched);
    std::vector<sandbox::Protection> hidden;
    for (const search::FoundEntry& entry : entries.all) {
        const auto stat = workspace_.lstat(entry.path);
        if (!stat) continue;
        if (git::is_any_journal(entry.path)) {
            if (stat->type == FileType::kDirectory) hide(entry.path, Shield::kEmptied, hidden);
        } else if (!is_hidden(entry.path, *stat)) {
            continue;
        } else if (stat->type != FileType::kSymlink) {
            hide(entry.path, Shield::kHidden, hidden, entry.path);
            learn_values(entry.path);
        } else if (const auto end = end_of_link(entry.path)) {
            // A link cannot be covered; what it leads to can.
            hide(*end, Shield::kHidden, hidden, entry.path);
            learn_values(*end);
        }
    }
    for (const std::string& path : entries.unreadable) {
        const std::string_view whole = covering(path);
        const auto stat = workspace_.lstat(whole);
        if (!stat || stat->type != FileType::kDirectory || is_own_(*stat)) continue;
        hide(whole, Shield::kHidden, hidden);
    }
    // What lies below something that is covered cannot be covered any more.
    std::stable_sort(hidden.begin(), hidden.end(), [](const auto& one, const auto& other) {
        return one.path.size() > other.path.size();
    });
    return hidden;
}

// A file is read again when it has changed. What was learned stays: it may stand elsewhere.
void HiddenFiles::learn_values(const std::string& path) {
    if (scanner_ == nullptr) return;
    const auto file = workspace_.open_file(path);
    if (!file || file->stat().size > limits::kDeniedFileBytesMax) return;
    const Stat& stat = file->stat();
    const std::pair version{stat.changed, stat.size};
    const auto known = learned_.find(key_of(stat));
    if (known != learned_.end() && known->second == version) return;
    if (known == learned_.end() && learned_.size() >= limits::kDeniedFilesMax) return;
    learned_[key_of(stat)] = version;
    const auto text = fs::read_content(file->fd(), stat.size, limits::kDeniedFileBytesMax);
    if (text) scanner_->learn(secrets::denied_values(*text));
}

// Whoever reads a report wants to know of a few; nobody has the memory of all.
void HiddenFiles::keep_path(Found& found, std::string_view path) {
    if (paths_kept_ >= kHiddenPathsMax) return;
    if (rules_.decide(path).access != PathAccess::kDeny) return;
    if (found.ruled_paths.emplace(path).second) ++paths_kept_;
}

void HiddenFiles::hide(std::string_view path, Shield shield,
                       std::vector<sandbox::Protection>& hidden, std::string_view ruled_path) {
    path = covering(path);
    const auto stat = workspace_.lstat(path);
    if (!stat) return;
    const bool is_below = is_below_hidden(path);
    const std::lock_guard lock(mutex_);
    Found& found = found_[key_of(*stat)];
    if (!ruled_path.empty()) keep_path(found, ruled_path);
    if (found.is_covered || is_below) return;
    // The search does not enter what is only emptied.
    const bool is_entered = shield == Shield::kHidden && stat->type == FileType::kDirectory;
    hides_directories_ = hides_directories_ || is_entered;
    const auto is_same = [&](const sandbox::Protection& each) { return each.path == path; };
    if (std::any_of(hidden.begin(), hidden.end(), is_same)) return;
    hidden.push_back({std::string(path), shield, stat->identity});
}

// The search sees through what is covered.
bool HiddenFiles::is_below_hidden(std::string_view path) const {
    const std::shared_lock lock(mutex_);
    if (!hides_directories_) return false;
    for (path = fs::parent_of(path); !path.empty(); path = fs::parent_of(path)) {
        const auto above = workspace_.lstat(path);
        const auto known = above ? found_.find(key_of(*above)) : found_.end();
        if (known != found_.end() && known->second.is_covered) return true;
    }
    return false;
}

void HiddenFiles::look_at_repositories(const std::vector<search::FoundEntry>& entries) {
    if (!rules_.has_defaults()) return;
    std::vector<std::string> directories = repositories_among(entries);
    for (std::string& each : directories) each = fs::joined(base_, each);
    auto leading = std::make_shared<const git::Repositories>(
        git::leading_repositories(root_.linkless(), directories, home_));
    const std::lock_guard lock(mutex_);
    repositories_ = std::move(leading);
}

void HiddenFiles::expect_search() {
    const std::lock_guard lock(mutex_);
    is_expected_ = true;
}

void HiddenFiles::end_search() {
    const std::lock_guard lock(mutex_);
    is_expected_ = false;
    searched_.notify_all();
}

void HiddenFiles::wait_for_search() const {
    std::shared_lock lock(mutex_);
    searched_.wait(lock, [this] { return !is_expected_; });
}

std::shared_ptr<const git::Repositories> HiddenFiles::repositories() const {
    wait_for_search();
    const std::shared_lock lock(mutex_);
    return repositories_;
}

std::vector<std::string> HiddenFiles::repository_directories() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::string> directories;
    for (const git::LeadingRepository& each : *repositories_) {
        std::string_view directory = each.directory;
        directory.remove_prefix(std::min(directory.size(), base_.empty() ? 0 : base_.size() + 1));
        directories.emplace_back(directory);
    }
    return directories;
}

void HiddenFiles::set_covered() {
    const std::lock_guard lock(mutex_);
    for (auto& [key, found] : found_) found.is_covered = true;
}

// Somebody outside may have moved it, or put another file there.
bool HiddenFiles::is_still(const Key& key, const std::string& path) const {
    auto stat = workspace_.lstat(path);
    if (stat && stat->type == FileType::kSymlink) {
        const auto end = end_of_link(path);
        if (!end) return false;
        stat = workspace_.lstat(*end);
    }
    return stat && key_of(*stat) == key;
}

std::vector<HiddenFiles::Ruled> HiddenFiles::covered_by_rule(
    const std::function<bool(std::string_view path)>& fits) const {
    std::vector<std::pair<Key, Ruled>> fitting;
    {
        const std::shared_lock lock(mutex_);
        for (const auto& [key, found] : found_) {
            if (!found.is_covered) continue;
            for (const std::string& path : found.ruled_paths) {
                if (!fits(path)) continue;
                fitting.push_back({key, {path, {}, found.ruled_paths.size() > 1}});
            }
        }
    }
    std::vector<Ruled> covered;
    for (auto& [key, file] : fitting) {
        if (!is_still(key, file.path)) continue;
        file.rule = rules_.decide(file.path).pattern;
        covered.push_back(std::move(file));
    }
    return covered;
}

namespace {

search::Interest everything(std::string_view, std::string_view, FileType type) {
    return {.take = true, .enter = type == FileType::kDirectory};
}

}  // namespace

SealedWatch::SealedWatch(Root workspace, const policy::PathRules& rules, const std::string& home)
    : workspace_(std::move(workspace)),
      rules_(rules),
      sealed_(git::paths_obeyed_in(workspace_, {}, home).all) {}

bool SealedWatch::is_sealed(const std::string& path) const {
    if (rules_.decide(path).access == PathAccess::kReadOnly) return true;
    if (std::find(sealed_.begin(), sealed_.end(), path) != sealed_.end()) return true;
    return git::is_obeyed_name(fs::leaf_of(path)) &&
           git::is_git_directory(workspace_, fs::parent_of(path));
}

Outcome<SealedWatch::Found> SealedWatch::find() const {
    const auto choose = [this](std::string_view path, std::string_view name, FileType type) {
        if (git::is_any_journal(path)) return search::Interest{.take = true};
        const auto access = rules_.decide(path).access;
        const bool is_named = access == PathAccess::kReadOnly || git::is_obeyed_name(name) ||
                              std::find(sealed_.begin(), sealed_.end(), path) != sealed_.end();
        return search::Interest{
            .take = is_named,
            .enter = type == FileType::kDirectory && access == PathAccess::kAllow};
    };
    PADDOCK_ASSIGN(entries, search::find_entries(workspace_, choose));
    Found found;
    const auto add = [&](const std::string& path) {
        auto stat = workspace_.lstat(path);
        if (!stat) return;
        if (stat->type == FileType::kDirectory) stat->changed = {};  // its entries are looked at
        found.emplace(path, *stat);
    };
    for (const search::FoundEntry& entry : entries.all) {
        const bool is_journal = git::is_any_journal(entry.path);
        if (!is_journal && !is_sealed(entry.path)) continue;
        add(entry.path);
        if (is_journal || entry.type != FileType::kDirectory) continue;
        const auto directory = workspace_.sub_root(entry.path);
        if (!directory) continue;  // it is closed or gone
        PADDOCK_ASSIGN(below, search::find_entries(*directory, everything));
        for (const search::FoundEntry& each : below.all) add(entry.path + '/' + each.path);
    }
    return found;
}

Outcome<std::vector<sandbox::Protection>> SealedWatch::before() {
    PADDOCK_ASSIGN(found, find());
    std::vector<sandbox::Protection> shields;
    for (const auto& [path, stat] : found) {
        if (stat.type == FileType::kSymlink) continue;  // cannot be bound
        if (found.contains(std::string(fs::parent_of(path)))) continue;
        const bool is_journal = git::is_any_journal(path) && stat.type == FileType::kDirectory;
        shields.push_back({path, is_journal ? Shield::kEmptied : Shield::kReadOnly, stat.identity});
    }
    // Only the first time: after() then also reports what was made between two commands.
    if (!known_) known_ = std::move(found);
    return shields;
}

Outcome<std::vector<std::string>> SealedWatch::after() {
    PADDOCK_ASSIGN(found, find());
    std::vector<std::string> news;
    if (!known_) known_.emplace();
    for (const auto& [path, stat] : found) {
        const auto known = known_->find(path);
        const bool is_same = known != known_->end() && known->second.identity == stat.identity &&
                             known->second.changed == stat.changed;
        const bool is_below_news = !news.empty() && is_within(path, news.back());
        if (!is_same && !is_below_news) news.push_back(path);
    }
    known_ = std::move(found);
    return news;
}

}  // namespace paddock::tools
