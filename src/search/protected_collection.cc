#include "search/protected_collection.h"

#include <utility>

#include "base/within.h"
#include "fs/rel_path.h"
#include "search/git_layout.h"

namespace paddock::search {
namespace {

using fs::joined;
using fs::parent_of;
using policy::Access;
using policy::Decision;

// Entries of a directory in which links are looked for.
constexpr std::size_t kLinkedEntriesMax = 1000;

// What has gone meanwhile is none; what lies too deep to be named is one all the same. Where a
// pointer leads only a link is one: of a directory the parts are.
bool is_there(const ProtectedPath& entry, const Result<Stat>& stat) {
    if (!stat) return stat.error().code == Code::kInvalidPath;
    const bool is_led_to = entry.kind == ProtectedKind::kGitPointer && !entry.named_by.empty();
    return !is_led_to || stat->type == FileType::kSymlink;
}

// Names that rules know by wildcards only; the others differ in what "?" and "[!.]" match.
constexpr std::string_view kAnyName = "\x01";
constexpr std::string_view kOtherNames = ".\x01/\x01\x01";

// The path with `names` in place of the last one of the directory `at` above it.
std::string renamed(const std::string& path, std::string_view at, std::string_view names) {
    const std::string_view below = std::string_view(path).substr(at.size() + 1);
    if (names.empty()) return joined(parent_of(at), below);
    return joined(joined(parent_of(at), names), below);
}

bool is_led_to_hooks(const ProtectedPath& entry) {
    return entry.kind == ProtectedKind::kGitHooks && !entry.named_by.empty();
}

}  // namespace

void ProtectedCollection::add(std::string path, const Decision& decision, ProtectedKind kind,
                              std::string named_by) {
    ProtectedPath added;
    added.path = std::move(path);
    added.protection =
        decision.access == Access::kDeny ? Protection::kHidden : Protection::kReadOnly;
    added.kind = kind;
    added.rule = decision.pattern;
    added.named_by = std::move(named_by);
    add(std::move(added));
}

void ProtectedCollection::add(ProtectedPath added) {
    const auto [at, is_new] = found_.emplace(added.path, added);
    ProtectedPath& known = at->second;
    if (is_new) {
        unseen_.push_back(added.path);
        return;
    }
    if (known.kind == ProtectedKind::kNamed) known.kind = added.kind;
    if (added.protection == Protection::kHidden) known.protection = Protection::kHidden;
}

void ProtectedCollection::add_link(const std::string& path, std::string_view rule,
                                   std::string named_by) {
    if (!found_.contains(path)) on_the_way_.insert(path);
    ProtectedPath link;
    link.path = path;
    link.rule = rule;
    link.named_by = std::move(named_by);
    add(std::move(link));
}

std::vector<ProtectedPath> ProtectedCollection::take() {
    // Looking may find more.
    for (std::size_t i = 0; i < unseen_.size(); ++i) look(std::string(unseen_[i]));
    add_pins();
    std::vector<ProtectedPath> taken;
    for (const auto& [path, entry] : found_) {
        if (!is_covered(entry)) taken.push_back(entry);
    }
    return taken;
}

void ProtectedCollection::look(const std::string& path) {
    ProtectedPath& entry = found_.at(path);
    const auto stat = root_.lstat(path);
    if (stat) entry.stat = *stat;
    const bool leads_on =
        stat ? stat->type == FileType::kSymlink : stat.error().code == Code::kPathEscape;
    if (leads_on && !on_the_way_.contains(path)) follow(entry);
    const bool may_hold_links = ends_.contains(path) || is_led_to_hooks(entry);
    if (stat && stat->type == FileType::kDirectory && may_hold_links) follow_links_in(entry);
    if (!is_there(entry, stat)) found_.erase(path);
}

void ProtectedCollection::follow(const ProtectedPath& entry) {
    const LinkTrail trail = follow_links(root_, entry.path);
    std::string cause = entry.named_by.empty() ? standing_for(entry.path) : entry.named_by;
    for (const std::string& link : trail.links) {
        if (link == entry.path) continue;
        add_link(link, entry.rule, cause);
        cause = standing_for(link);
    }
    const bool is_pointer = entry.kind == ProtectedKind::kGitPointer;
    if (is_pointer || !trail.end || is_within(entry.path, *trail.end)) return;
    const Decision own = rules_.decide(*trail.end);
    if (own.by_operator && own.access == Access::kAllow) return;
    ProtectedPath led = entry;
    led.path = *trail.end;
    led.named_by = cause;
    ends_.emplace(led.path, entry.path);
    add(std::move(led));
}

void ProtectedCollection::follow_links_in(const ProtectedPath& directory) {
    const auto listing = root_.list(directory.path, kLinkedEntriesMax);
    if (!listing) return;
    ProtectedPath link;
    link.rule = directory.rule;
    link.protection = directory.protection;
    link.named_by = directory.named_by;
    for (const ListEntry& entry : listing->entries) {
        if (entry.type != FileType::kSymlink || is_sample_hook(entry.name)) continue;
        link.path = joined(directory.path, entry.name);
        follow(link);
    }
}

// What is judged when the path is: the topmost directory that is protected with it, or itself.
std::string ProtectedCollection::standing_for(const std::string& path) const {
    std::string topmost = path;
    for (std::string_view at = parent_of(path); !at.empty(); at = parent_of(at)) {
        if (found_.contains(std::string(at))) topmost = at;
    }
    return topmost;
}

// Directories whose name makes a rule match or a link lead to its end; not those that the link is
// in itself, which take both along. Nothing is renamed out of a pinned directory, so names above
// are the ones to keep: from below, each is given up that the path stays protected without, then
// the next one without that.
void ProtectedCollection::add_pins() {
    std::map<std::string, ProtectedPath> pins;
    for (const auto& [path, of] : found_) {
        const auto end = ends_.find(path);
        std::string without = path;  // the names that were given up; those up to `at` are intact
        for (std::string_view at = parent_of(path); !at.empty(); at = parent_of(at)) {
            const std::string directory(at);
            if (found_.contains(directory) || pins.contains(directory)) continue;
            const bool is_led = end != ends_.end() && !is_within(end->second, at);
            if (!is_led && !depends_on_name(path, without, at)) {
                without = renamed(without, at, kAnyName);
                continue;
            }
            const auto stat = root_.lstat(directory);
            if (!stat) continue;
            ProtectedPath pin;
            pin.path = directory;
            pin.protection = Protection::kPinned;
            pin.stat = *stat;
            pin.rule = of.rule;
            pins.emplace(directory, std::move(pin));
        }
    }
    found_.merge(pins);
}

// Would the path, as `without` has it, be less protected if the directory `at` above it were called
// otherwise, or lay a level higher or deeper?
bool ProtectedCollection::depends_on_name(const std::string& path, const std::string& without,
                                          std::string_view at) const {
    const Access access = rules_.decide(path).access;
    if (access == Access::kAllow) return false;
    const auto loses = [&](std::string_view names) {
        return rules_.decide(renamed(without, at, names)).access < access;
    };
    return loses(kAnyName) || loses({}) || loses(kOtherNames);
}

bool ProtectedCollection::is_covered(const ProtectedPath& entry) const {
    for (std::string_view at = parent_of(entry.path); !at.empty(); at = parent_of(at)) {
        const auto above = found_.find(std::string(at));
        if (above == found_.end() || above->second.protection == Protection::kPinned) continue;
        if (above->second.protection == Protection::kHidden) return true;
        if (entry.protection != Protection::kHidden) return true;
    }
    return false;
}

}  // namespace paddock::search
