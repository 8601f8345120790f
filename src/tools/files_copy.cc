// Copying. A copy looks at its whole source before it begins, and asks all that can be known then:
// the rules, the tracker, what is in the way. What fails later all the same tells how far it came.
#include <mutex>
#include <shared_mutex>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "search/git_above.h"
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

struct CopyStep {
    std::string from;
    std::string to;
    FileType type;
    bool is_below = false;  // part of a directory that is copied
};

}  // namespace

class Files::Copying {
public:
    Copying(const Files& files, CopyStep whole, bool overwrite, const std::stop_token& cancel)
        : files_(files), whole_(std::move(whole)), overwrite_(overwrite), cancel_(cancel) {}

    Attempt<Copied> run();

private:
    using Act = Attempt<void> (Copying::*)(const CopyStep&);

    Attempt<void> for_each_step(Act act);
    Attempt<void> check_names(const CopyStep& step) const;
    Attempt<void> check_obeyed(const CopyStep& step);
    Attempt<void> check_step(const CopyStep& step);
    Attempt<void> check_in_the_way(const CopyStep& step) const;
    Attempt<void> copy_step(const CopyStep& step);
    Attempt<void> make_copy(const CopyStep& step);
    Attempt<void> copy_directory(const CopyStep& step);
    Attempt<void> copy_content(const std::string& from, const std::string& to) const;
    Attempt<void> give_modes() const;
    void leave_out(const std::string& path, const char* why);

    const Files& files_;
    const CopyStep whole_;
    const bool overwrite_;
    const std::stop_token cancel_;
    std::optional<search::GitAbove> above_;  // of the steps, in each of both rounds
    bool begun_ = false;                     // to copy
    Copied copied_;
};

Attempt<Copied> Files::copy(const std::string& from, const std::string& to, bool overwrite,
                            const std::stop_token& cancel) const {
    if (auto allowed = check(from, Purpose::kLook); !allowed) return allowed.error();
    if (auto allowed = check(to, Purpose::kChange); !allowed) return allowed.error();
    const auto stat = stat_name(from);
    if (!stat) return stat.error();
    if (stat->type == FileType::kDirectory && to.starts_with(from + "/")) {
        return Problem(Code::kInvalidArgument,
                       "A directory cannot be copied into itself. Choose another destination.");
    }
    return Copying(*this, {from, to, stat->type}, overwrite, cancel).run();
}

Attempt<Copied> Files::Copying::run() {
    const bool is_directory = whole_.type == FileType::kDirectory;
    above_.emplace(files_.linkless_, files_.home_);
    if (auto allowed = for_each_step(&Copying::check_step); !allowed) {
        Problem problem = allowed.error();
        if (is_directory) problem.text += " Nothing was copied.";
        return problem;
    }
    const std::vector<std::string> made = files_.missing_parents(whole_.to);
    auto done = [&] {
        const auto git = turn_with_git(whole_.to);
        const std::shared_lock turn(names());
        return files_.make_missing(made);
    }();
    above_.emplace(files_.linkless_, files_.home_);
    begun_ = true;
    if (done) done = for_each_step(&Copying::copy_step);
    if (done) done = give_modes();
    const bool has_something = copied_.files + copied_.made.size() > 0;
    if (!has_something) files_.remove_empty(made);
    if (!done) return has_something ? partly(done.error(), copied_) : done.error();
    if (!is_directory && copied_.left_out > 0) {
        return Problem(Code::kPathEscape,
                       "Nothing was copied: " + copied_.left_out_names + ". Name another source.");
    }
    return std::move(copied_);
}

Attempt<void> Files::Copying::for_each_step(Act act) {
    Attempt<void> verdict = (this->*act)(whole_);
    if (!verdict || whole_.type != FileType::kDirectory) return verdict;
    const Status walked = files_.linkless_.walk(whole_.from, [&](const WalkEntry& entry) {
        const std::string from(entry.path);
        if (entry.failure == nullptr) {
            verdict =
                (this->*act)({from, whole_.to + from.substr(whole_.from.size()), entry.type, true});
        } else if (const char* why = reason_to_leave(*entry.failure)) {
            if (begun_) leave_out(from, why);
        } else {
            verdict = Attempt<void>(files_.told(as_error(*entry.failure, "look into", from)));
        }
        return verdict ? WalkAction::kContinue : WalkAction::kStop;
    });
    if (!verdict) return verdict;
    if (!walked) return files_.told(walked.error());
    return {};
}

Attempt<void> Files::Copying::check_names(const CopyStep& step) const {
    if (auto allowed = files_.check_in(whole_.from, step.from, Purpose::kLook); !allowed)
        return allowed;
    if (auto allowed = files_.check_in(whole_.to, step.to, Purpose::kChange); !allowed)
        return allowed;
    return step.type == FileType::kSymlink ? files_.check_link(step.to) : Attempt<void>();
}

// Files::check_obeyed, for one step after the other: the directories above this one, as far as they
// are part of the copy, were steps before.
Attempt<void> Files::Copying::check_obeyed(const CopyStep& step) {
    const search::GitChange change = brought_by(step.type);
    if (!step.is_below) return files_.check_obeyed(step.to, change);
    if (search::is_obeyed_part(files_.linkless_, step.to, change)) {
        const search::GitPart part{step.to, search::GitPart::Kind::kConfig,
                                   std::string(fs::parent_of(step.to))};
        if (auto allowed = files_.check_part(part, step.to); !allowed) return allowed;
    }
    return files_.check_parts(above_->parts_above(step.to), step.to, change);
}

