#include "journal/history.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <paddock/limits.h>

#include "base/text.h"
#include "fs/rel_path.h"
#include "journal/place.h"
#include "sys/files.h"

namespace paddock::journal {
namespace {

using What = NameChange::What;
using Entries = std::vector<Entry>;

Time time_of(const Record& record) { return Time(std::chrono::nanoseconds(record.time)); }

// The names of one call: what each was at first, and what it is in the end.
class CallNames {
public:
    void add(const Entry& entry) {
        const Record& record = *entry.record;
        switch (record.verb) {
            case Verb::kMake: return appear(record.path, entry.object);
            case Verb::kLink: return appear(record.other, entry.object);
            case Verb::kRename:
                disappear(record.path, entry.object);
                return appear(record.other, entry.object);
            case Verb::kExchange:
                change(record.path, entry.object).now = record.second;
                change(record.other, record.second).now = entry.object;
                return;
            case Verb::kReplace:
            case Verb::kRemove: return disappear(record.path, entry.object);
            case Verb::kWrite:
            case Verb::kChmod: change(record.path, entry.object); return;
            default: return;
        }
    }

    std::vector<NameChange> changes() const {
        std::vector<NameChange> found;
        std::map<Object, const std::string*> gone;
        for (const auto& [path, name] : names_) {
            if (name.existed && !name.exists) gone.emplace(name.first, &path);
        }
        std::map<std::string_view, bool> moved;
        for (const auto& [path, name] : names_) {
            if (!name.exists) continue;
            const auto source = gone.find(name.now);
            if (!name.existed && source != gone.end() && !moved[*source->second]) {
                moved[*source->second] = true;
                found.push_back({What::kMoved, path, *source->second});
            } else {
                found.push_back({name.existed ? What::kChanged : What::kMade, path});
            }
        }
        for (const auto& [path, name] : names_) {
            if (name.existed && !name.exists && !moved.contains(path)) {
                found.push_back({What::kRemoved, path});
            }
        }
        std::sort(found.begin(), found.end(),
                  [](const NameChange& a, const NameChange& b) { return a.path < b.path; });
        return found;
    }

private:
    struct Named {
        bool existed = false;
        bool exists = false;
        Object first = {};
        Object now = {};
    };

    // A name of the journal belongs to an undo, and is nothing to people.
    Named& touch(std::string_view path, bool existed, const Object& object) {
        const bool is_beyond = names_.size() >= kJournalNamesMax;
        if (is_journal_path(path) || is_beyond) return ignored_;
        const auto [place, is_new] = names_.try_emplace(std::string(path));
        if (is_new) place->second = {existed, existed, object, object};
        return place->second;
    }
    void appear(std::string_view path, const Object& object) {
        Named& name = touch(path, false, {});
        name.exists = true;
        name.now = object;
    }
    void disappear(std::string_view path, const Object& object) {
        touch(path, true, object).exists = false;
    }
    Named& change(std::string_view path, const Object& object) { return touch(path, true, object); }

