#include "tools/hidden_files.h"

#include <mutex>
#include <utility>

#include "base/within.h"
#include "fs/rel_path.h"
#include "journal/journal.h"
#include "search/entries.h"
#include "sys/stat.h"

namespace paddock::tools {
namespace {

using search::Interest;

// Hashes for names: no rule is about them, and there are many.
bool is_object_store(std::string_view path) {
    return path.ends_with(".git/objects") && (path.size() == 12 || path[path.size() - 13] == '/');
}

search::Chooser chooser_of(const policy::PathRules& rules) {
    return [&rules](std::string_view path, std::string_view, FileType type) {
        if (journal::is_journal_path(path)) return Interest{};
        if (rules.decide(path).access == PathAccess::kDeny) return Interest{.take = true};
        if (type == FileType::kSocket) return Interest{.take = true};
        return Interest{.enter = type == FileType::kDirectory && !is_object_store(path)};
    };
}

}  // namespace

HiddenFiles::HiddenFiles(const Root& root, std::string base, Root workspace,
                         const policy::PathRules& rules, IsOwn is_own)
    : root_(root),
      base_(std::move(base)),
      workspace_(std::move(workspace)),
      rules_(rules),
      is_own_(std::move(is_own)),
      secrets_(root.linkless()) {}

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
    PADDOCK_ASSIGN(entries, search::find_entries(workspace_, chooser_of(rules_), cancel));
    std::vector<sandbox::Protection> hidden;
    for (const search::FoundEntry& entry : entries.all) {
        std::string path = entry.path;
        auto stat = workspace_.lstat(path);
        if (!stat || !is_hidden(path, *stat)) continue;
        // A link cannot be covered; what it leads to can.
        if (stat->type == FileType::kSymlink) {
            const auto end = end_of_link(path);
            if (!end) continue;
            path = *end;
            stat = workspace_.lstat(path);
            if (!stat) continue;
        }
        const std::lock_guard lock(mutex_);
        if (found_.try_emplace(key_of(*stat), false).first->second) continue;
        hidden.push_back({path, sandbox::Shield::kHidden, stat->identity});
    }
    return hidden;
}

void HiddenFiles::set_covered() {
    const std::lock_guard lock(mutex_);
    for (auto& [key, is_covered] : found_) is_covered = true;
}

}  // namespace paddock::tools
