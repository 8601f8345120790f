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
    auto canonical = files_.target(path);
    if (!canonical) return canonical.error();
    if (const auto it = entries_.find(canonical->path); it != entries_.end()) {
        return &it->second.staged;
    }
    auto change = files_.prepare(path);
    if (!change) return change.error();
    if (change->old) {
        if (auto fits = hold(2 * change->old->bytes.size(), 0); !fits) return fits.error();
    }
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
}

Attempt<void> ChangeSet::make(Entry& entry) {
    const auto& [path, content, mode] = entry.staged;
    if (content) return files_.commit(entry.change, *content, mode);
    if (!entry.change.old) return {};
    return files_.remove(entry.change);
}

void ChangeSet::note_missing_directories(const std::string& path) {
    for (std::size_t end = path.rfind('/'); end != path.npos && end > 0;
         end = path.rfind('/', end - 1)) {
        std::string directory = path.substr(0, end);
        if (files_.linkless().exists(directory).value_or(true)) return;
        directories_.push_back(std::move(directory));
    }
}

std::string ChangeSet::take_back(std::size_t made) {
    std::string left;
    // The one that failed may have its content already, and not its mode. If not, there is nothing
    // to take back.
    const Entry& failed = entries_.at(order_[made]);
    if (failed.change.old && failed.staged.content) {
        (void)files_.restore(failed.change, failed.staged.content);
    }
    while (made-- > 0) {
        const Entry& entry = entries_.at(order_[made]);
        if (!entry.change.old && !entry.staged.content) continue;
        if (files_.restore(entry.change, entry.staged.content)) continue;
        left += (left.empty() ? "'" : ", '") + files_.shown(entry.staged.path) + "'";
    }
    std::sort(directories_.begin(), directories_.end(),
              [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
    // One that somebody else has filled meanwhile stays.
    for (const std::string& directory : directories_) (void)files_.linkless().remove(directory);
    return left;
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
    for (std::size_t i = 0; i < order_.size(); ++i) {
        Entry& entry = entries_.at(order_[i]);
        if (!entry.change.old && entry.staged.content) note_missing_directories(order_[i]);
        const auto made = make(entry);
        if (made) continue;
        Problem problem = made.error();
        const std::string left = take_back(i);
        problem.text += left.empty() ? " Nothing was changed."
                                     : " What was done before could not be taken back in " + left +
                                           ". Read again before you go on.";
        return problem;
    }
    return {};
}

}  // namespace paddock::tools
