#include <algorithm>
#include <functional>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "sys/io.h"
#include "text/diff.h"
#include "tools/files.h"
#include "tools/text_window.h"

namespace paddock::tools {

namespace {

// Made of texts without their secrets: a part of one may have no shape that tells it. Nothing of
// what is no text.
std::string what_changed(const secrets::SecretScanner* scanner, std::string_view before,
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

Result<void> Files::check_known(const FileContent& content) const {
    if (reads_ == nullptr) return {};
    if (reads_->has_been_read(content.stat.identity, content.path, content.bytes)) return {};
    const std::string name = "'" + shown(content.path) + "'";
    const auto before = reads_->last_read(content.path);
    if (!before) {
        // An empty file and a copy of a known one hold nothing that the session has not seen.
        if (content.bytes.empty() || reads_->knows_content(content.bytes)) return {};
        return tool_error(Code::kNotRead, name +
                                              " exists and has not been read in this session. The "
                                              "output of a command does not count. "
                                              "Read it first with read_file, then change it.");
    }
    std::string text = name + " has changed since it was read. Read it again.";
    if (before->content) {
        const std::string diff = what_changed(scanner_, *before->content, content.bytes);
        if (!diff.empty()) text += " What changed:\n" + diff;
    }
    return tool_error(Code::kStaleRead, std::move(text));
}

Result<Resolution> Files::target(std::string_view path) const {
    return resolve(written(path), path, Purpose::kChange);
}

Result<Change> Files::known(OpenFile file) const {
    auto bytes = file.read_all(limits::kReadFileBytesMax);
    if (!bytes) return bytes.error();
    FileContent content{file.path(), file.stat(), std::move(*bytes)};
    if (auto known = check_known(content); !known) return known.error();
    return Change{file.path(), std::move(content)};
}

Result<Change> Files::prepare(std::string_view given) const {
    const std::string path = written(given);
    const auto lexical = root_.normalized(path);
    if (!lexical) return with_shown_path(lexical.error(), given);
    if (auto allowed = check(*lexical, Purpose::kChange, given); !allowed) return allowed.error();
    // Where no link is on the way, that is the canonical path.
    if (!names_directory(path)) {
        if (auto handle = open_to_read(*lexical)) {
            return known(OpenFile(*lexical, named_given(given), std::move(*handle), meter_));
        }
    }
    const auto found = resolve(path, given, Purpose::kChange);
    if (!found) return found.error();
    if (names_directory(path)) {
        return tool_error(Code::kIsADirectory,
                          "'" + shown_given(given) + "' names a directory. Name a file.");
    }
    if (!found->exists) return Change{found->path, std::nullopt};
    auto handle = open_to_read(found->path);
    if (!handle) return with_shown_path(handle.error(), given);
    return known(OpenFile(found->path, named_given(given), std::move(*handle), meter_));
}

// No link leads to what is in the way: else the name would be another one when that has gone.
Result<Blocked> Files::blocked(std::string_view given) const {
    const std::string path = written(given);
    const auto lexical = root_.normalized(path);
    if (!lexical) return with_shown_path(lexical.error(), given);
    Result<Blocked> none =
        with_shown_path(as_error(refuse(Code::kNotADirectory), "write", *lexical), given);
    if (names_directory(path)) return none;
    for (std::string_view at = *lexical; !at.empty(); at = fs::parent_of(at)) {
        const auto found = resolve(at, given, Purpose::kLook);
        if (!found && found.error().code == Code::kNotADirectory) continue;
        if (!found) return found.error();
        const bool is_whole = at.size() == lexical->size();
        const auto own = linkless_.lstat(at);
        const FileType in_the_way = is_whole ? FileType::kDirectory : FileType::kRegular;
        if (!own || own->type != in_the_way) return none;
        std::string canonical = found->path + lexical->substr(at.size());
        if (auto fine = check(canonical, Purpose::kChange, given); !fine) return fine.error();
        return Blocked{std::move(canonical), found->path};
    }
    return none;
}

Result<std::vector<std::string>> Files::directories_of(const std::string& canonical,
                                                       const Goes& goes) const {
    std::vector<std::string> directories{canonical};
    bool stays = false;
    const Status walked = linkless_.walk(canonical, [&](const WalkEntry& entry) {
        const bool is_directory = entry.type == FileType::kDirectory;
        if (is_directory) directories.emplace_back(entry.path);
        stays = entry.failure != nullptr || (!is_directory && !goes(std::string(entry.path)));
        return stays ? WalkAction::kStop : WalkAction::kContinue;
    });
    if (!walked) return with_shown_path(walked.error());
    if (stays) {
        return tool_error(
            Code::kIsADirectory,
            "'" + shown(canonical) +
                "' is a directory, and the patch does not remove everything in it. Name a file.");
    }
    std::sort(directories.begin(), directories.end(), std::greater<>());
    return directories;
}

Result<void> Files::count_written(std::uint64_t bytes, std::optional<std::uint64_t> freed) const {
    if (const auto claimed = disk_.claim(bytes, freed); !claimed) {
        if (claimed.error().code != Code::kQuotaExceeded) return claimed.error();
        return tool_error(
            Code::kQuotaExceeded,
            "The workspace has reached its disk quota. Remove files that are not needed.");
    }
    if (meter_.add_written(bytes)) return {};
    return tool_error(Code::kQuotaExceeded,
                      "This session has reached its write limit. Ask the operator for more.");
}

Result<journal::Intent> Files::announce(Recorder::Change& change, const std::string& canonical,
                                        FileType type, const std::optional<Stat>& old) const {
    if (auto adopted = adopt_configs(change, canonical); !adopted) return adopted.error();
    auto intent = change.will_make(canonical, type, old);
    if (!intent) return with_shown_path(as_error(intent.error(), "record", canonical));
    return std::move(*intent);
}

Result<void> Files::adopt_configs(Recorder::Change& change, const std::string& canonical) const {
    for (const std::string& config : judge_.configs_completed_by(canonical)) {
        const auto stat = linkless_.lstat(config);
        const auto text = linkless_.read_file(config, git::judged_bytes_max(config));
        if (!stat || !text) return with_shown_path(stat ? text.error() : stat.error());
        if (auto fine = allowed(judge_.judge_new_config(config, *text), config); !fine) return fine;
        auto intent = change.will_make(config, FileType::kRegular, *stat);
        if (!intent) return with_shown_path(as_error(intent.error(), "record", config));
        WriteOptions options;
        options.replaces = *stat;
        options.mode_of_old = true;
        if (const auto written = linkless_.write_file(config, *text, options); !written) {
            intent->failed();
            return with_shown_path(written.error());
        }
        change.made(config, *intent);
    }
    return {};
}

Result<void> Files::commit(const Change& change, std::string_view content, std::optional<Mode> mode,
                           const Model& like) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    if (auto fine = check_file(change.path, content); !fine) return fine;
    const auto freed = change.old ? std::optional(change.old->stat.size) : std::nullopt;
    if (auto counted = count_written(content.size(), freed); !counted) return counted;
    const auto parents = change.old ? std::vector<std::string>() : missing_parents(change.path);
    if (auto made = make_missing(*begun, parents); !made) return made;
    auto written = write_new(*begun, change, content, mode, like);
    if (!written) remove_empty(*begun, parents);
    return written;
}

Result<void> Files::write_new(Recorder::Change& begun, const Change& change,
                              std::string_view content, std::optional<Mode> mode,
                              const Model& like) const {
    const auto old = change.old ? std::optional(change.old->stat) : std::nullopt;
    auto intent = announce(begun, change.path, FileType::kRegular, old);
    if (!intent) return intent.error();
    WriteOptions options;
    options.mode = mode;
    options.less_umask = like.path.empty();
    options.mode_of_old = true;
    options.like = like.path;
    options.like_is_optional = like.is_optional;
    options.must_create = !change.old;
    options.replaces = old;
    const auto done = linkless_.put_file(change.path, content, options);
    if (!done) intent->failed();
    const bool is_gone = !done && change.old && done.error().code == Code::kNotFound;
    if (is_gone) return with_shown_path(as_error(refuse(Code::kStaleRead), "write", change.path));
    if (!done) return with_shown_path(done.error());
    begun.made(change.path, *intent);
    mark_written(reads_, *done, change.path, content);
    return {};
}

Result<void> Files::restore(const Change& change, const std::string& made) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    // Looked at before it is read: whoever writes later has changed it.
    const auto stat = linkless_.lstat(change.path);
    const bool is_gone = !stat && stat.error().code == Code::kNotFound;
    if (!stat && !is_gone) return with_shown_path(stat.error());
    const auto now = linkless_.read_file(change.path, made.size());
    if (is_gone || !now || *now != made)
        return with_shown_path(as_error(refuse(Code::kStaleRead), "restore", change.path));
    if (!change.old) return take_away(*begun, change.path, *stat);
    auto intent = announce(*begun, change.path, FileType::kRegular, *stat);
    if (!intent) return intent.error();
    WriteOptions options;
    options.replaces = *stat;
    options.mode = change.old->stat.mode & 0777U;
    options.mode_of_old = true;
    const auto done = linkless_.put_file(change.path, change.old->bytes, options);
    if (!done) intent->failed();
    if (!done) return with_shown_path(done.error());
    begun->made(change.path, *intent);
    mark_written(reads_, *done, change.path, change.old->bytes);
    return {};
}

Result<void> Files::give_name(Recorder::Change& change, const std::string& from,
                              const std::string& to, RenameMode mode,
                              const std::optional<Stat>& replaces) const {
    const auto stat = linkless_.lstat(from);
    if (!stat) return with_shown_path(stat.error());
    if (auto adopted = adopt_configs(change, to); !adopted) return adopted;
    const auto there = linkless_.lstat(to);
    const bool takes_a_name =
        mode == RenameMode::kReplace && there && there->identity != stat->identity;
    auto intent =
        change.will_rename(from, to, *stat, takes_a_name ? std::optional(*there) : std::nullopt);
    if (!intent) return with_shown_path(as_error(intent.error(), "record", from));
    const auto done = linkless_.rename(from, to, mode, replaces);
    if (!done) intent->failed();
    if (!done) return with_shown_path(done.error());
    return {};
}

// The kernel renames whatever has the name by then: only afterwards it can be told what that was.
Result<void> Files::rename_known(Recorder::Change& begun, const KnownFile& known,
                                 const std::string& from, const std::string& to,
                                 std::string_view purpose) const {
    const auto stale = [&] {
        return with_shown_path(as_error(refuse(Code::kStaleRead), purpose, known.name));
    };
    if (!is_still(linkless_, from, known.stat)) return stale();
    if (auto done = give_name(begun, from, to, RenameMode::kNoReplace); !done) return done;
    if (is_still(linkless_, to, known.stat)) return {};
    Error problem = stale();
    if (!give_name(begun, to, from, RenameMode::kNoReplace))
        add_to(problem, " The file that somebody else put there is now at '" + shown(to) + "'.");
    return problem;
}

Result<void> Files::take_away(Recorder::Change& change, const std::string& canonical,
                              const Stat& stat) const {
    if (const auto done = change.remove(canonical, stat); !done)
        return with_shown_path(as_error(done.error(), "remove", canonical));
    return {};
}

Result<void> Files::rename(const std::string& from, const FileContent& file,
                           const std::string& to) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    if (auto fine = allowed(judge_.move(from, to, FileType::kRegular), to); !fine) return fine;
    if (judge_.is_config(to)) {
        if (auto fine = allowed(judge_.judge_config(to, file.bytes), to); !fine) return fine;
    }
    if (!is_still(linkless_, from, file.stat)) {
        return with_shown_path(as_error(refuse(Code::kStaleRead), "rename", file.path));
    }
    if (auto made = make_missing(*begun, missing_parents(to)); !made) return made;
    if (auto done = rename_known(*begun, {file.stat, file.path}, from, to, "rename"); !done) {
        return done;
    }
    mark_written(reads_, file.stat.identity, to, file.bytes);
    return {};
}

