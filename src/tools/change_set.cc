#include "tools/change_set.h"

#include <algorithm>
#include <set>
#include <utility>

#include <paddock/limits.h>

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

std::uint64_t size_of(const std::optional<std::string>& content) {
    return content ? content->size() : 0;
}

}  // namespace

Attempt<void> ChangeSet::hold(std::uint64_t more, std::uint64_t less) {
    if (held_bytes_ - less + more > limits::kPatchStagedBytesMax) {
        return Problem(
            Code::kLimitReached,
            "The files of the patch are too large together: before and after it they may "
            "have " +
                std::to_string(limits::kPatchStagedBytesMax) +
                " bytes. Nothing was changed. Apply it in parts, a few files each.");
    }
    held_bytes_ = held_bytes_ - less + more;
    return {};
}

Attempt<const StagedFile*> ChangeSet::look(std::string_view path) {
    if (const auto it = looked_.find(path); it != looked_.end()) return &it->second->staged;
    auto change = files_.prepare(path);
    if (!change) return change.error();
    const std::string key = change->path;
    if (!entries_.contains(key)) {
        if (change->old) {
            if (auto fits = hold(2 * change->old->bytes.size(), 0); !fits) return fits.error();
        }
        StagedFile staged = as_on_disk(*change);
        entries_.emplace(key, Entry{std::move(*change), std::move(staged)});
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

StagedFile& ChangeSet::touched(const StagedFile& file) {
    Entry& entry = entries_.at(file.path);
    if (!entry.is_touched) order_.push_back(entry.staged.path);
    entry.is_touched = true;
    return entry.staged;
}

Attempt<void> ChangeSet::write(const StagedFile& file, std::string content,
                               std::optional<Mode> mode) {
    if (auto fits = hold(content.size(), size_of(file.content)); !fits) return fits;
    StagedFile& staged = touched(file);
    staged.content = std::move(content);
    if (mode) staged.mode = mode;
    return {};
}

void ChangeSet::remove(const StagedFile& file) {
    held_bytes_ -= size_of(file.content);
    StagedFile& staged = touched(file);
    staged.content.reset();
    staged.origin.clear();
}

void ChangeSet::derive(const StagedFile& to, const std::string& origin, bool renames) {
    Entry& entry = entries_.at(to.path);
    entry.renames = renames;
    entry.staged.origin = origin;
}

bool ChangeSet::is_pure_rename(const Entry& entry) const {
    const bool is_new = !entry.change.old && entry.staged.content;
    if (!is_new || !entry.renames || entry.staged.origin.empty()) return false;
    const Entry& origin = entries_.at(entry.staged.origin);
    return !origin.staged.content && has_content_of(entry.staged, *origin.change.old);
}

Attempt<void> ChangeSet::make_new(Entry& entry, Step step) {
    const auto& [path, content, mode, origin] = entry.staged;
    note_missing_directories(path);
    if (step == Step::kRename && !entries_.at(origin).is_moved) {
        Entry& source = entries_.at(origin);
        auto renamed = files_.rename(source.change, entry.change);
        source.is_moved = renamed.has_value();
        entry.moved = renamed ? &source : nullptr;
        // Another file system, or one that cannot refuse a name that is taken.
        const bool may_copy = !renamed && (renamed.error().code == Code::kMountCrossing ||
                                           renamed.error().code == Code::kInvalidArgument);
        if (!may_copy) return renamed;
    }
    // A copy of somebody else's file may be one's own.
    return files_.commit(entry.change, *content, mode, {origin, !entry.renames});
}

// What is known of the two goes with them.
Attempt<void> ChangeSet::exchange(Entry& one, Entry& other, bool is_back) {
    auto done = files_.exchange(one.change, other.change, is_back);
    if (done) std::swap(one.change.old, other.change.old);
    return done;
}

Attempt<void> ChangeSet::make(const Action& action, bool is_last) {
    Entry& entry = *action.entry;
    const auto& [path, content, mode, origin] = entry.staged;
    if (action.step == Step::kExchange) return exchange(entry, *action.other, false);
    if (content && !entry.change.old) return make_new(entry, action.step);
    if (content) {
        if (has_content_of(entry.staged, *entry.change.old)) return {};
        auto written = files_.commit(entry.change, *content, mode);
        entry.is_written = written.has_value();
        return written;
    }
    if (!entry.change.old || entry.is_moved) return {};
    // Nothing comes after it that could fail.
    if (is_last) return files_.remove(entry.change);
    auto aside = files_.set_aside(entry.change);
    if (!aside) return aside.error();
    entry.aside = std::move(*aside);
    return {};
}

void ChangeSet::note_missing_directories(const std::string& path) {
    const auto missing = files_.missing_parents(path);
    directories_.insert(directories_.end(), missing.begin(), missing.end());
}

Attempt<void> ChangeSet::take_back(const Action& action) {
    Entry& entry = *action.entry;
    if (action.step == Step::kExchange) return exchange(entry, *action.other, true);
    if (!entry.aside.empty()) return files_.put_back(entry.aside, entry.change);
    if (entry.moved != nullptr) return files_.put_back(entry.staged.path, entry.moved->change);
    if (!entry.staged.content || (entry.change.old && !entry.is_written)) return {};
    return files_.restore(entry.change, *entry.staged.content);
}

std::string ChangeSet::take_back_all(std::span<const Action> made) {
    std::string left;
    for (; !made.empty(); made = made.first(made.size() - 1)) {
        if (take_back(made.back())) continue;
        const Entry& entry = *made.back().entry;
        left += (left.empty() ? "'" : ", '") + files_.shown(entry.staged.path) + "'";
        if (!entry.aside.empty()) left += " (kept as '" + files_.shown(entry.aside) + "')";
    }
    std::sort(directories_.begin(), directories_.end(),
              [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
    files_.remove_empty(directories_);
    return left;
}

ChangeSet::Step ChangeSet::step_of(const Entry& entry) const {
    if (!entry.staged.content) return Step::kRemove;
    if (is_pure_rename(entry)) return Step::kRename;
    return entry.change.old ? Step::kChange : Step::kMake;
}

Attempt<void> ChangeSet::check() const {
    for (const std::string& path : order_) {
        const Entry& entry = entries_.at(path);
        auto allowed = entry.staged.content ? files_.check_file(path, *entry.staged.content)
                                            : files_.check_removal(path);
        if (allowed) continue;
        Problem problem = allowed.error();
        problem.text += " Nothing was changed.";
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

// New files come first, removals last: a process killed in between loses nothing, and what a file
// was copied from is still as it was while the copy is missing.
std::vector<ChangeSet::Action> ChangeSet::plan() {
    std::vector<Action> actions;
    std::vector<Entry*> changed;
    for (const std::string& path : order_) {
        Entry& entry = entries_.at(path);
        const Step step = step_of(entry);
        if (step == Step::kChange)
            changed.push_back(&entry);
        else
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

Attempt<void> ChangeSet::commit() {
    // One step alone asks this itself.
    if (order_.size() > 1) {
        if (auto allowed = check(); !allowed) return allowed;
    }
    const std::vector<Action> actions = plan();
    const auto has_to_go = [](const Action& action) {
        return action.entry->change.old && !action.entry->is_moved;
    };
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const std::span rest = std::span(actions).subspan(i + 1);
        const bool is_last =
            actions[i].step == Step::kRemove && std::none_of(rest.begin(), rest.end(), has_to_go);
        const auto made = make(actions[i], is_last);
        if (made) continue;
        Problem problem = made.error();
        const std::string left = take_back_all(std::span(actions).first(i));
        problem.text += left.empty() ? " Nothing was changed."
                                     : " What was done before could not be taken back in " + left +
                                           ". Read again before you go on.";
        return problem;
    }
    Attempt<void> dropped;
    for (const auto& [path, done] : entries_) {
        if (done.aside.empty()) continue;
        auto gone = files_.drop_aside(done.change, done.aside);
        if (dropped && !gone) dropped = std::move(gone);
    }
    if (dropped) return {};
    Problem problem = dropped.error();
    problem.text += " All else was changed as asked.";
    return problem;
}

}  // namespace paddock::tools
