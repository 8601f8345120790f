#include "tools/known_paths.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>

#include <paddock/limits.h>

#include "fs/rel_path.h"
#include "sys/stat.h"
#include "tools/judged_object.h"

namespace paddock::tools {
namespace {

using search::ProtectedKind;
using search::ProtectedPath;
using search::Protection;

// The kernel binds neither links nor what lies too deep to be named.
bool can_be_bound(const ProtectedPath& entry) {
    return entry.stat.type != FileType::kSymlink && entry.stat.type != FileType::kUnknown;
}

// The kernel keeps commands from this very object, and in this way.
bool is_still_bound(const KnownPath& known, const ProtectedPath& entry) {
    return known.bound && is_same_object(known.at.stat, entry.stat) &&
           known.at.protection == entry.protection;
}

// By what a path is known elsewhere. What is held is an object, whatever is done to it; of others a
// rename above leaves the time of change alone.
using Likeness =
    std::tuple<ObjectKey, bool, ProtectedKind, Protection, std::chrono::nanoseconds, std::uint64_t>;

Likeness likeness_of_held(const ProtectedPath& entry) {
    return {key_of(entry.stat), true, ProtectedKind::kNamed, Protection::kReadOnly, {}, 0};
}

Likeness likeness_of(const ProtectedPath& entry) {
    const Stat& stat = entry.stat;
    return {key_of(stat), false, entry.kind, entry.protection, stat.changed, stat.size};
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
    if (entry.kind == ProtectedKind::kGitConfig && can_be_bound(entry)) {
        keep_config(known);
    } else if (!kernel_holds_ || entry.kind == ProtectedKind::kGitHooks || !can_be_bound(entry)) {
        known.kept = KeptTree::of(root_, entry.path, bytes_left_);
    }
    return known;
}

void KnownPaths::keep_config(KnownPath& known) {
    auto content = root_.read_file(known.at.path, limits::kGitConfigBytesMax);
    if (!content || content->size() > config_bytes_left_) return;
    config_bytes_left_ -= content->size();
    known.config = std::move(*content);
}

bool KnownPaths::is_doubted(const Stat& stat) const {
    const auto doubted = doubted_.find(key_of(stat));
    return doubted != doubted_.end() && is_same_object(doubted->second, stat);
}

void KnownPaths::trust(const List& list, Trust trust) {
    bytes_left_ = kernel_holds_ ? 0 : limits::kGuardKeptBytesMax;
    set_unseen_aside(list);
    // What is kept already comes first: nothing that commands made takes the owner's place.
    std::size_t kept = 0;
    for (const auto& [path, known] : known_) kept += known.config ? known.config->size() : 0;
    config_bytes_left_ = limits::kGitConfigsKeptBytesMax;
    config_bytes_left_ -= std::min(config_bytes_left_, kept);
    std::map<std::string, KnownPath> now;
    for (const ProtectedPath& entry : list) {
        KnownPath* old = find(entry.path);
        if (is_doubted(entry.stat)) {
            if (old != nullptr) now.emplace(entry.path, std::move(*old));
            continue;
        }
        const bool bound = old != nullptr && is_still_bound(*old, entry);
        const bool as_it_was = bound && !old->judged && is_unchanged(old->at.stat, entry.stat);
        if (!as_it_was && old != nullptr && old->config) {
            config_bytes_left_ += old->config->size();
            old->config.reset();
        }
        KnownPath known = as_it_was ? std::move(*old) : trusted(entry);
        known.at = entry;
        known.bound = bound;
        known.may_be_planted = trust == Trust::kBesideOthers;
        now.emplace(entry.path, std::move(known));
    }
    known_ = std::move(now);
    hold_all();
}

// A command may have moved it to where no rule restricts it, and another may move it back.
void KnownPaths::set_unseen_aside(const List& list) {
    std::set<ObjectKey> seen;
    for (const ProtectedPath& entry : list) seen.insert(key_of(entry.stat));
    const auto is_seen = [&](const KnownPath& known) {
        return seen.contains(key_of(known.at.stat));
    };
    std::erase_if(away_, [&](const auto& each) { return seen.contains(each.first); });
    for (auto at = known_.begin(); at != known_.end();) {
        const auto next = std::next(at);
        const bool is_unseen = holds(at->second.at.stat) && !is_seen(at->second);
        if (is_unseen) set_aside(known_.extract(at));
        at = next;
    }
}

void KnownPaths::set_aside(Known::node_type node) {
    const ObjectKey key = key_of(node.mapped().at.stat);
    away_.emplace(key, std::move(node));
}

void KnownPaths::hold_all() {
    List held;
    for (const auto& [path, known] : known_) {
        if (known.bound) held.push_back(known.at);
    }
    for (const auto& [key, node] : away_) held.push_back(node.mapped().at);
    held_.assign(held);
}

bool KnownPaths::holds(const Stat& stat) const {
    const auto held = held_.find(stat);
    if (!held) return false;
    return held->kind != ProtectedKind::kGitConfig || is_unchanged(held->stat, stat);
}

void KnownPaths::update(KnownPath& known, const ProtectedPath& entry) {
    known.bound = is_still_bound(known, entry);
    known.at = entry;
}

void KnownPaths::accept(const ProtectedPath& entry, std::string config) {
    const auto [found, is_new] = known_.try_emplace(entry.path);
    KnownPath& known = found->second;
    known.bound = is_still_bound(known, entry);
    known.made_inside = known.made_inside || is_new;
    known.judged = true;
    known.at = entry;
    if (known.config) known.config = std::move(config);
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
        if (!known.made_inside && !known.judged) held_.add(known.at);
        fresh.push_back(known.at);
    }
    return fresh;
}

void KnownPaths::unbind(const List& list) {
    for (const ProtectedPath& entry : list) {
        held_.remove(entry.stat);
        KnownPath* known = find(entry.path);
        if (known != nullptr && is_same_object(known->at.stat, entry.stat)) known->bound = false;
    }
    // Under another name it may be.
    for (const auto& [path, known] : known_) {
        if (known.bound && !known.made_inside && !known.judged) held_.add(known.at);
    }
}

// Those of gone_ and away_ that are in the list, under their new paths.
std::vector<KnownPaths::Known::node_type> KnownPaths::take_moved(const List& list) {
    std::vector<Known::node_type> moved;
    const auto arrive = [&](Known::node_type node, const ProtectedPath& entry) {
        node.key() = entry.path;
        node.mapped().kept.move_to(entry.path);
        update(node.mapped(), entry);
        moved.push_back(std::move(node));
    };
    std::multimap<Likeness, std::string> gone;
    for (const std::string& path : gone_) {
        const ProtectedPath& was = known_.at(path).at;
        gone.emplace(holds(was.stat) ? likeness_of_held(was) : likeness_of(was), path);
    }
    for (const ProtectedPath& entry : list) {
        const KnownPath* here = find(entry.path);
        if (here != nullptr && is_same_object(here->at.stat, entry.stat)) continue;
        const auto away = away_.find(key_of(entry.stat));
        if (away != away_.end() && is_same_object(away->second.mapped().at.stat, entry.stat)) {
            arrive(std::move(away->second), entry);
            away_.erase(away);
            continue;
        }
        auto was = gone.find(likeness_of_held(entry));
        if (was == gone.end()) was = gone.find(likeness_of(entry));
        if (was == gone.end()) continue;
        if (!is_same_object(known_.at(was->second).at.stat, entry.stat)) continue;
        arrive(known_.extract(was->second), entry);
        gone_.erase(was->second);
        gone.erase(was);
    }
    return moved;
}

// Held, with another object in its place that a command put there by renaming a directory.
bool KnownPaths::is_away(const KnownPath& known, const List& list) const {
    if (!holds(known.at.stat)) return false;
    const auto in_its_place = std::lower_bound(
        list.begin(), list.end(), known.at.path,
        [](const ProtectedPath& entry, const std::string& path) { return entry.path < path; });
    return in_its_place != list.end() && in_its_place->path == known.at.path &&
           !was_replaced_outside(known, in_its_place->stat);
}

void KnownPaths::follow(const List& list) {
    gone_.clear();
    doubted_.clear();
    for (const auto& [path, known] : known_) gone_.insert(path);
    for (const ProtectedPath& entry : list) {
        const KnownPath* known = find(entry.path);
        if (known != nullptr && is_same_object(known->at.stat, entry.stat)) {
            gone_.erase(entry.path);
        }
    }
    const auto lose = [&](const std::string& path) {
        auto node = known_.extract(path);
        gone_.erase(path);
        if (!node.empty() && holds(node.mapped().at.stat)) set_aside(std::move(node));
    };
    for (Known::node_type& node : take_moved(list)) {
        lose(std::string(node.key()));
        known_.insert(std::move(node));
    }
    const std::set<std::string> gone = gone_;
    for (const std::string& path : gone) {
        if (is_away(known_.at(path), list)) lose(path);
    }
}

bool KnownPaths::was_replaced_outside(const KnownPath& known, const Stat& by) const {
    if (!known.bound) return false;
    const std::string& path = known.at.path;
    const std::string parent(fs::parent_of(path));
    if (parent.empty()) return true;
    // In one directory, which commands could exchange otherwise.
    const auto directory = root_.open_directory(parent);
    if (!directory) return false;
    const auto node = sys::node(directory->fd());
    if (!node || !is_same_object(node->stat, known.parent)) return false;
    const auto there = sys::node_at(directory->fd(), std::string(fs::leaf_of(path)).c_str());
    return there && is_same_object(there->stat, by);
}

bool KnownPaths::restore(const KnownPath& known) const {
    const std::string& path = known.at.path;
    const std::string parent(fs::parent_of(path));
    const auto directory = root_.lstat(parent.empty() ? "." : parent);
    if (!directory || directory->type != FileType::kDirectory) return false;
    if (known.at.kind != ProtectedKind::kGitConfig || !can_be_bound(known.at)) {
        return known.kept.restore_all(root_);
    }
    if (!known.config) return false;
    WriteOptions options;
    options.must_create = true;
    options.mode = known.at.stat.mode & 0777U;
    return root_.write_file(path, *known.config, options).has_value();
}

}  // namespace paddock::tools