Result<void> Files::exchange(const Change& one, const Change& other, bool is_back) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    const auto verdict =
        judge_.exchange(one.path, FileType::kRegular, other.path, FileType::kRegular);
    if (auto fine = allowed(verdict, other.path); !fine) return fine;
    const auto& [of_one, of_other] = std::pair(&*one.old, &*other.old);
    if (auto fine = check_file(one.path, of_other->bytes); !fine) return fine;
    if (auto fine = check_file(other.path, of_one->bytes); !fine) return fine;
    for (const Change* change : {&one, &other}) {
        if (is_back || is_still(linkless_, change->path, change->old->stat)) continue;
        return with_shown_path(as_error(refuse(Code::kStaleRead), "rename", change->path));
    }
    auto intent = begun->will_exchange(one.path, other.path);
    if (!intent) return with_shown_path(as_error(intent.error(), "record", one.path));
    const auto done = linkless_.rename(one.path, other.path, RenameMode::kExchange);
    if (!done) intent->failed();
    if (!done && done.error().code == Code::kInvalidArgument) {
        return tool_error(Code::kNotAvailable,
                          "'" + shown(one.path) + "' and '" + shown(other.path) +
                              "' swap names, which this file system cannot do in "
                              "one step. Rename them one by one.");
    }
    if (!done) return with_shown_path(done.error());
    mark_written(reads_, of_other->stat.identity, one.path, of_other->bytes);
    mark_written(reads_, of_one->stat.identity, other.path, of_one->bytes);
    return {};
}

