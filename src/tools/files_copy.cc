// Copying. A copy looks at its whole source before it begins, and asks all that can be known then:
// the rules, the tracker, what is in the way. What fails later all the same tells how far it came.
#include <paddock/limits.h>

#include "base/outcome.h"
#include "fs/readable.h"
#include "fs/rel_path.h"
#include "tools/files.h"

namespace paddock::tools {
namespace {

constexpr Mode kPrivate = 0700;
constexpr std::size_t kLeftOutNamed = 5;

// Of a directory in the source: what it holds is left out, and the rest is copied.
const char* reason_to_leave(const Failure& failure) {
    if (failure.code == Code::kPermissionDenied) return "its content cannot be read";
    return nullptr;
}

std::string counted(std::size_t number, const char* one, const char* many) {
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

Error partly(Error problem, const Copied& copied) {
    // The name was free when this began.
    if (problem.code == Code::kAlreadyExists) problem.code = Code::kRace;
    add_to(problem,
           " Before that " + counted(copied.files, "file", "files") + " and " +
               counted(copied.made.size(), "directory", "directories") +
               " had been copied; the rest was not. Check the destination before you go on.");
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

    Result<Copied> run();

private:
    using Act = Result<void> (Copying::*)(const CopyStep&);

    Result<void> for_each_step(Act act);
    Result<void> check_names(const CopyStep& step) const;
    Result<void> check_step(const CopyStep& step);
    Result<void> check_in_the_way(const CopyStep& step) const;
    Result<void> copy_step(const CopyStep& step);
    Result<void> copy_directory(Recorder::Change& change, const CopyStep& step);
    Result<void> copy_link(Recorder::Change& change, const CopyStep& step);
    Result<void> copy_content(Recorder::Change& change, const CopyStep& step);
    Result<void> copy_config(const Handle& source, const std::string& to,
                             const std::optional<Stat>& old) const;
    Result<void> give_modes() const;
    void remove_made(const std::vector<std::string>& parents) const;
    void leave_out(const std::string& path, const char* why);

    const Files& files_;
    const CopyStep whole_;
    const bool overwrite_;
    const std::stop_token cancel_;
    bool begun_ = false;  // to copy
    Copied copied_;
};

Result<Copied> Files::copy(const std::string& from, const std::string& to, bool overwrite,
                           const std::stop_token& cancel) const {
    if (auto allowed = check(from, Purpose::kLook); !allowed) return allowed.error();
    if (auto allowed = check(to, Purpose::kChange); !allowed) return allowed.error();
    const auto stat = stat_name(from);
    if (!stat) return stat.error();
    if (stat->type == FileType::kDirectory && to.starts_with(from + "/")) {
        return tool_error(Code::kInvalidArgument,
                          "A directory cannot be copied into itself. Choose another destination.");
    }
    return Copying(*this, {from, to, stat->type}, overwrite, cancel).run();
}

Result<Copied> Files::Copying::run() {
    const bool is_directory = whole_.type == FileType::kDirectory;
    if (auto allowed = for_each_step(&Copying::check_step); !allowed) {
        Error problem = allowed.error();
        if (is_directory) add_to(problem, " Nothing was copied.");
        return problem;
    }
    const std::vector<std::string> made = files_.missing_parents(whole_.to);
    auto done = [&]() -> Result<void> {
        auto change = files_.begin_change();
        if (!change) return change.error();
        return files_.make_missing(*change, made);
    }();
    begun_ = true;
    if (done) done = for_each_step(&Copying::copy_step);
    if (done) done = give_modes();
    if (copied_.files == 0 && (!done || copied_.made.empty())) remove_made(made);
    if (!done && copied_.files > 0) return partly(done.error(), copied_);
    if (!done) {
        Error problem = done.error();
        if (is_directory) add_to(problem, " Nothing was copied.");
        return problem;
    }
    if (!is_directory && copied_.left_out > 0) {
        return tool_error(Code::kPathEscape, "Nothing was copied: " + copied_.left_out_names +
                                                 ". Name another source.");
    }
    return std::move(copied_);
}

Result<void> Files::Copying::for_each_step(Act act) {
    Result<void> verdict = (this->*act)(whole_);
    if (!verdict || whole_.type != FileType::kDirectory) return verdict;
    const Status walked = files_.linkless_.walk(whole_.from, [&](const WalkEntry& entry) {
        const std::string from(entry.path);
        if (entry.failure == nullptr) {
            verdict =
                (this->*act)({from, whole_.to + from.substr(whole_.from.size()), entry.type, true});
        } else if (const char* why = reason_to_leave(*entry.failure)) {
            if (begun_) leave_out(from, why);
        } else {
            verdict =
                Result<void>(files_.with_shown_path(as_error(*entry.failure, "look into", from)));
        }
        return verdict ? WalkAction::kContinue : WalkAction::kStop;
    });
    if (!verdict) return verdict;
    if (!walked) return files_.with_shown_path(walked.error());
    return {};
}

Result<void> Files::Copying::check_names(const CopyStep& step) const {
    const git::Judge& judge = files_.judge_;
    if (auto fine = files_.check_in(whole_.from, judge.look(step.from), step.from); !fine)
        return fine;
    if (step.type == FileType::kDirectory) {
        if (auto fine = files_.check_in(whole_.to, judge.adopt(step.from), step.to); !fine)
            return fine;
    }
    const git::Verdict verdict =
        judge.is_commondir_of_worktree(step.to)
            ? git::Refusal{PathAccess::kReadOnly, std::string(git::kConfigRule)}
            : judge.make(step.to, step.type);
    return files_.check_in(whole_.to, verdict, step.to);
}

Result<void> Files::Copying::check_step(const CopyStep& step) {
    if (cancel_.stop_requested()) return call_cancelled();
    const auto& [from, to, type, is_below] = step;
    // Of a mount nothing can be asked, and half a tree is no copy.
    if (type == FileType::kDirectory) {
        if (const auto stat = files_.stat_name(from); !stat) return stat.error();
    }
    if (auto allowed = check_names(step); !allowed) return allowed;
    if (const auto path = files_.linkless_.normalized(to); !path)
        return files_.with_shown_path(path.error());
    const bool is_special =
        type != FileType::kRegular && type != FileType::kDirectory && type != FileType::kSymlink;
    if (is_special && !is_below) {
        return tool_error(
            Code::kNotRegularFile,
            "'" + files_.shown(from) +
                "' is neither a file nor a directory nor a link and cannot be copied. "
                "Name another source.");
    }
    if (type == FileType::kRegular) {
        if (const auto readable = files_.open_to_read(from); !readable)
            return files_.with_shown_path(readable.error());
    }
    return is_special ? Result<void>() : check_in_the_way(step);
}

Result<void> Files::Copying::check_in_the_way(const CopyStep& step) const {
    const auto there = files_.linkless_.lstat(step.to);
    if (!there && there.error().code == Code::kNotFound) return {};
    if (!there) return files_.with_shown_path(there.error());
    const bool merges = there->type == FileType::kDirectory && step.type == FileType::kDirectory;
    if (!overwrite_ || step.type == FileType::kSymlink) {
        return files_.with_shown_path(as_error(refuse(Code::kAlreadyExists), "copy to", step.to));
    }
    if (merges) return {};
    if (step.type == FileType::kDirectory) return files_.check_room(step.to);
    if (auto known = files_.replaced(step.to); !known) return known.error();
    return {};
}

Result<void> Files::Copying::copy_step(const CopyStep& step) {
    if (cancel_.stop_requested()) return call_cancelled();
    auto change = files_.begin_change();
    if (!change) return change.error();
    if (auto allowed = check_names(step); !allowed) return allowed;
    if (step.type == FileType::kDirectory) return copy_directory(*change, step);
    if (step.type == FileType::kRegular) return copy_content(*change, step);
    if (step.type == FileType::kSymlink) return copy_link(*change, step);
    leave_out(step.from, "a special file");
    return {};
}

Result<void> Files::Copying::copy_link(Recorder::Change& change, const CopyStep& step) {
    const auto target = files_.linkless_.readlink(step.from);
    if (!target) return files_.with_shown_path(target.error());
    auto intent = files_.announce(change, step.to, step.type);
    if (!intent) return intent.error();
    const auto done = files_.linkless_.symlink(target->text, step.to);
    if (!done) intent->failed();
    if (!done && done.error().code == Code::kPathEscape) {
        leave_out(step.from, "a link that leads outside");
        return {};
    }
    if (!done) return files_.with_shown_path(done.error());
    change.made(step.to, *intent);
    ++copied_.files;
    return {};
}

// A directory is private until all that is in it has its own permissions.
Result<void> Files::Copying::copy_directory(Recorder::Change& change, const CopyStep& step) {
    const auto stat = files_.stat_name(step.from);
    if (!stat) return stat.error();
    const auto there = files_.linkless_.lstat(step.to);
    if (overwrite_ && there && there->type == FileType::kDirectory) return {};
    if (auto made = files_.make_one_directory(change, step.to, kPrivate); !made) return made;
    copied_.made.push_back({step.to, stat->mode & 0777U});
    return {};
}

Result<void> Files::Copying::copy_content(Recorder::Change& change, const CopyStep& step) {
    const std::string& to = step.to;
    const auto source = files_.open_to_read(step.from);
    if (!source) return files_.with_shown_path(source.error());
    std::optional<Stat> old;
    if (overwrite_) {
        const auto known = files_.replaced(to);
        if (!known) return known.error();
        old = *known;
    }
    const auto freed = old ? std::optional(old->size) : std::nullopt;
    if (auto allowed = files_.count_written(source->stat().size, freed); !allowed) return allowed;
    auto intent = files_.announce(change, to, step.type, old);
    if (!intent) return intent.error();
    if (files_.judge_.is_config(to)) {
        auto done = copy_config(*source, to, old);
        if (!done) intent->failed();
        if (!done) return done;
    } else {
        const auto done = files_.linkless_.copy_file(*source, to, old.has_value(), old, cancel_);
        if (!done) intent->failed();
        if (!done && done.error().code == Code::kCancelled) return call_cancelled();
        if (!done) return files_.with_shown_path(done.error());
    }
    change.made(to, *intent);
    ++copied_.files;
    return {};
}

// What is judged is what is written.
Result<void> Files::Copying::copy_config(const Handle& source, const std::string& to,
                                         const std::optional<Stat>& old) const {
    const auto text = fs::read_content(source.fd(), source.stat().size, git::judged_bytes_max(to));
    if (!text) return files_.with_shown_path(as_error(text.error(), "copy", to));
    if (auto fine = files_.allowed(files_.judge_.judge_config(to, *text), to); !fine) return fine;
    WriteOptions options;
    options.must_create = !old;
    options.replaces = old;
    options.mode = source.stat().mode & 0777U;
    if (const auto done = files_.linkless_.write_file(to, *text, options); !done)
        return files_.with_shown_path(done.error());
    return {};
}

// From the deepest to the first: none is closed before what is in it.
Result<void> Files::Copying::give_modes() const {
    for (auto it = copied_.made.rbegin(); it != copied_.made.rend(); ++it) {
        if (it->mode == kPrivate) continue;
        if (const auto done = files_.linkless_.chmod(it->path, it->mode); !done)
            return files_.with_shown_path(done.error());
    }
    return {};
}

// The directories of a copy that has no file yet, the deepest first.
void Files::Copying::remove_made(const std::vector<std::string>& parents) const {
    std::vector<std::string> directories;
    for (auto it = copied_.made.rbegin(); it != copied_.made.rend(); ++it)
        directories.push_back(it->path);
    directories.insert(directories.end(), parents.begin(), parents.end());
    files_.remove_empty(directories);
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

// Moving. All that can be known before is asked before the first step: the rules, the tracker, what
// is in the way.
std::vector<std::string> Files::missing_parents(const std::string& canonical) const {
    std::vector<std::string> missing;
    for (std::string_view at = fs::parent_of(canonical); !at.empty(); at = fs::parent_of(at)) {
        if (linkless_.exists(at).value_or(true)) break;
        missing.emplace_back(at);
    }
    return missing;
}

void Files::remove_empty(const std::vector<std::string>& directories) const {
    auto begun = begin_change();
    if (begun) remove_empty(*begun, directories);
}

Result<std::optional<Stat>> Files::replaced(const std::string& canonical) const {
    const auto stat = linkless_.lstat(canonical);
    if (!stat && stat.error().code == Code::kNotFound) return std::nullopt;
    if (!stat) return with_shown_path(stat.error());
    if (stat->type == FileType::kDirectory) {
        return with_shown_path(as_error(refuse(Code::kIsADirectory), "replace", canonical));
    }
    if (stat->type != FileType::kRegular) {
        return tool_error(
            Code::kNotRegularFile,
            "'" + shown(canonical) +
                "' is a link or a special file and cannot be replaced. Remove it first.");
    }
    if (auto writable = linkless_.check_writable(canonical); !writable)
        return with_shown_path(writable.error());
    if (reads_ == nullptr) return *stat;
    const auto content = read(canonical, limits::kReadFileBytesMax);
    if (!content) return content.error();
    if (auto known = check_known(*content); !known) return known.error();
    return content->stat;
}

Result<void> Files::check_room(const std::string& canonical) const {
    const auto there = linkless_.lstat(canonical);
    if (!there || there->type == FileType::kDirectory) return {};
    return tool_error(Code::kNotADirectory,
                      "'" + shown(canonical) +
                          "' is not a directory and cannot be replaced by one. "
                          "Choose another destination, or remove it first.");
}

Result<std::optional<Stat>> Files::check_move(const std::string& from, const std::string& to,
                                              bool overwrite, const std::stop_token& cancel) const {
    const auto source = linkless_.lstat(from);
    if (!source) return with_shown_path(source.error());
    const bool is_directory = source->type == FileType::kDirectory;
    if (is_directory && to.starts_with(from + "/")) {
        return tool_error(Code::kInvalidArgument,
                          "A directory cannot be moved into itself. Choose another destination.");
    }
    if (auto fine = allowed(judge_.move(from, to, source->type), to); !fine) return fine.error();
    if (is_directory) {
        if (auto fine = check_below(from, to, cancel); !fine) return fine.error();
    } else if (source->type == FileType::kSymlink) {
        const auto end = root_.stat(from);
        const auto there = linkless_.lstat(to);
        if (overwrite && end && there && end->identity == there->identity) {
            return tool_error(Code::kInvalidArgument,
                              "'" + shown(from) + "' is a link to '" + shown(to) +
                                  "', which would be lost. Choose another destination.");
        }
    } else if (judge_.is_config(to)) {
        return tool_error(Code::kDeniedByRule,
                          "'" + shown(to) +
                              "' holds settings of a git repository, so no file "
                              "can be moved there. Write it with write_file.");
    }
    // What is in the way goes, and what is below comes along.
    if (overwrite) {
        if (auto fine = check_below(to, to, cancel); !fine) return fine.error();
    }
    if (!overwrite) return std::nullopt;
    if (!is_directory) return replaced(to);
    if (auto room = check_room(to); !room) return room.error();
    return std::nullopt;
}

Result<void> Files::move(const std::string& from, const std::string& to, bool overwrite,
                         const std::stop_token& cancel) const {
    auto begun = begin_change();
    if (!begun) return begun.error();
    const auto replaced = check_move(from, to, overwrite, cancel);
    if (!replaced) return replaced.error();
    const std::vector<std::string> made = missing_parents(to);
    if (auto parents = make_missing(*begun, made); !parents) return parents;
    const auto mode = overwrite ? RenameMode::kReplace : RenameMode::kNoReplace;
    if (auto done = give_name(*begun, from, to, mode, *replaced); !done) {
        remove_empty(*begun, made);
        return done;
    }
    if (!overwrite) return {};
    // To rename one name of a file to another of the same file does nothing. Where names ignore
    // case both may be its only one.
    const auto left = linkless_.lstat(from);
    const auto there = left ? linkless_.lstat(to) : left;
    if (!there || left->identity != there->identity || left->links < 2) return {};
    return take_away(*begun, from, *left);
}

}  // namespace paddock::tools
