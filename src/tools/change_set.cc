#include "tools/change_set.h"

#include <algorithm>

namespace paddock::tools {

namespace {

StagedFile as_on_disk(const Change& change) {
    StagedFile file{change.path, {}, {}};
    if (!change.old) return file;
    file.content = change.old->bytes;
    file.mode = change.old->stat.mode & 0777U;
    return file;
}

}  // namespace

Attempt<const StagedFile*> ChangeSet::look(std::string_view path) {
    auto canonical = files_.target(path);
    if (!canonical) return canonical.error();
    if (const auto it = entries_.find(canonical->path); it != entries_.end()) {
        return &it->second.staged;
    }
    auto change = files_.prepare(path);
    if (!change) return change.error();
    StagedFile staged = as_on_disk(*change);
    const std::string key = change->path;
    const auto it = entries_.emplace(key, Entry{std::move(*change), std::move(staged), false});
    return &it.first->second.staged;
}

StagedFile ChangeSet::original(const StagedFile& file) const {
    return as_on_disk(entries_.at(file.path).change);
}

StagedFile& ChangeSet::touched(const StagedFile& file) {
    Entry& entry = entries_.at(file.path);
    if (!entry.is_touched) order_.push_back(entry.staged.path);
    entry.is_touched = true;
    return entry.staged;
}

void ChangeSet::write(const StagedFile& file, std::string content, std::optional<Mode> mode) {
    StagedFile& staged = touched(file);
    staged.content = std::move(content);
    if (mode) staged.mode = mode;
}

void ChangeSet::remove(const StagedFile& file) { touched(file).content.reset(); }

Attempt<void> ChangeSet::make(Entry& entry) {
    const auto& [path, content, mode] = entry.staged;
    if (content) return files_.commit(entry.change, *content, mode);
    if (!entry.change.old) return {};
    return files_.remove(entry.change);
}

void ChangeSet::take_back(const Entry& entry) {
    const std::string& path = entry.staged.path;
    if (!entry.change.old) {
        (void)files_.remove(path, false);
        return;
    }
    // What is there now is ours, so it may be replaced unseen.
    Change back{path, {}};
    if (entry.staged.content) {
        if (auto now = files_.read(path, limits::kReadFileBytesMax)) back.old = std::move(*now);
    }
    (void)files_.commit(back, entry.change.old->bytes, entry.change.old->stat.mode & 0777U);
}

// New files come first, removals last: a process killed in between loses nothing, and what a file
// was copied from is still as it was while the copy is missing.
Attempt<void> ChangeSet::commit() {
    const auto rank = [&](const std::string& path) {
        const Entry& entry = entries_.at(path);
        return !entry.staged.content ? 2 : entry.change.old ? 1 : 0;
    };
    std::stable_sort(order_.begin(), order_.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    for (std::size_t done = 0; done < order_.size(); ++done) {
        auto made = make(entries_.at(order_[done]));
        if (made) continue;
        while (done-- > 0) take_back(entries_.at(order_[done]));
        Problem problem = made.error();
        problem.text += " Nothing was changed.";
        return problem;
    }
    return {};
}

}  // namespace paddock::tools