Result<std::string> Files::set_aside(const Change& change, const std::string& beside) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    if (auto allowed = check_removal(change.path); !allowed) return allowed.error();
    const auto random = sys::random_u64();
    if (!random) return with_shown_path(as_error(random.error(), "remove", change.path));
    const std::string aside =
        fs::joined(fs::parent_of(beside), ".paddock-" + std::to_string(*random));
    if (fs::parent_of(beside) != fs::parent_of(change.path)) {
        const auto verdict = judge_.move(change.path, aside, FileType::kRegular);
        if (auto fine = allowed(verdict, change.path); !fine) return fine.error();
    }
    const KnownFile known{change.old->stat, change.path};
    if (auto done = rename_known(*begun, known, change.path, aside, "remove"); !done)
        return done.error();
    return aside;
}

Result<void> Files::put_back(const std::string& other, const std::string& canonical,
                             const Stat& stat) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    return rename_known(*begun, {stat, canonical}, other, canonical, "rename back");
}

// A file can be written to under any name, through a descriptor.
Result<void> Files::drop_aside(const Change& change, const std::string& aside) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    const auto done = begun->remove(aside, change.old->stat);
    if (done || done.error().code == Code::kNotFound) return {};
    const bool is_stale = done.error().code == Code::kRace;
    Error problem = with_shown_path(
        as_error(is_stale ? refuse(Code::kStaleRead) : done.error(), "remove", change.path));
    if (!give_name(*begun, aside, change.path, RenameMode::kNoReplace))
        add_to(problem, " It is now at '" + shown(aside) + "'.");
    return problem;
}

