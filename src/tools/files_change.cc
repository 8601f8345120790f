#include <mutex>
#include <shared_mutex>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "text/diff.h"
#include "tools/file_text.h"
#include "tools/files.h"
#include "tools/turns.h"

namespace paddock::tools {

namespace {

// Made of texts without their secrets: a part of one may have no shape that tells it. Nothing of
// what is no text.
std::string what_changed(const search::SecretScanner* scanner, std::string_view before,
                         std::string_view now) {
    auto old_text = text_to_show(before);
    auto new_text = text_to_show(now);
    if (!old_text || !new_text) return {};
    if (scanner != nullptr) {
        scanner->redact(*old_text);
        scanner->redact(*new_text);
    }
    return text::unified_diff(*old_text, *new_text, "as it was read", "as it is now",
                              {.bytes_max = 4000})
        .text;
}

void mark_written(ReadTracker* reads, const Identity& file, const std::string& canonical,
                  std::string_view content) {
    if (reads != nullptr) reads->mark_read(file, canonical, content);
}

bool is_still(const Root& root, const std::string& canonical, const Stat& then) {
    const auto now = root.lstat(canonical);
    return now && is_unwritten(*now, then);
}

}  // namespace

Attempt<void> Files::check_known(const FileContent& content) const {
    if (reads_ == nullptr) return {};
    if (reads_->has_been_read(content.stat.identity, content.path, content.bytes)) return {};
    const std::string name = "'" + shown(content.path) + "'";
    const auto before = reads_->last_read(content.path);
    if (!before) {
        return Problem(Code::kNotRead, name +
                                           " exists and has not been read in this session. "
                                           "Read it first, then change it.");
    }
    std::string text = name + " has changed since it was read. Read it again.";
    if (before->content) {
        const std::string diff = what_changed(scanner_, *before->content, content.bytes);
        if (!diff.empty()) text += " What changed:\n" + diff;
    }
    return Problem(Code::kStaleRead, std::move(text));
}

Attempt<Resolution> Files::target(std::string_view path) const {
    return resolve(written(path), path, Purpose::kChange);
}

Attempt<Change> Files::known(OpenFile file) const {
    auto bytes = file.read_all(limits::kReadFileBytesMax);
    if (!bytes) return bytes.error();
    FileContent content{file.path(), file.stat(), std::move(*bytes)};
    if (auto known = check_known(content); !known) return known.error();
    return Change{file.path(), std::move(content)};
}

Attempt<Change> Files::prepare(std::string_view given) const {
    const std::string path = written(given);
    const auto lexical = root_.normalized(path);
    if (!lexical) return told(lexical.error(), given);
    if (auto allowed = check(*lexical, Purpose::kChange, given); !allowed) return allowed.error();
    // Where no link is on the way, that is the canonical path.
    if (!names_directory(path)) {
        if (auto handle = to_change().open_file(*lexical)) {
            return known(OpenFile(*lexical, named_given(given), std::move(*handle), meter_));
        }
    }
    const auto found = resolve(path, given, Purpose::kChange);
    if (!found) return found.error();
    if (names_directory(path)) {
        return Problem(Code::kIsADirectory,
                       "'" + shown_given(given) + "' names a directory. Name a file.");
    }
    if (!found->exists) return Change{found->path, std::nullopt};
    auto handle = to_change().open_file(found->path);
    if (!handle) return told(handle.error(), given);
    return known(OpenFile(found->path, named_given(given), std::move(*handle), meter_));
}

Attempt<void> Files::count_written(std::uint64_t bytes, std::optional<std::uint64_t> freed) const {
    if (const auto claimed = disk_.claim(bytes, freed); !claimed) {
        if (claimed.error().code != Code::kQuotaExceeded) return claimed.error();
        return Problem(Code::kQuotaExceeded,
                       "The workspace holds as much as it may. Remove files that are not needed.");
    }
    if (meter_.add_written(bytes)) return {};
    return Problem(Code::kQuotaExceeded,
                   "This session has written as much as it may. Ask the operator for more.");
}

Attempt<void> Files::commit(const Change& change, std::string_view content,
                            std::optional<Mode> mode, const Model& like) const {
    const auto git = turn_with_git(change.path);
    const std::shared_lock names_stay(names());
    Attempt<void> allowed;
    const auto is_allowed = [&] {
        allowed = check_obeyed(change.path, search::GitChange::kMake);
        return allowed.has_value();
    };
    // No directory is made for what is refused. Of a file that is there it is asked meanwhile.
    if (!change.old && !is_allowed()) return allowed;
    const auto freed = change.old ? std::optional(change.old->stat.size) : std::nullopt;
    if (auto counted = count_written(content.size(), freed); !counted) return counted;
    WriteOptions options;
    options.make_parents = !change.old;
    options.mode = mode;
    options.mode_of_old = true;
    options.like = like.path;
    options.like_is_optional = like.is_optional;
    options.must_create = !change.old;
    if (change.old) options.replaces = change.old->stat;
    const std::lock_guard turn(turn_of(change.path));
    const auto done = to_change().write_file_if(change.old ? is_allowed : std::function<bool()>(),
                                                change.path, content, options);
    if (!allowed) return allowed;
    const bool is_gone = !done && change.old && done.error().code == Code::kNotFound;
    if (is_gone) return told(as_error(refuse(Code::kStaleRead), "write", change.path));
    if (!done) return told(done.error());
    mark_written(reads_, *done, change.path, content);
    return {};
}

Attempt<void> Files::restore(const Change& change, const std::string& made) const {
    const std::shared_lock names_stay(names());
    const std::lock_guard turn(turn_of(change.path));
    // Looked at before it is read: whoever writes later has changed it.
    const auto stat = to_change().stat(change.path);
    const bool is_gone = !stat && stat.error().code == Code::kNotFound;
    if (!stat && !is_gone) return told(stat.error());
    const auto now = to_change().read_file(change.path, made.size());
    if (is_gone || !now || *now != made)
        return told(as_error(refuse(Code::kStaleRead), "restore", change.path));
    if (!change.old) {
        const auto done = to_change().remove(change.path, *stat);
        if (!done) return told(done.error());
        return {};
    }
    WriteOptions options;
    options.replaces = *stat;
    options.mode = change.old->stat.mode & 0777U;
    options.mode_of_old = true;
    const auto done = to_change().write_file_if({}, change.path, change.old->bytes, options);
    if (!done) return told(done.error());
    mark_written(reads_, *done, change.path, change.old->bytes);
    return {};
}

Attempt<void> Files::rename(const Change& from, const Change& to) const {
    const std::lock_guard alone(names());
    if (auto allowed = check_obeyed(to.path, search::GitChange::kMake); !allowed) return allowed;
    if (auto allowed = check_obeyed(from.path, search::GitChange::kTakeAway); !allowed)
        return allowed;
    if (!is_still(linkless_, from.path, from.old->stat)) {
        return told(as_error(refuse(Code::kStaleRead), "rename", from.path));
    }
    if (auto made = make_missing(missing_parents(to.path)); !made) return made;
    const auto done = to_change().rename(from.path, to.path, RenameMode::kNoReplace);
    if (!done) return told(done.error());
    mark_written(reads_, from.old->stat.identity, to.path, from.old->bytes);
    return {};
}

Attempt<void> Files::rename_back(const Change& from, const Change& to) const {
    const std::lock_guard alone(names());
    if (!is_still(linkless_, to.path, from.old->stat)) {
        return told(as_error(refuse(Code::kStaleRead), "rename back", from.path));
    }
    const auto done = to_change().rename(to.path, from.path, RenameMode::kNoReplace);
    if (!done) return told(done.error());
    return {};
}

Attempt<std::string> Files::set_aside(const Change& change) const {
    const std::shared_lock names_stay(names());
    const std::lock_guard turn(turn_of(change.path));
    if (auto allowed = check_removal(change.path); !allowed) return allowed.error();
    Problem stale = told(as_error(refuse(Code::kStaleRead), "remove", change.path));
    if (!is_still(linkless_, change.path, change.old->stat)) return stale;
    const std::string_view parent = fs::parent_of(change.path);
    auto temp = to_change().temp_file(parent.empty() ? "." : parent);
    if (!temp) return told(temp.error());
    const auto done = to_change().rename(change.path, temp->path());
    if (!done) return told(done.error());
    temp->keep();
    if (is_still(linkless_, temp->path(), change.old->stat)) return temp->path();
    const auto back = to_change().rename(temp->path(), change.path, RenameMode::kNoReplace);
    if (!back) stale.text += " What was there is kept as '" + shown(temp->path()) + "'.";
    return stale;
}

Attempt<void> Files::put_back(const std::string& aside, const Change& change) const {
    const std::shared_lock names_stay(names());
    const std::lock_guard turn(turn_of(change.path));
    const auto done = to_change().rename(aside, change.path, RenameMode::kNoReplace);
    if (!done) return told(done.error());
    return {};
}

void Files::drop_aside(const std::string& aside) const { (void)to_change().remove(aside); }

Attempt<void> Files::make_directory(const std::string& canonical) const {
    const auto git = turn_with_git(canonical);
    const std::shared_lock turn(names());
    return make_directories(canonical);
}

Attempt<void> Files::make_directories(const std::string& canonical) const {
    if (auto allowed = check(canonical, Purpose::kChange); !allowed) return allowed;
    if (auto allowed = check_obeyed(canonical, search::GitChange::kMake); !allowed) return allowed;
    if (auto allowed = count_written(0); !allowed) return allowed;
    const auto made = to_change().mkdir_all(canonical);
    if (!made) return told(made.error());
    return {};
}

Attempt<void> Files::make_missing(const std::vector<std::string>& directories) const {
    return directories.empty() ? Attempt<void>() : make_directories(directories.front());
}

Attempt<void> Files::remove(const std::string& canonical, bool recursive) const {
    const std::shared_lock names_stay(names());
    const std::lock_guard turn(turn_of(canonical));
    if (auto allowed = check_removal(canonical); !allowed) return allowed;
    if (auto allowed = check_below(canonical, canonical); !allowed) return allowed;
    const auto done = recursive ? to_change().remove_all(canonical) : to_change().remove(canonical);
    if (!done) return told(done.error());
    return {};
}

Attempt<void> Files::remove(const Change& change) const {
    const std::shared_lock names_stay(names());
    const std::lock_guard turn(turn_of(change.path));
    if (auto allowed = check_removal(change.path); !allowed) return allowed;
    const auto done = to_change().remove(change.path, change.old->stat);
    if (!done) return told(done.error());
    return {};
}

Attempt<void> Files::check_removal(const std::string& canonical) const {
    if (auto allowed = check(canonical, Purpose::kChange); !allowed) return allowed;
    return check_obeyed(canonical, search::GitChange::kTakeAway);
}

}  // namespace paddock::tools
