// Moving and copying. All that can be known before is asked before the first step: the rules, the
// tracker, what is in the way. A copy looks at its whole source for that before it begins. What
// fails later all the same tells how far it came.
#include <mutex>
#include <shared_mutex>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "search/git_layout.h"
#include "tools/files.h"
#include "tools/turns.h"

namespace paddock::tools {
namespace {

constexpr Mode kPrivate = 0700;
constexpr std::size_t kLeftOutNamed = 5;

// Of a directory in the source: what it holds is left out, and the rest is copied.
const char* reason_to_leave(const Failure& failure) {
    if (failure.code == Code::kPermissionDenied) return "its content may not be read";
    if (failure.code == Code::kMountCrossing) return "something is mounted there";
    return nullptr;
}

// A link brings all that it leads to.
search::GitChange brought_by(FileType type) {
    return type == FileType::kSymlink ? search::GitChange::kTakeAway : search::GitChange::kMake;
}

std::string counted(std::size_t number, const char* one, const char* many) {
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

Problem partly(Problem problem, const Copied& copied) {
    // The name was free when this began.
    if (problem.code == Code::kAlreadyExists) problem.code = Code::kRace;
    problem.text += " Before that " + counted(copied.files, "file", "files") + " and " +
                    counted(copied.made.size(), "directory", "directories") +
                    " had been copied; the rest was not. Look at what is there before you go on.";
    return problem;
}

}  // namespace

void Files::leave_out(Copied& copied, const std::string& path, const char* why) const {
    if (++copied.left_out > kLeftOutNamed + 1) return;
    if (copied.left_out > kLeftOutNamed) {
        copied.left_out_names += ", and more";
        return;
    }
    if (copied.left_out > 1) copied.left_out_names += ", ";
    copied.left_out_names += "'" + shown(path) + "' (" + why + ")";
}

std::vector<std::string> Files::missing_parents(const std::string& canonical) const {
    std::vector<std::string> missing;
    for (std::string_view at = fs::parent_of(canonical); !at.empty(); at = fs::parent_of(at)) {
        if (linkless_.exists(at).value_or(true)) break;
        missing.emplace_back(at);
    }
    return missing;
}

// One that somebody else has filled meanwhile stays.
void Files::remove_empty(const std::vector<std::string>& directories) const {
    for (const std::string& directory : directories) (void)to_change().remove(directory);
}

Attempt<std::optional<Stat>> Files::replaced(const std::string& canonical) const {
    const auto stat = linkless_.lstat(canonical);
    if (!stat && stat.error().code == Code::kNotFound) return std::nullopt;
    if (!stat) return told(stat.error());
    if (stat->type == FileType::kDirectory) {
        return told(as_error(refuse(Code::kIsADirectory), "replace", canonical));
    }
    if (stat->type != FileType::kRegular) {
        return Problem(Code::kNotRegularFile, "'" + shown(canonical) +
                                                  "' is a link or a special file and is not "
                                                  "replaced. Remove it first if it is to go.");
    }
    if (auto writable = to_change().check_writable(canonical); !writable)
        return told(writable.error());
    if (reads_ == nullptr) return *stat;
    const auto content = read(canonical, limits::kReadFileBytesMax);
    if (!content) return content.error();
    if (auto known = check_known(*content); !known) return known.error();
    return content->stat;
}

Attempt<void> Files::check_move(const std::string& from, const std::string& to,
                                bool overwrite) const {
    const auto source = linkless_.lstat(from);
    if (!source) return told(source.error());
    const bool is_directory = source->type == FileType::kDirectory;
    if (is_directory && to.starts_with(from + "/")) {
        return Problem(Code::kInvalidArgument,
                       "A directory cannot be moved into itself. Choose another destination.");
    }
    if (is_directory) {
        if (auto allowed = check_below(from, from); !allowed) return allowed;
        if (auto allowed = check_below(from, to); !allowed) return allowed;
    } else if (source->type == FileType::kSymlink) {
        if (auto allowed = check_link(to); !allowed) return allowed;
    }
    // What is in the way goes, and what is below comes along.
    if (overwrite) {
        if (auto allowed = check_below(to, to); !allowed) return allowed;
    }
    for (const std::string& path : {from, to}) {
        if (auto allowed = check_obeyed(path, search::GitChange::kTakeAway); !allowed)
            return allowed;
    }
    if (!overwrite || is_directory) return {};
    if (auto known = replaced(to); !known) return known.error();
    return {};
}

Attempt<void> Files::move(const std::string& from, const std::string& to, bool overwrite) const {
    for (const std::string& path : {from, to}) {
        if (auto allowed = check(path, Purpose::kChange); !allowed) return allowed;
    }
    const std::lock_guard turn(names());
    if (auto allowed = check_move(from, to, overwrite); !allowed) return allowed;
    const std::vector<std::string> made = missing_parents(to);
    if (auto parents = make_missing(made); !parents) {
        remove_empty(made);
        return parents;
    }
    const auto done =
        to_change().rename(from, to, overwrite ? RenameMode::kReplace : RenameMode::kNoReplace);
    if (!done) {
        remove_empty(made);
        return told(done.error());
    }
    if (!overwrite) return {};
    // To rename one name of a file to another of the same file does nothing. Where names ignore
    // case both may be its only one.
    const auto left = linkless_.lstat(from);
    const auto there = left ? linkless_.lstat(to) : left;
    if (!there || left->identity != there->identity || left->links < 2) return {};
    if (auto removed = to_change().remove(from); !removed) return told(removed.error());
    return {};
}

Attempt<Copied> Files::copy(const std::string& from, const std::string& to, bool overwrite,
                            const std::stop_token& cancel) const {
    if (auto allowed = check(from, Purpose::kLook); !allowed) return allowed.error();
    if (auto allowed = check(to, Purpose::kChange); !allowed) return allowed.error();
    const auto stat = stat_name(from);
    if (!stat) return stat.error();
    const bool is_directory = stat->type == FileType::kDirectory;
    if (is_directory && to.starts_with(from + "/")) {
        return Problem(Code::kInvalidArgument,
                       "A directory cannot be copied into itself. Choose another destination.");
    }
    const CopyStep whole{from, to, stat->type, overwrite};
    search::GitAbove before(linkless_, home_);
    const auto check_each = [&](const CopyStep& step) {
        return cancel.stop_requested() ? call_cancelled() : check_copy(whole, step, before);
    };
    if (auto allowed = for_each_step(whole, nullptr, check_each); !allowed) {
        Problem problem = allowed.error();
        if (is_directory) problem.text += " Nothing was copied.";
        return problem;
    }
    Copied copied;
    const std::vector<std::string> made = missing_parents(to);
    auto done = [&] {
        const auto git = turn_with_git(to);
        const std::shared_lock turn(names());
        return make_missing(made);
    }();
    search::GitAbove above(linkless_, home_);
    const auto copy_each = [&](const CopyStep& step) {
        return cancel.stop_requested() ? call_cancelled() : copy_one(whole, step, above, copied);
    };
    if (done) done = for_each_step(whole, &copied, copy_each);
    if (done) done = give_modes(copied);
    const bool has_something = copied.files + copied.made.size() > 0;
    if (!has_something) remove_empty(made);
    if (!done) return has_something ? partly(done.error(), copied) : done.error();
    if (!is_directory && copied.left_out > 0) {
        return Problem(Code::kPathEscape,
                       "Nothing was copied: " + copied.left_out_names + ". Name another source.");
    }
    return copied;
}

// `copied`: where to note what cannot be looked into.
Attempt<void> Files::for_each_step(const CopyStep& first, Copied* copied,
                                   const std::function<Attempt<void>(const CopyStep&)>& act) const {
    Attempt<void> verdict = act(first);
    if (!verdict || first.type != FileType::kDirectory) return verdict;
    const Status walked = linkless_.walk(first.from, [&](const WalkEntry& entry) {
        const std::string from(entry.path);
        if (entry.failure == nullptr) {
            verdict = act({from, first.to + from.substr(first.from.size()), entry.type,
                           first.overwrite, true});
        } else if (const char* why = reason_to_leave(*entry.failure)) {
            if (copied != nullptr) leave_out(*copied, from, why);
        } else {
            verdict = Attempt<void>(told(as_error(*entry.failure, "look into", from)));
        }
        return verdict ? WalkAction::kContinue : WalkAction::kStop;
    });
    if (!verdict) return verdict;
    if (!walked) return told(walked.error());
    return {};
}

Attempt<void> Files::check_names(const CopyStep& whole, const CopyStep& step) const {
    if (auto allowed = check_in(whole.from, step.from, Purpose::kLook); !allowed) return allowed;
    if (auto allowed = check_in(whole.to, step.to, Purpose::kChange); !allowed) return allowed;
    return step.type == FileType::kSymlink ? check_link(step.to) : Attempt<void>();
}

// check_obeyed, for one step after the other: the directories above this one, as far as they are
// part of the copy, were steps before.
Attempt<void> Files::check_step_obeyed(const CopyStep& step, search::GitAbove& above) const {
    const search::GitChange change = brought_by(step.type);
    if (!step.is_below) return check_obeyed(step.to, change);
    if (search::is_obeyed_part(linkless_, step.to, change)) {
        const search::GitPart part{step.to, search::GitPart::Kind::kConfig,
                                   std::string(fs::parent_of(step.to))};
        if (auto allowed = check_part(part, step.to); !allowed) return allowed;
    }
    return check_parts(above.parts_above(step.to), step.to, change);
}

Attempt<void> Files::check_copy(const CopyStep& whole, const CopyStep& step,
                                search::GitAbove& above) const {
    const auto& [from, to, type, overwrite, is_below] = step;
    if (auto allowed = check_names(whole, step); !allowed) return allowed;
    if (auto allowed = check_step_obeyed(step, above); !allowed) return allowed;
    // What makes a repository here makes one there.
    if (is_below && search::is_obeyed_part(linkless_, from, search::GitChange::kTakeAway)) {
        const std::string there(fs::parent_of(to));
        const search::GitPart part{to, search::GitPart::Kind::kConfig, there};
        if (auto allowed = check_part(part, to); !allowed) return allowed;
    }
    if (const auto path = linkless_.normalized(to); !path) return told(path.error());
    const bool is_special =
        type != FileType::kRegular && type != FileType::kDirectory && type != FileType::kSymlink;
    if (is_special && !is_below) {
        return Problem(Code::kNotRegularFile,
                       "'" + shown(from) +
                           "' is neither a file nor a directory nor a link and cannot be copied. "
                           "Name another source.");
    }
    if (type == FileType::kRegular) {
        if (const auto readable = to_look().open_file(from); !readable)
            return told(readable.error());
    }
    return is_special ? Attempt<void>() : check_in_the_way(step);
}

Attempt<void> Files::check_in_the_way(const CopyStep& step) const {
    const auto there = linkless_.lstat(step.to);
    if (!there && there.error().code == Code::kNotFound) return {};
    if (!there) return told(there.error());
    const bool merges = there->type == FileType::kDirectory && step.type == FileType::kDirectory;
    if (!step.overwrite || step.type == FileType::kSymlink) {
        return told(as_error(refuse(Code::kAlreadyExists), "copy to", step.to));
    }
    if (merges) return {};
    if (step.type == FileType::kDirectory) {
        return told(as_error(refuse(Code::kNotADirectory), "copy to", step.to));
    }
    if (auto known = replaced(step.to); !known) return known.error();
    return {};
}

// A directory is private until all that is in it has its own permissions.
Attempt<void> Files::copy_directory(const CopyStep& step, Copied& copied) const {
    const auto stat = stat_name(step.from);
    if (!stat) return stat.error();
    if (auto allowed = count_written(0); !allowed) return allowed;
    const auto done = to_change().mkdir(step.to, kPrivate);
    const bool merges = !done && step.overwrite && done.error().code == Code::kAlreadyExists;
    if (merges) return {};
    if (!done) return told(done.error());
    copied.made.push_back({step.to, stat->mode & 0777U});
    return {};
}

// From the deepest to the first: none is closed before what is in it.
Attempt<void> Files::give_modes(const Copied& copied) const {
    for (auto it = copied.made.rbegin(); it != copied.made.rend(); ++it) {
        if (it->mode == kPrivate) continue;
        if (const auto done = to_change().chmod(it->path, it->mode); !done)
            return told(done.error());
    }
    return {};
}

Attempt<void> Files::copy_one(const CopyStep& whole, const CopyStep& step, search::GitAbove& above,
                              Copied& copied) const {
    if (auto allowed = check_names(whole, step); !allowed) return allowed;
    const auto git = turn_with_git(step.to);
    const std::shared_lock turn(names());
    if (auto allowed = check_step_obeyed(step, above); !allowed) return allowed;
    if (auto made = make_copy(step, copied); !made) return made;
    const std::string_view name = fs::leaf_of(step.to);
    if (search::has_git_name(name) || search::is_git_directory_name(name)) {
        above.look_again(fs::parent_of(step.to));
    }
    return {};
}

Attempt<void> Files::make_copy(const CopyStep& step, Copied& copied) const {
    const auto& [from, to, type, overwrite, is_below] = step;
    if (type == FileType::kDirectory) return copy_directory(step, copied);
    if (type == FileType::kRegular) {
        if (auto made = copy_content(from, to, overwrite); !made) return made;
    } else if (type == FileType::kSymlink) {
        const auto target = to_look().readlink(from);
        if (!target) return told(target.error());
        const auto done = to_change().symlink(target->text, to);
        if (!done && done.error().code == Code::kPathEscape) {
            leave_out(copied, from, "a link that leads outside");
            return {};
        }
        if (!done) return told(done.error());
    } else {
        leave_out(copied, from, "a special file");
        return {};
    }
    ++copied.files;
    return {};
}

Attempt<void> Files::copy_content(const std::string& from, const std::string& to,
                                  bool overwrite) const {
    const std::lock_guard turn(turn_of(to));
    const auto source = to_look().open_file(from);
    if (!source) return told(source.error());
    std::optional<Stat> old;
    if (overwrite) {
        const auto known = replaced(to);
        if (!known) return known.error();
        old = *known;
    }
    const auto freed = old ? std::optional(old->size) : std::nullopt;
    if (auto allowed = count_written(source->stat().size, freed); !allowed) return allowed;
    const auto done = to_change().copy_file(*source, to, old.has_value(), old);
    if (!done) return told(done.error());
    return {};
}

}  // namespace paddock::tools