Attempt<void> Files::Copying::check_step(const CopyStep& step) {
    if (cancel_.stop_requested()) return call_cancelled();
    const auto& [from, to, type, is_below] = step;
    if (auto allowed = check_names(step); !allowed) return allowed;
    if (auto allowed = check_obeyed(step); !allowed) return allowed;
    // What makes a repository here makes one there.
    if (is_below && search::is_obeyed_part(files_.linkless_, from, search::GitChange::kTakeAway)) {
        const std::string there(fs::parent_of(to));
        const search::GitPart part{to, search::GitPart::Kind::kConfig, there};
        if (auto allowed = files_.check_part(part, to); !allowed) return allowed;
    }
    if (const auto path = files_.linkless_.normalized(to); !path) return files_.told(path.error());
    const bool is_special =
        type != FileType::kRegular && type != FileType::kDirectory && type != FileType::kSymlink;
    if (is_special && !is_below) {
        return Problem(Code::kNotRegularFile,
                       "'" + files_.shown(from) +
                           "' is neither a file nor a directory nor a link and cannot be copied. "
                           "Name another source.");
    }
    if (type == FileType::kRegular) {
        if (const auto readable = files_.to_look().open_file(from); !readable)
            return files_.told(readable.error());
    }
    return is_special ? Attempt<void>() : check_in_the_way(step);
}

Attempt<void> Files::Copying::check_in_the_way(const CopyStep& step) const {
    const auto there = files_.linkless_.lstat(step.to);
    if (!there && there.error().code == Code::kNotFound) return {};
    if (!there) return files_.told(there.error());
    const bool merges = there->type == FileType::kDirectory && step.type == FileType::kDirectory;
    if (!overwrite_ || step.type == FileType::kSymlink) {
        return files_.told(as_error(refuse(Code::kAlreadyExists), "copy to", step.to));
    }
    if (merges) return {};
    if (step.type == FileType::kDirectory) return files_.check_room(step.to);
    if (auto known = files_.replaced(step.to); !known) return known.error();
    return {};
}

Attempt<void> Files::Copying::copy_step(const CopyStep& step) {
    if (cancel_.stop_requested()) return call_cancelled();
    if (auto allowed = check_names(step); !allowed) return allowed;
    const auto git = turn_with_git(step.to);
    const std::shared_lock turn(names());
    if (auto allowed = check_obeyed(step); !allowed) return allowed;
    if (auto made = make_copy(step); !made) return made;
    const std::string_view name = fs::leaf_of(step.to);
    if (search::has_git_name(name) || search::is_git_directory_name(name)) {
        above_->look_again(fs::parent_of(step.to));
    }
    return {};
}

Attempt<void> Files::Copying::make_copy(const CopyStep& step) {
    const auto& [from, to, type, is_below] = step;
    if (type == FileType::kDirectory) return copy_directory(step);
    if (type == FileType::kRegular) {
        if (auto made = copy_content(from, to); !made) return made;
    } else if (type == FileType::kSymlink) {
        const auto target = files_.to_look().readlink(from);
        if (!target) return files_.told(target.error());
        const auto done = files_.to_change().symlink(target->text, to);
        if (!done && done.error().code == Code::kPathEscape) {
            leave_out(from, "a link that leads outside");
            return {};
        }
        if (!done) return files_.told(done.error());
    } else {
        leave_out(from, "a special file");
        return {};
    }
    ++copied_.files;
    return {};
}

// A directory is private until all that is in it has its own permissions.
Attempt<void> Files::Copying::copy_directory(const CopyStep& step) {
    const auto stat = files_.stat_name(step.from);
    if (!stat) return stat.error();
    if (auto allowed = files_.count_written(0); !allowed) return allowed;
    const auto done = files_.to_change().mkdir(step.to, kPrivate);
    const bool merges = !done && overwrite_ && done.error().code == Code::kAlreadyExists;
    if (merges) return {};
    if (!done) return files_.told(done.error());
    copied_.made.push_back({step.to, stat->mode & 0777U});
    return {};
}

Attempt<void> Files::Copying::copy_content(const std::string& from, const std::string& to) const {
    const std::lock_guard turn(turn_of(to));
    const auto source = files_.to_look().open_file(from);
    if (!source) return files_.told(source.error());
    std::optional<Stat> old;
    if (overwrite_) {
        const auto known = files_.replaced(to);
        if (!known) return known.error();
        old = *known;
    }
    const auto freed = old ? std::optional(old->size) : std::nullopt;
    if (auto allowed = files_.count_written(source->stat().size, freed); !allowed) return allowed;
    const auto done = files_.to_change().copy_file(*source, to, old.has_value(), old);
    if (!done) return files_.told(done.error());
    return {};
}

// From the deepest to the first: none is closed before what is in it.
Attempt<void> Files::Copying::give_modes() const {
    for (auto it = copied_.made.rbegin(); it != copied_.made.rend(); ++it) {
        if (it->mode == kPrivate) continue;
        if (const auto done = files_.to_change().chmod(it->path, it->mode); !done)
            return files_.told(done.error());
    }
    return {};
}

void Files::Copying::leave_out(const std::string& path, const char* why) {
    if (++copied_.left_out > kLeftOutNamed + 1) return;
    if (copied_.left_out > kLeftOutNamed) {
        copied_.left_out_names += ", and more";
        return;
    }
    if (copied_.left_out > 1) copied_.left_out_names += ", ";
    copied_.left_out_names += "'" + files_.shown(path) + "' (" + why + ")";
}

}  // namespace paddock::tools
