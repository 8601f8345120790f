#include "tools/change_set.h"

#include <algorithm>

#include <paddock/limits.h>

namespace paddock::tools {

namespace {

StagedFile as_on_disk(const Change& change) {
    StagedFile file{change.path, {}, {}};
    if (!change.old) return file;
    file.content = change.old->bytes;
    file.mode = change.old->stat.mode & 0777U;
    return file;
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
    touched(file).content.reset();
    entries_.at(file.path).origin.clear();
}

void ChangeSet::derive(const StagedFile& to, const StagedFile& from, bool renames) {
    const Entry& source = entries_.at(from.path);
    Entry& entry = entries_.at(to.path);
    entry.renames = renames;
    const bool as_found = !renames || source.origin.empty();
    entry.origin = !as_found ? source.origin : source.change.old ? from.path : "";
}

bool ChangeSet::is_pure_rename(const Entry& entry) const {
    const bool is_new = !entry.change.old && entry.staged.content;
    if (!is_new || !entry.renames || entry.origin.empty()) return false;
    const Entry& origin = entries_.at(entry.origin);
    return !origin.staged.content && entry.staged.content == origin.change.old->bytes &&
           entry.staged.mode == (origin.change.old->stat.mode & 0777U);
}

Attempt<void> ChangeSet::make_new(Entry& entry) {
    const auto& [path, content, mode] = entry.staged;
    note_missing_directories(path);
    if (entry.step == Step::kRename && !entries_.at(entry.origin).is_moved) {
        Entry& origin = entries_.at(entry.origin);
        auto renamed = files_.rename(origin.change, entry.change);
        origin.is_moved = renamed.has_value();
        entry.moved = renamed ? &origin : nullptr;
        // Another file system, or one that cannot refuse a name that is taken.
        const bool may_copy = !renamed && (renamed.error().code == Code::kMountCrossing ||
                                           renamed.error().code == Code::kInvalidArgument);
        if (!may_copy) return renamed;
    }
    // A copy of somebody else's file may be one's own.
    return files_.commit(entry.change, *content, mode, {entry.origin, !entry.renames});
}

Attempt<void> ChangeSet::make(Entry& entry, bool is_last) {
    const auto& [path, content, mode] = entry.staged;
    if (content && !entry.change.old) return make_new(entry);
    if (content) return files_.commit(entry.change, *content, mode);
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

Attempt<void> ChangeSet::take_back(Entry& entry) {
    if (!entry.aside.empty()) return files_.put_back(entry.aside, entry.change);
    if (entry.moved != nullptr) return files_.rename_back(entry.moved->change, entry.change);
    if (!entry.staged.content) return {};
    return files_.restore(entry.change, *entry.staged.content);
}

std::string ChangeSet::take_back_all(std::size_t made) {
    std::string left;
    while (made-- > 0) {
        Entry& entry = entries_.at(order_[made]);
        if (take_back(entry)) continue;
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

// New files come first, removals last: a process killed in between loses nothing, and what a file
// was copied from is still as it was while the copy is missing.
Attempt<void> ChangeSet::commit() {
    // One step alone asks this itself.
    if (order_.size() > 1) {
        if (auto allowed = check(); !allowed) return allowed;
    }
    for (const std::string& path : order_) entries_.at(path).step = step_of(entries_.at(path));
    std::stable_sort(order_.begin(), order_.end(), [&](const std::string& a, const std::string& b) {
        return entries_.at(a).step < entries_.at(b).step;
    });
    const auto has_to_go = [&](const std::string& path) {
        const Entry& entry = entries_.at(path);
        return entry.change.old && !entry.is_moved;
    };
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const auto next = order_.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        Entry& entry = entries_.at(order_[i]);
        const bool is_last =
            entry.step == Step::kRemove && std::none_of(next, order_.end(), has_to_go);
        const auto made = make(entry, is_last);
        if (made) continue;
        Problem problem = made.error();
        const std::string left = take_back_all(i);
        problem.text += left.empty() ? " Nothing was changed."
                                     : " What was done before could not be taken back in " + left +
                                           ". Read again before you go on.";
        return problem;
    }
    for (const auto& [path, done] : entries_) {
        if (!done.aside.empty()) files_.drop_aside(done.aside);
    }
    return {};
}

}  // namespace paddock::tools