    std::map<std::string, Named> names_;
    Named ignored_;
};

struct CallRead {
    CallHistory history;
    CallNames names;
    std::size_t changes = 0;
    std::size_t in_effect = 0;
};

Undone undone_of(std::size_t changes, std::size_t in_effect) {
    if (in_effect == changes) return Undone::kNo;
    return in_effect == 0 ? Undone::kYes : Undone::kPartly;
}

Changes count(const std::vector<NameChange>& names) {
    Changes changes;
    for (const NameChange& name : names) changes.count(name.what);
    return changes;
}

// What the log tells of a call beside its changes.
void read_call(const Record& record, std::map<CallId, CallRead>& calls) {
    CallRead& call = calls[record.call];
    if (call.history.time == Time()) call.history.time = time_of(record);
    if (record.verb == Verb::kCall) {
        call.history.tool = record.path;
        call.history.detail = record.other;
    } else if (record.verb == Verb::kDone) {
        call.history.is_over = true;
        call.history.changes.made += record.object.inode;
        call.history.changes.changed += static_cast<std::uint64_t>(record.object.birth);
        call.history.changes.removed += record.second.inode;
        call.history.changes.not_kept += static_cast<std::uint64_t>(record.second.birth);
    } else if (record.verb != Verb::kState) {
        call.history.is_over = false;  // there may be more
    }
}

// Is the entry just before the one that keeps what had the name?
bool replaces_what_was_there(Entries::const_reverse_iterator before,
                             Entries::const_reverse_iterator end, std::string_view name) {
    return before != end && before->record->verb == Verb::kReplace && before->record->path == name;
}

void add(Changes& sum, const Changes& more) {
    sum.made += more.made;
    sum.changed += more.changed;
    sum.removed += more.removed;
    sum.not_kept += more.not_kept;
}

}  // namespace

std::vector<SessionHistory> history_of(const Timeline& timeline) {
    const auto& sessions = timeline.sessions();
    std::vector<std::map<CallId, CallRead>> read(sessions.size());
    for (std::size_t i = 0; i < sessions.size(); ++i) {
        for (const Record& record : sessions[i].log->records()) read_call(record, read[i]);
    }
    for (const Entry& entry : timeline.entries()) {
        if (entry.record->verb == Verb::kReverts || entry.has_failed) continue;
        CallRead& call = read[entry.session][entry.record->call];
        call.names.add(entry);
        ++call.changes;
        call.in_effect += entry.in_effect ? 1 : 0;
    }
    std::vector<SessionHistory> all;
    for (std::size_t i = 0; i < sessions.size(); ++i) {
        SessionHistory session{sessions[i].id, sessions[i].note.client, sessions[i].note.undone,
                               sessions[i].note.started, sessions[i].live};
        std::size_t changes = 0;
        std::size_t in_effect = 0;
        for (auto& [id, call] : read[i]) {
            if (call.changes == 0 && call.history.changes.not_kept == 0) continue;
            changes += call.changes;
            in_effect += call.in_effect;
            call.history.id = id;
            call.history.names = call.names.changes();
            call.history.undone = undone_of(call.changes, call.in_effect);
            // Killed before its end: nobody has counted.
            if (!call.history.changes.any()) {
                const std::uint64_t not_kept = call.history.changes.not_kept;
                call.history.changes = count(call.history.names);
                call.history.changes.not_kept = not_kept;
            }
            add(session.changes, call.history.changes);
            session.calls.push_back(std::move(call.history));
        }
        session.undone = undone_of(changes, in_effect);
        if (!session.calls.empty()) all.push_back(std::move(session));
    }
    return all;
}

std::vector<FileChange> changes_of_file(const Timeline& timeline, std::string_view path) {
    std::string name(path);
    std::vector<FileChange> found;
    const auto& entries = timeline.entries();
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        if (entry->has_failed) continue;
        const Record& record = *entry->record;
        FileChange change{.session = timeline.sessions()[entry->session].id,
                          .call = record.call,
                          .time = time_of(record),
                          .path = name};
        const bool is_here = record.path == name;
        const bool arrives = record.other == name;
        switch (record.verb) {
            case Verb::kMake:
                if (!is_here) continue;
                change.what = What::kMade;
                break;
            case Verb::kLink:
                if (!arrives) continue;
                change.what = What::kMade;
                break;
            case Verb::kRename:
                if (is_journal_path(record.path) && arrives) {
                    change.what = What::kMade;
                    break;
                }
                if (is_journal_path(record.other) && is_here) {
                    change.what = What::kRemoved;
                    break;
                }
                // Written by way of another file: it keeps its name.
                if (arrives && replaces_what_was_there(std::next(entry), entries.rend(), name)) {
                    change.what = What::kChanged;
                    break;
                }
                if (is_within(name, record.other)) {
                    name.replace(0, record.other.size(), record.path);
                    change.what = What::kMoved;
                    change.from = name;
                    break;
                }
                if (!is_here) continue;
                change.what = What::kRemoved;
                break;
            case Verb::kExchange:
                if (!is_here && !arrives) continue;
                change.what = What::kChanged;
                break;
            case Verb::kRemove:
                if (!is_within(name, record.path)) continue;
                change.what = What::kRemoved;
                break;
            case Verb::kReplace:
            case Verb::kWrite:
            case Verb::kChmod:
                if (!is_here) continue;
                change.what = What::kChanged;
                break;
            default: continue;
        }
        found.push_back(std::move(change));
    }
    std::reverse(found.begin(), found.end());
    // One line for each call: a file that is written by way of another is one change.
    std::vector<FileChange> calls;
    for (FileChange& change : found) {
        const bool is_same_call = !calls.empty() && calls.back().session == change.session &&
                                  calls.back().call == change.call;
        if (!is_same_call) {
            calls.push_back(std::move(change));
            continue;
        }
        FileChange& last = calls.back();
        if (change.what == What::kRemoved) last.what = What::kRemoved;
        last.path = change.path;
    }
    std::map<std::pair<std::string_view, CallId>, const Record*> begun;
    for (const SessionLog& session : timeline.sessions()) {
        for (const Record& record : session.log->records()) {
            if (record.verb == Verb::kCall) begun[{session.id, record.call}] = &record;
        }
    }
    for (FileChange& change : calls) {
        const auto record = begun.find({change.session, change.call});
        if (record == begun.end()) continue;
        change.tool = record->second->path;
        change.detail = record->second->other;
    }
    return calls;
}

namespace {

using Versions = std::map<std::string, Version>;

// A tree that came or went as a whole: what was in it, too.
class TreeLister {
public:
    TreeLister(int workspace, Versions& versions) : model_(workspace), versions_(versions) {}

    void add_below(const std::string& path, const ModelNode& directory, ModelNode Version::*side) {
        if (directory.type != FileType::kDirectory || !directory.on_disk) return;
        if (path.size() > limits::kPathBytesMax) return;  // renames make trees of any depth
        const auto names = model_.names_in(*directory.on_disk, kJournalNamesMax);
        if (!names) return;
        for (const std::string& name : *names) {
            if (versions_.size() >= kJournalNamesMax) return;
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
