#include "tools/known_paths.h"

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "fs/rel_path.h"

namespace paddock::tools {
namespace {

using search::ProtectedKind;
using search::ProtectedPath;
using search::Protection;

// The kernel binds neither links nor what lies too deep to be named.
bool can_be_bound(const ProtectedPath& entry) {
    return entry.stat.type != FileType::kSymlink && entry.stat.type != FileType::kUnknown;
}

}  // namespace

bool is_unchanged(const Stat& before, const Stat& now) {
    return is_same_object(before, now) && before.changed == now.changed && before.size == now.size;
}

KnownPath KnownPaths::trusted(const ProtectedPath& entry) {
    KnownPath known{entry};
    const std::string parent(fs::parent_of(entry.path));
    if (const auto stat = root_.lstat(parent.empty() ? "." : parent)) known.parent = *stat;
    if (entry.protection == Protection::kPinned) return known;
    if (entry.kind == ProtectedKind::kGitConfig) {
        const auto content = root_.read_file(entry.path, limits::kGitConfigBytesMax);
        auto settings = policy::parse_git_config(content ? *content : std::string());
        if (settings) known.settings = std::move(*settings);
    } else if (!kernel_holds_ || entry.kind == ProtectedKind::kGitHooks || !can_be_bound(entry)) {
        known.kept = KeptTree::of(root_, entry.path, bytes_left_);
    }
    return known;
}

void KnownPaths::trust(const List& list) {
    bytes_left_ = kernel_holds_ ? 0 : limits::kGuardKeptBytesMax;
    std::map<std::string, KnownPath> now;
    for (const ProtectedPath& entry : list) {
        KnownPath* old = find(entry.path);
        const bool bound = old != nullptr && old->bound &&
                           is_same_object(old->at.stat, entry.stat) &&
                           old->at.protection == entry.protection;
        const bool as_it_was = bound && !old->judged && is_unchanged(old->at.stat, entry.stat);
        KnownPath known = as_it_was ? std::move(*old) : trusted(entry);
        known.at = entry;
        known.bound = bound;
        now.emplace(entry.path, std::move(known));
    }
    known_ = std::move(now);
}

void KnownPaths::accept(const ProtectedPath& entry, std::vector<policy::GitSetting> settings) {
    const auto [found, is_new] = known_.try_emplace(entry.path);
    KnownPath& known = found->second;
    known.bound = known.bound && is_same_object(known.at.stat, entry.stat);
    known.made_inside = known.made_inside || is_new;
    known.judged = true;
    known.at = entry;
    known.settings = std::move(settings);
}

KnownPath* KnownPaths::find(const std::string& path) {
    const auto found = known_.find(path);
    return found == known_.end() ? nullptr : &found->second;
}

KnownPaths::List KnownPaths::bind() {
    List fresh;
    if (!kernel_holds_) return fresh;
    for (auto& [path, known] : known_) {
        if (known.bound || !can_be_bound(known.at)) continue;
        known.bound = true;
        fresh.push_back(known.at);
    }
    return fresh;
}

void KnownPaths::follow(const List& list) {
    gone_.clear();
    for (const auto& [path, known] : known_) gone_.insert(path);
    for (const ProtectedPath& entry : list) {
        const KnownPath* known = find(entry.path);
        const bool there = known != nullptr && is_same_object(known->at.stat, entry.stat);
        if (there) gone_.erase(entry.path);
    }
    for (const ProtectedPath& entry : list) {
        // A rename above leaves the time of change of what is below alone.
        const auto was = std::find_if(gone_.begin(), gone_.end(), [&](const std::string& path) {
            const ProtectedPath& at = known_.at(path).at;
            return at.kind == entry.kind && at.protection == entry.protection &&
                   is_unchanged(at.stat, entry.stat);
        });
        if (was == gone_.end()) continue;
        auto moved = known_.extract(*was);
        gone_.erase(was);
        forget(entry.path);
        gone_.erase(entry.path);
        moved.key() = entry.path;
        KnownPath& here = known_.insert(std::move(moved)).position->second;
        here.kept.move_to(entry.path);
        here.at = entry;
    }
}

bool KnownPaths::was_replaced_outside(const KnownPath& known) const {
    if (!known.bound) return false;
    const std::string parent(fs::parent_of(known.at.path));
    if (parent.empty()) return true;
    const auto now = root_.lstat(parent);
    return now && is_same_object(*now, known.parent);
}

bool KnownPaths::restore(const KnownPath& known) const {
    const std::string& path = known.at.path;
    const std::string parent(fs::parent_of(path));
    const auto directory = root_.lstat(parent.empty() ? "." : parent);
    if (!directory || directory->type != FileType::kDirectory) return false;
    if (known.at.kind != ProtectedKind::kGitConfig) return known.kept.restore_all(root_);
    WriteOptions options;
    options.must_create = true;
    options.mode = known.at.stat.mode & 0777U;
    return root_.write_file(path, policy::print_git_config(known.settings), options).has_value();
}

}  // namespace paddock::tools