Result<void> Files::make_directory(const std::string& canonical) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    std::vector<std::string> missing = missing_parents(canonical);
    const auto there = linkless_.exists(canonical);
    if (there && !*there) missing.insert(missing.begin(), canonical);
    if (auto made = make_missing(*begun, missing); !made) return made;
    // What is there must be a directory.
    const auto done = linkless_.mkdir_all(canonical);
    if (!done) return with_shown_path(done.error());
    return {};
}

Result<void> Files::restore_directory(const std::string& canonical, Mode mode) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    if (auto fine = allowed(judge_.make(canonical, FileType::kDirectory), canonical); !fine)
        return fine;
    return make_one_directory(*begun, canonical, mode);
}

Result<void> Files::make_missing(Recorder::Change& change,
                                 const std::vector<std::string>& directories) const {
    // All are asked for before the first is made. What is missing above cannot be looked at.
    for (const std::string& directory : directories) {
        auto fine = allowed(judge_.make(directory, FileType::kDirectory), directory);
        if (!fine) return fine;
    }
    for (auto it = directories.rbegin(); it != directories.rend(); ++it) {
        auto made = make_one_directory(change, *it);
        if (made) continue;
        remove_empty(change, directories);
        return made;
    }
    return {};
}

// One that somebody else has filled meanwhile stays.
void Files::remove_empty(Recorder::Change& change,
                         const std::vector<std::string>& directories) const {
    for (const std::string& directory : directories) {
        const auto stat = linkless_.lstat(directory);
        if (stat) (void)take_away(change, directory, *stat);
    }
}

Result<void> Files::make_one_directory(Recorder::Change& change, const std::string& canonical,
                                       std::optional<Mode> mode) const {
    if (auto counted = count_written(0); !counted) return counted;
    auto intent = announce(change, canonical, FileType::kDirectory);
    if (!intent) return intent.error();
    const auto done = linkless_.mkdir(canonical, mode);
    if (!done) intent->failed();
    if (!done) return with_shown_path(done.error());
    change.made(canonical, *intent);
    return {};
}

Result<void> Files::remove(const std::string& canonical, bool recursive,
                           const std::stop_token& cancel) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    if (auto allowed = check_removal(canonical); !allowed) return allowed;
    if (auto allowed = check_below(canonical, canonical, cancel); !allowed) return allowed;
    const auto stat = linkless_.lstat(canonical);
    if (!stat && recursive && stat.error().code == Code::kNotFound) return {};
    if (!stat) return with_shown_path(stat.error());
    if (cancel.stop_requested()) return call_cancelled();
    if (!recursive) return take_away(*begun, canonical, *stat);
    const auto done = begun->remove_tree(canonical, *stat, cancel);
    if (done) return {};
    Error problem = with_shown_path(as_error(done.error(), "remove", canonical));
    if (stat->type == FileType::kDirectory && !begun->records(canonical)) {
        add_to(problem, " Part of it may be removed. Check what is left before you go on.");
    }
    return problem;
}

Result<void> Files::remove(const Change& change) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    if (auto allowed = check_removal(change.path); !allowed) return allowed;
    const auto done = begun->remove(change.path, change.old->stat);
    if (done) return {};
    const bool is_stale = done.error().code == Code::kRace || done.error().code == Code::kNotFound;
    return with_shown_path(
        as_error(is_stale ? refuse(Code::kStaleRead) : done.error(), "remove", change.path));
}

}  // namespace paddock::tools
