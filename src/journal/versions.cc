#include "journal/versions.h"

#include <algorithm>
#include <set>
#include <utility>

#include <paddock/limits.h>

#include "base/within.h"
#include "fs/rel_path.h"
#include "journal/place.h"
#include "sys/name.h"

namespace paddock::journal {
namespace {

using Versions = std::map<std::string, Version>;

// A tree that came or went as a whole: what was in it, too.
class TreeLister {
public:
    TreeLister(int workspace, Versions& versions) : model_(workspace), versions_(versions) {}

    void add_below(const std::string& path, const ModelNode& directory, ModelNode Version::*side) {
        if (directory.type != FileType::kDirectory || !directory.on_disk) return;
        if (path.size() > limits::kPathBytesMax) return;  // renames make trees of any depth
        const auto names = model_.names_in(*directory.on_disk, limits::kJournalNamesMax);
        if (!names) return;
        for (const std::string& name : *names) {
            if (versions_.size() >= limits::kJournalNamesMax) return;
            const ModelNode* child = model_.find(fs::joined(*directory.on_disk, name));
            if (child == nullptr) continue;
            const std::string below = fs::joined(path, name);
            Version version;
            version.*side = *child;
            if (versions_.emplace(below, version).second) add_below(below, *child, side);
        }
    }

private:
    TreeModel model_;
    Versions& versions_;
};

void list_trees(int workspace, Versions& versions) {
    std::set<Object> before;
    std::set<Object> after;
    for (const auto& [path, version] : versions) {
        if (version.before.presence == Presence::kPresent) before.insert(version.before.object);
        if (version.after.presence == Presence::kPresent) after.insert(version.after.object);
    }
    TreeLister lister(workspace, versions);
    const Versions listed = versions;
    for (const auto& [path, version] : listed) {
        // What is only elsewhere now was moved, and what is in it stays as it was.
        if (version.after.presence == Presence::kAbsent && !after.contains(version.before.object)) {
            lister.add_below(path, version.before, &Version::before);
        }
        // Only an undo brings a whole tree: others make one name after the other.
        const bool is_brought = version.before.presence == Presence::kAbsent &&
                                version.after.on_disk && is_journal_path(*version.after.on_disk);
        if (is_brought && !before.contains(version.after.object)) {
            lister.add_below(path, version.after, &Version::after);
        }
    }
}

}  // namespace

Outcome<Versions> versions_of(int workspace, const Timeline& timeline, const UndoTarget& target) {
    PADDOCK_ASSIGN(index, timeline.find_session(target.session));
    const auto is_meant = [&](const Entry& entry) {
        return entry.session == index && (!target.call || entry.record->call == *target.call);
    };
    const auto& entries = timeline.entries();
    auto left = std::count_if(entries.begin(), entries.end(), is_meant);
    Rewinder rewinder(workspace, timeline);
    for (auto entry = entries.rbegin(); entry != entries.rend() && left > 0; ++entry) {
        if (is_meant(*entry)) {
            rewinder.begin_comparing();
            --left;
        }
        rewinder.take_back(*entry, std::string(entry->record->path),
                           std::string(entry->record->other));
    }
    Versions versions = rewinder.compared();
    // The walk went back in time.
    for (auto& [path, version] : versions) std::swap(version.before, version.after);
    std::erase_if(versions,
                  [](const auto& each) { return each.second.before.is_like(each.second.after); });
    list_trees(workspace, versions);
    if (target.files.empty()) return versions;
    std::erase_if(versions, [&](const auto& each) {
        return std::none_of(target.files.begin(), target.files.end(),
                            [&](const auto& file) { return is_within(each.first, file); });
    });
    return versions;
}

Outcome<std::string> read_version(int workspace, const ModelNode& node, std::uint64_t bytes_max) {
    const bool has_content = node.type == FileType::kRegular || node.type == FileType::kSymlink;
    if (node.presence != Presence::kPresent || !node.on_disk || !has_content) return std::string();
    PADDOCK_ASSIGN(directory, open_directory(workspace, fs::parent_of(*node.on_disk)));
    const std::string name(fs::leaf_of(*node.on_disk));
    if (node.type == FileType::kSymlink) return sys::readlinkat(directory.get(), name.c_str());
    return read_own_file(directory.get(), name.c_str(), bytes_max);
}

}  // namespace paddock::journal
