#include "tools/change_set.h"

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "base/text.h"
#include "fs/rel_path.h"

namespace paddock::tools {

namespace {

StagedFile as_on_disk(const Change& change) {
    StagedFile file{change.path, {}, {}, {}};
    if (!change.old) return file;
    file.origin = change.path;
    file.content = change.old->bytes;
    file.mode = change.old->stat.mode & 0777U;
    return file;
}

bool has_content_of(const StagedFile& file, const FileContent& old) {
    return file.content == old.bytes && file.mode == (old.stat.mode & 0777U);
}

constexpr Mode kOwnerMayExecute = 0100;

// Who may read the file may execute it, or nobody may: nobody else gets at it.
Mode with_execution(Mode mode, bool executable) {
    if (((mode & kOwnerMayExecute) != 0) == executable) return mode;
    return executable ? mode | ((mode & 0444U) >> 2U) : mode & ~Mode{0111};
}

std::uint64_t size_of(const std::optional<std::string>& content) {
    return content ? content->size() : 0;
}

}  // namespace

bool is_executable(const StagedFile& file) {
    return (file.mode.value_or(0) & kOwnerMayExecute) != 0;
}

Result<void> ChangeSet::hold(std::uint64_t more, std::uint64_t less) {
    if (held_bytes_ - less + more > limits::kPatchStagedBytesMax) {
        return tool_error(
            Code::kLimitReached,
            "The files of the patch are too large together: their old and new content "
            "may have at most " +
                std::to_string(limits::kPatchStagedBytesMax) +
                " bytes. Nothing was changed. Apply it in parts, a few files each.");
    }
    held_bytes_ = held_bytes_ - less + more;
    return {};
}

Result<const StagedFile*> ChangeSet::look(std::string_view path) {
    if (const auto it = looked_.find(path); it != looked_.end()) return &it->second->staged;
    auto change = files_.prepare(path);
    std::optional<Error> obstacle;
    std::string blocked_by;
    if (!change) {
        obstacle = change.error();
        const bool may_make_way =
            obstacle->code == Code::kNotADirectory || obstacle->code == Code::kIsADirectory;
        const auto blocked = may_make_way ? files_.blocked(path) : Result<Blocked>(*obstacle);
        if (!blocked) return *obstacle;
        change = Change{blocked->path, std::nullopt};
        blocked_by = blocked->by;
    }
    const std::string key = change->path;
    if (!entries_.contains(key)) {
        if (change->old) {
            if (auto fits = hold(2 * change->old->bytes.size(), 0); !fits) return fits.error();
        }
        StagedFile staged = as_on_disk(*change);
        staged.obstacle = std::move(obstacle);
        Entry entry{std::move(*change), std::move(staged)};
        entry.blocked_by = std::move(blocked_by);
        entries_.emplace(key, std::move(entry));
    }
    Entry& entry = entries_.at(key);
    looked_.emplace(path, &entry);
    return &entry.staged;
}

StagedFile ChangeSet::original(const StagedFile& file) const {
    return as_on_disk(entries_.at(file.path).change);
}

std::uint64_t ChangeSet::names_of(const StagedFile& file) const {
    const Change& change = entries_.at(file.path).change;
    return change.old ? change.old->stat.links : 0;
}

const std::string& ChangeSet::blocker_of(const StagedFile& file) const {
    return entries_.at(file.path).blocked_by;
}

StagedFile& ChangeSet::touched(const StagedFile& file) {
    Entry& entry = entries_.at(file.path);
    if (!entry.is_touched) order_.push_back(entry.staged.path);
    entry.is_touched = true;
    return entry.staged;
}

Result<void> ChangeSet::write(const StagedFile& file, std::string content,
                              std::optional<bool> executable) {
    if (auto fits = hold(content.size(), size_of(file.content)); !fits) return fits;
    StagedFile& staged = touched(file);
    staged.content = std::move(content);
    if (executable) staged.mode = with_execution(staged.mode.value_or(0666), *executable);
    return {};
}

void ChangeSet::remove(const StagedFile& file) {
    held_bytes_ -= size_of(file.content);
    StagedFile& staged = touched(file);
    staged.content.reset();
    staged.origin.clear();
}

void ChangeSet::derive(const StagedFile& to, const StagedFile& source, bool renames) {
    Entry& entry = entries_.at(to.path);
    entry.renames = renames;
    entry.staged.origin = source.origin;
    entry.staged.mode = source.mode;
}

bool ChangeSet::is_pure_rename(const Entry& entry) const {
    const bool is_new = !entry.change.old && entry.staged.content;
    if (!is_new || !entry.renames || entry.staged.origin.empty()) return false;
    const Entry& origin = entries_.at(entry.staged.origin);
    return !origin.staged.content && has_content_of(entry.staged, *origin.change.old);
}

const std::string& ChangeSet::place_of(const Entry& entry) {
    if (!entry.moved_to.empty()) return entry.moved_to;
    return entry.aside.empty() ? entry.change.path : entry.aside;
}

Result<void> ChangeSet::make_new(Entry& entry) {
    const auto& [path, content, mode, origin, obstacle] = entry.staged;
    entry.directories = files_.missing_parents(path);
    Entry* source = origin.empty() ? nullptr : &entries_.at(origin);
    if (is_pure_rename(entry) && source->moved_to.empty()) {
        auto renamed = files_.rename(place_of(*source), *source->change.old, path);
        if (renamed) source->moved_to = path;
        entry.moved = renamed ? source : nullptr;
        // Another file system, or one that cannot refuse a name that is taken.
        const bool may_copy = !renamed && (renamed.error().code == Code::kMountCrossing ||
                                           renamed.error().code == Code::kInvalidArgument);
        if (!may_copy) return renamed;
    }
    const std::string like = source == nullptr ? std::string() : place_of(*source);
    // A copy of somebody else's file may be one's own.
    return files_.commit(entry.change, *content, mode, {like, !entry.renames});
}

Result<void> ChangeSet::set_aside(Entry& entry, const std::string& beside) {
    auto aside = files_.set_aside(entry.change, beside);
    if (!aside) return aside.error();
    entry.aside = std::move(*aside);
    return {};
}

// Those that are in the place of a file, and hold nothing any more.
Result<void> ChangeSet::remove_directories(Entry& entry) {
    const auto nothing = [](const std::string&) { return false; };
    const auto found = files_.directories_of(entry.staged.path, nothing);
    if (!found) return found.error();
    for (const std::string& directory : *found) {
        const auto stat = files_.stat_name(directory);
        auto removed = stat ? files_.remove(directory, false) : Result<void>(stat.error());
        if (removed) {
            entry.removed_directories.emplace_back(directory, stat->mode & 0777U);
            continue;
        }
        (void)restore_directories(entry);
        return removed;
    }
    return {};
}

Result<void> ChangeSet::restore_directories(Entry& entry) {
    for (; !entry.removed_directories.empty(); entry.removed_directories.pop_back()) {
        const auto& [path, mode] = entry.removed_directories.back();
        if (auto restored = files_.restore_directory(path, mode); !restored) return restored;
    }
    return {};
}

// What is known of the two goes with them.
Result<void> ChangeSet::exchange(Entry& one, Entry& other, bool is_back) {
    auto done = files_.exchange(one.change, other.change, is_back);
    if (done) std::swap(one.change.old, other.change.old);
    return done;
}

Result<void> ChangeSet::make(const Action& action, bool is_last) {
    Entry& entry = *action.entry;
    const auto& [path, content, mode, origin, obstacle] = entry.staged;
    if (action.step == Step::kExchange) return exchange(entry, *action.other, false);
    if (action.step == Step::kRemoveDirectories) return remove_directories(entry);
    if (content && !entry.change.old) return make_new(entry);
    if (content) {
        if (has_content_of(entry.staged, *entry.change.old)) return {};
        auto written = files_.commit(entry.change, *content, mode);
        entry.is_written = written.has_value();
        return written;
    }
    if (!entry.change.old || !entry.moved_to.empty()) return {};
    // Nothing comes after it that could fail.
    if (is_last) return files_.remove(entry.change);
    return set_aside(entry, action.other == nullptr ? path : action.other->staged.path);
}

Result<void> ChangeSet::take_back(const Action& action) {
    Entry& entry = *action.entry;
    if (action.step == Step::kExchange) return exchange(entry, *action.other, true);
    if (action.step == Step::kRemoveDirectories) return restore_directories(entry);
    if (entry.moved != nullptr) {
        Entry& source = *entry.moved;
        source.moved_to.clear();
        return files_.put_back(entry.staged.path, place_of(source), source.change.old->stat);
    }
    if (!entry.aside.empty())
        return files_.put_back(entry.aside, entry.staged.path, entry.change.old->stat);
    if (!entry.staged.content || (entry.change.old && !entry.is_written)) return {};
    return files_.restore(entry.change, *entry.staged.content);
}

std::string ChangeSet::take_back_all(std::span<const Action> made) {
    std::string left;
    for (; !made.empty(); made = made.first(made.size() - 1)) {
        const Entry& entry = *made.back().entry;
        const bool is_back = take_back(made.back()).has_value();
        if (!entry.directories.empty()) files_.remove_empty(entry.directories);
        if (is_back) continue;
        left += (left.empty() ? "'" : ", '") + files_.shown(entry.staged.path) + "'";
        if (!entry.aside.empty()) left += " (kept as '" + files_.shown(entry.aside) + "')";
    }
    return left;
}

ChangeSet::Step ChangeSet::step_of(const Entry& entry) const {
    if (!entry.staged.content) return Step::kRemove;
    if (!entry.blocked_by.empty()) return Step::kFill;
    if (is_pure_rename(entry)) return Step::kRename;
    return entry.change.old ? Step::kChange : Step::kMake;
}

bool ChangeSet::leaves(const std::string& path) const {
    const auto entry = entries_.find(path);
    return entry != entries_.end() && !entry->second.staged.content;
}

// Whoever stays keeps its name, and a directory what is in it.
Result<void> ChangeSet::check_name(const Entry& entry) const {
    const auto& [path, content, mode, origin, obstacle] = entry.staged;
    if (entry.blocked_by == path) {
        const auto next = entries_.upper_bound(path + "/");
        const bool holds_one = next != entries_.end() && is_within(next->first, path);
        const auto goes = [this](const std::string& file) { return leaves(file); };
        if (!holds_one || !leaves(next->first)) return *obstacle;
        if (auto all_go = files_.directories_of(path, goes); !all_go) return all_go.error();
    } else if (!entry.blocked_by.empty() && !leaves(entry.blocked_by)) {
        return *obstacle;
    }
    for (std::string_view at = fs::parent_of(path); !at.empty(); at = fs::parent_of(at)) {
        const auto above = entries_.find(at);
        if (above == entries_.end() || !above->second.staged.content) continue;
        return tool_error(Code::kNotADirectory,
                          "The patch makes '" + files_.shown(at) +
                              "' a file and a directory at once. Leave one out.");
    }
    return {};
}

Result<void> ChangeSet::check_names() const {
    for (const std::string& path : order_) {
        const Entry& entry = entries_.at(path);
        const auto fine = entry.staged.content ? check_name(entry) : Result<void>();
        if (fine) continue;
        return tool_error(fine.error().code,
                          explanation_for_model(fine.error()) + " Nothing was changed.");
    }
    return {};
}

Result<void> ChangeSet::check() const {
    if (auto fine = check_names(); !fine) return fine;
    for (const std::string& path : order_) {
        const Entry& entry = entries_.at(path);
        auto allowed = entry.staged.content ? files_.check_file(path, *entry.staged.content)
                                            : files_.check_removal(path);
        if (allowed) continue;
        Error problem = allowed.error();
        add_to(problem, " Nothing was changed.");
        return problem;
    }
    return {};
}

std::vector<ChangeSet::Action> ChangeSet::plan_changes(const std::vector<Entry*>& changed) const {
    std::map<std::string_view, Entry*> heirs;  // by the name whose file they take
    for (Entry* entry : changed) {
        const bool takes = entry->renames && entry->staged.origin != entry->staged.path;
        if (takes) heirs[entry->staged.origin] = entry;
    }
    std::vector<Action> actions;
    std::set<const Entry*> planned;
    for (Entry* first : changed) {
        std::vector<Entry*> chain;
        Entry* next = first;
        while (next != nullptr && planned.insert(next).second) {
            chain.push_back(next);
            const auto heir = heirs.find(next->staged.path);
            next = heir == heirs.end() ? nullptr : heir->second;
        }
        // In a circle each takes the name of the next: exchanged two by two no content is without
        // one for an instant.
        if (next == first) {
            for (std::size_t i = 1; i < chain.size(); ++i)
                actions.push_back({Step::kExchange, first, chain[i]});
        }
        std::reverse(chain.begin(), chain.end());
        for (Entry* entry : chain) actions.push_back({Step::kChange, entry});
    }
    return actions;
}

std::vector<ChangeSet::Entry*> ChangeSet::leaving_below(const Entry& entry) {
    const std::string& path = entry.staged.path;
    std::vector<Entry*> found;
    for (auto it = entries_.upper_bound(path + "/");
         it != entries_.end() && is_within(it->first, path); ++it) {
        if (it->second.change.old && !it->second.staged.content) found.push_back(&it->second);
    }
    return found;
}

// Outside of a directory that goes.
void ChangeSet::plan_clearing(Entry& entry, std::vector<Action>& actions,
                              std::set<Entry*>& cleared) {
    const bool is_directory = entry.blocked_by == entry.staged.path;
    const auto leaving =
        is_directory ? leaving_below(entry) : std::vector<Entry*>{&entries_.at(entry.blocked_by)};
    for (Entry* each : leaving) {
        if (!cleared.insert(each).second) continue;
        actions.push_back({Step::kSetAside, each, is_directory ? &entry : nullptr});
    }
    if (is_directory) actions.push_back({Step::kRemoveDirectories, &entry});
}

// New files come first, removals last: a process killed in between loses nothing, and what a file
// was copied from is still as it was while the copy is missing. A file that is in the way has its
// new name, if it gets one elsewhere, before it would be set aside.
std::vector<ChangeSet::Action> ChangeSet::plan() {
    std::vector<Action> actions;
    std::vector<Entry*> changed;
    std::set<Entry*> cleared;
    for (const std::string& path : order_) {
        Entry& entry = entries_.at(path);
        if (step_of(entry) == Step::kFill) plan_clearing(entry, actions, cleared);
    }
    for (const std::string& path : order_) {
        Entry& entry = entries_.at(path);
        Step step = step_of(entry);
        if (step == Step::kRename && cleared.contains(&entries_.at(entry.staged.origin)))
            step = Step::kMake;
        if (step == Step::kChange)
            changed.push_back(&entry);
        else if (!cleared.contains(&entry))
            actions.push_back({step, &entry});
    }
    const auto changes = plan_changes(changed);
    actions.insert(actions.end(), changes.begin(), changes.end());
    const auto phase = [](const Action& action) {
        return action.step == Step::kExchange ? Step::kChange : action.step;
    };
    std::stable_sort(actions.begin(), actions.end(),
                     [&](const Action& a, const Action& b) { return phase(a) < phase(b); });
    return actions;
}

Result<void> ChangeSet::commit() {
    // One step alone asks this itself.
    if (auto fine = order_.size() > 1 ? check() : check_names(); !fine) return fine;
    const std::vector<Action> actions = plan();
    const auto has_to_go = [](const Action& action) {
        return action.entry->change.old && action.entry->moved_to.empty();
    };
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const std::span rest = std::span(actions).subspan(i + 1);
        const bool is_last =
            actions[i].step == Step::kRemove && std::none_of(rest.begin(), rest.end(), has_to_go);
        const auto made = make(actions[i], is_last);
        if (made) continue;
        Error problem = made.error();
        const auto& directories = actions[i].entry->directories;
        if (!directories.empty()) files_.remove_empty(directories);
        const std::string left = take_back_all(std::span(actions).first(i));
        add_to(problem, left.empty() ? " Nothing was changed."
                                     : " Earlier changes could not be undone in " + left +
                                           ". Read the files again before you go on.");
        return problem;
    }
    Result<void> dropped;
    for (const auto& [path, done] : entries_) {
        if (done.aside.empty() || !done.moved_to.empty()) continue;
        auto gone = files_.drop_aside(done.change, done.aside);
        if (dropped && !gone) dropped = std::move(gone);
    }
    if (dropped) return {};
    Error problem = dropped.error();
    add_to(problem, " Everything else was changed as requested.");
    return problem;
}

}  // namespace paddock::tools
