#include <array>
#include <mutex>
#include <shared_mutex>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "text/diff.h"
#include "tools/files.h"

namespace paddock::tools {
namespace {

// Changes to one path take turns within this process, whichever session makes them.
std::mutex& turn_of(const std::string& canonical) {
    static std::array<std::mutex, 64> turns;
    return turns[std::hash<std::string>{}(canonical) % turns.size()];
}

// A directory that gets another name gives one to all that is in it, also to what is being written
// there. So moves are alone, whichever session makes them; everything else goes on side by side.
std::shared_mutex& names() {
    static std::shared_mutex turns;
    return turns;
}

// Two changes may each bring one half of a repository. To be taken before names().
std::unique_lock<std::mutex> turn_with_git(const std::string& canonical) {
    static std::mutex turn;
    if (!search::has_git_name(canonical)) return {};
    return std::unique_lock(turn);
}

}  // namespace

Attempt<void> Files::check_known(const FileContent& content) const {
    if (reads_ == nullptr) return {};
    if (reads_->has_been_read(content.stat.identity, content.path, content.bytes)) return {};
    const std::string name = "'" + shown(content.path) + "'";
    const auto before = reads_->last_read(content.stat.identity, content.path);
    if (!before) {
        return Problem(Code::kNotRead, name +
                                           " exists and has not been read in this session. "
                                           "Read it first, then change it.");
    }
    std::string text = name + " has changed since it was read. Read it again.";
    if (before->content) {
        const auto diff = text::unified_diff(*before->content, content.bytes, "as it was read",
                                             "as it is now", {.bytes_max = 4000});
        text += " What changed:\n" + diff.text;
    }
    return Problem(Code::kStaleRead, std::move(text));
}

Attempt<Resolution> Files::target(std::string_view path) const {
    return resolve(written(path), Purpose::kChange);
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
    if (!lexical) return lexical.error();
    if (auto allowed = check(*lexical, path, Purpose::kChange); !allowed) return allowed.error();
    // Where no link is on the way, that is the canonical path.
    if (!names_directory(path)) {
        if (auto handle = linkless_.open_file(*lexical)) {
            return known(OpenFile(*lexical, std::move(*handle), meter_));
        }
    }
    const auto found = resolve(path, Purpose::kChange);
    if (!found) return found.error();
    if (names_directory(path)) {
        return Problem(Code::kIsADirectory,
                       "'" + shown_given(given) + "' names a directory. Name a file.");
    }
    if (!found->exists) return Change{found->path, std::nullopt};
    auto handle = linkless_.open_file(found->path);
    if (!handle) return handle.error();
    return known(OpenFile(found->path, std::move(*handle), meter_));
}

Attempt<void> Files::count_written(std::uint64_t bytes, std::uint64_t replaced) const {
    if (const auto claimed = disk_.claim(bytes, replaced); !claimed) {
        if (claimed.error().code != Code::kQuotaExceeded) return claimed.error();
        return Problem(Code::kQuotaExceeded,
                       "The workspace holds as much as it may. Remove files that are not needed.");
    }
    if (meter_.add_written(bytes)) return {};
    return Problem(Code::kQuotaExceeded,
                   "This session has written as much as it may. Ask the operator for more.");
}

Attempt<void> Files::commit(const Change& change, std::string_view content,
                            std::optional<Mode> mode) const {
    const auto git = turn_with_git(change.path);
    const std::shared_lock names_stay(names());
    if (auto allowed = check_obeyed(change.path, search::GitChange::kMake); !allowed)
        return allowed;
    const std::uint64_t replaced = change.old ? change.old->bytes.size() : 0;
    if (auto allowed = count_written(content.size(), replaced); !allowed) return allowed.error();
    WriteOptions options;
    options.make_parents = true;
    options.mode = mode;
    options.must_create = !change.old;
    if (change.old) options.replaces = change.old->stat;
    const std::lock_guard turn(turn_of(change.path));
    const auto done = linkless_.write_file(change.path, content, options);
    if (!done) return done.error();
    if (change.old && mode && (change.old->stat.mode & 0777U) != *mode) {
        if (auto set = linkless_.chmod(change.path, *mode); !set) return set.error();
    }
    mark_written(change.path, content);
    return {};
}

// Its own name is asked, which takes fewer calls than following it.
void Files::mark_written(const std::string& canonical, std::string_view content) const {
    if (reads_ == nullptr) return;
    if (const auto now = linkless_.lstat(canonical)) {
        reads_->mark_read(now->identity, canonical, content);
    }
}

Attempt<void> Files::restore(const Change& change, const std::optional<std::string>& made) const {
    const std::shared_lock names_stay(names());
    const std::lock_guard turn(turn_of(change.path));
    WriteOptions options;
    if (made) {
        const auto now = linkless_.read_file(change.path, made->size());
        if (!now || *now != *made)
            return as_error(refuse(Code::kStaleRead), "restore", change.path);
        const auto stat = linkless_.stat(change.path);
        if (!stat) return stat.error();
        options.replaces = *stat;
    }
    if (!change.old) {
        if (const auto done = linkless_.remove(change.path); !done) return done.error();
        return {};
    }
    const Mode mode = change.old->stat.mode & 0777U;
    options.must_create = !made;
    options.mode = mode;
    const auto done = linkless_.write_file(change.path, change.old->bytes, options);
    if (!done) return done.error();
    if (made && (options.replaces->mode & 0777U) != mode) {
        if (auto set = linkless_.chmod(change.path, mode); !set) return set.error();
    }
    mark_written(change.path, change.old->bytes);
    return {};
}

// What is below `directory` is judged by the names that it has, or will have, below `named`. What a
// rule hides is not named in the refusal; what cannot be looked at is not carried away.
Attempt<void> Files::check_below(const std::string& directory, const std::string& named,
                                 Purpose purpose) const {
    if (!rules_.covers_something_below(ruled_directory(named))) return {};
    const bool is_changed = purpose == Purpose::kChange && named == directory;
    Attempt<void> verdict;
    search::NotableMap notable;
    const Status walked = linkless_.walk(directory, [&](const WalkEntry& entry) {
        if (is_changed && search::is_git_name(entry.name, entry.type)) {
            const std::string_view holder =
                entry.path.substr(0, entry.path.size() - entry.name.size() - 1);
            notable[std::string(holder)].push_back({std::string(entry.name), entry.type});
        }
        const std::string path = named + std::string(entry.path.substr(directory.size()));
        verdict = check(path, path, purpose);
        if (!verdict && hides(path)) {
            verdict = Problem(Code::kDeniedByRule,
                              "'" + shown(named) + "' holds something that the workspace's rule '" +
                                  std::string(rules_.decide(ruled(path)).pattern) +
                                  "' protects. Work with another file.");
        }
        if (verdict && entry.failure != nullptr && is_changed) {
            verdict = Attempt<void>(as_error(*entry.failure, "look into", path));
        }
        return verdict ? WalkAction::kContinue : WalkAction::kStop;
    });
    if (!verdict) return verdict;
    const bool is_leaf = !walked && (walked.error().code == Code::kNotADirectory ||
                                     walked.error().code == Code::kNotFound ||
                                     walked.error().code == Code::kPathEscape);
    if (!walked && !is_leaf) return walked.error();
    for (const search::GitPart& part : search::git_parts(linkless_, notable)) {
        if (auto allowed = check_part(part, part.path); !allowed) return allowed;
    }
    return {};
}

Attempt<void> Files::make_directory(const std::string& canonical) const {
    const auto git = turn_with_git(canonical);
    const std::shared_lock turn(names());
    return make_directories(canonical);
}

Attempt<void> Files::make_directories(const std::string& canonical) const {
    if (auto allowed = check(canonical, canonical, Purpose::kChange); !allowed) return allowed;
    if (auto allowed = check_obeyed(canonical, search::GitChange::kMake); !allowed) return allowed;
    if (auto allowed = count_written(0, 0); !allowed) return allowed;
    const auto made = linkless_.mkdir_all(canonical);
    if (!made) return made.error();
    return {};
}

Attempt<void> Files::make_parent(const std::string& canonical) const {
    const std::size_t slash = canonical.rfind('/');
    if (slash == std::string::npos) return {};
    const std::string parent = canonical.substr(0, slash);
    const auto there = linkless_.stat(parent);
    if (there && there->type == FileType::kDirectory) return {};
    return make_directories(parent);
}

Attempt<void> Files::check_replaced(const std::string& canonical) const {
    if (reads_ == nullptr) return {};
    const auto stat = stat_name(canonical);
    if (!stat || stat->type != FileType::kRegular) return {};
    const auto content = read(canonical, limits::kReadFileBytesMax);
    if (!content) return content.error();
    return check_known(*content);
}

Attempt<void> Files::move(const std::string& from, const std::string& to, bool overwrite) const {
    for (const std::string& path : {from, to}) {
        if (auto allowed = check(path, path, Purpose::kChange); !allowed) return allowed;
    }
    const std::lock_guard turn(names());
    for (const std::string& path : {from, to}) {
        if (auto allowed = check_below(path, path, Purpose::kChange); !allowed) return allowed;
    }
    if (auto allowed = check_below(from, to, Purpose::kChange); !allowed) return allowed;
    for (const search::GitChange change :
         {search::GitChange::kMake, search::GitChange::kTakeAway}) {
        if (auto allowed = check_obeyed(to, change); !allowed) return allowed;
    }
    if (auto allowed = check_obeyed(from, search::GitChange::kTakeAway); !allowed) return allowed;
    if (overwrite) {
        if (auto known = check_replaced(to); !known) return known;
    }
    if (auto made = make_parent(to); !made) return made;
    const auto done =
        linkless_.rename(from, to, overwrite ? RenameMode::kReplace : RenameMode::kNoReplace);
    if (!done) return done.error();
    return {};
}

Attempt<Copied> Files::copy(const std::string& from, const std::string& to, bool overwrite) const {
    if (auto allowed = check(from, from, Purpose::kLook); !allowed) return allowed.error();
    if (auto allowed = check_below(from, from, Purpose::kLook); !allowed) return allowed.error();
    if (auto allowed = check(to, to, Purpose::kChange); !allowed) return allowed.error();
    Copied copied;
    const auto stat = stat_name(from);
    if (!stat) return stat.error();
    if (stat->type == FileType::kDirectory) {
        if (to.starts_with(from + "/")) {
            return Problem(Code::kInvalidArgument,
                           "A directory cannot be copied into itself. Choose another destination.");
        }
        if (auto allowed = check_below(from, to, Purpose::kChange); !allowed) {
            return allowed.error();
        }
    }
    {
        const auto git = turn_with_git(to);
        const std::shared_lock turn(names());
        if (auto made = make_parent(to); !made) return made.error();
    }
    if (auto done = copy_one(from, to, stat->type, overwrite, copied); !done) return done.error();
    if (stat->type != FileType::kDirectory) return copied;
    Attempt<void> verdict;
    const Status walked = linkless_.walk(from, [&](const WalkEntry& entry) {
        const std::string target = to + std::string(entry.path.substr(from.size()));
        if (entry.failure != nullptr) ++copied.left_out;
        if (entry.failure == nullptr) {
            verdict = copy_one(std::string(entry.path), target, entry.type, overwrite, copied);
        }
        return verdict ? WalkAction::kContinue : WalkAction::kStop;
    });
    if (!verdict) return verdict.error();
    if (!walked) return walked.error();
    return copied;
}

Attempt<void> Files::copy_one(const std::string& from, const std::string& to, FileType type,
                              bool overwrite, Copied& copied) const {
    if (auto allowed = check(from, from, Purpose::kLook); !allowed) return allowed;
    if (auto allowed = check(to, to, Purpose::kChange); !allowed) return allowed;
    const auto git = turn_with_git(to);
    const std::shared_lock turn(names());
    if (auto allowed = check_obeyed(to, search::GitChange::kMake); !allowed) return allowed;
    Status done;
    if (type == FileType::kDirectory) {
        if (auto allowed = count_written(0, 0); !allowed) return allowed;
        done = linkless_.mkdir(to);
        const bool merges = !done && overwrite && done.error().code == Code::kAlreadyExists;
        if (merges) done = Status();
    } else if (type == FileType::kRegular) {
        const auto stat = linkless_.lstat(from);
        if (!stat) return stat.error();
        if (overwrite) {
            if (auto known = check_replaced(to); !known) return known;
        }
        if (auto allowed = count_written(stat->size, 0); !allowed) return allowed;
        done = linkless_.copy_file(from, to, overwrite);
        ++copied.files;
    } else if (type == FileType::kSymlink) {
        const auto target = linkless_.readlink(from);
        if (!target) return target.error();
        done = linkless_.symlink(target->text, to);
        if (!done && done.error().code == Code::kPathEscape) {
            ++copied.left_out;
            return {};
        }
        ++copied.files;
    } else {
        ++copied.left_out;
    }
    if (!done) return done.error();
    return {};
}

Attempt<void> Files::remove(const std::string& canonical, bool recursive) const {
    if (auto allowed = check(canonical, canonical, Purpose::kChange); !allowed) return allowed;
    if (auto allowed = check_below(canonical, canonical, Purpose::kChange); !allowed)
        return allowed;
    if (auto allowed = check_obeyed(canonical, search::GitChange::kTakeAway); !allowed)
        return allowed;
    const auto done = recursive ? linkless_.remove_all(canonical) : linkless_.remove(canonical);
    if (!done) return done.error();
    return {};
}

Attempt<void> Files::remove(const Change& change) const {
    const auto now = stat_name(change.path);
    const Stat& then = change.old->stat;
    const bool is_same = now && now->identity == then.identity && now->size == then.size &&
                         now->modified == then.modified;
    if (!is_same) return as_error(refuse(Code::kStaleRead), "remove", change.path);
    return remove(change.path, false);
}

}  // namespace paddock::tools
