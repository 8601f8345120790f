// Opening for writing.
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <paddock/limits.h>

#include "fs/rel_path.h"
#include "sandbox/gate.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/process.h"

namespace paddock::sandbox {
namespace {

bool is_unnamed(std::uint64_t flags) { return (flags & O_TMPFILE) == O_TMPFILE; }

bool writes(std::uint64_t flags) {
    return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
}

}  // namespace

Gate::End Gate::open(const GatedCall& call, const Caller& caller) {
    const std::uint64_t flags = call.flags;
    if ((flags & O_PATH) != 0 || !(writes(flags) || (flags & O_CREAT) != 0 || is_unnamed(flags))) {
        return {.answer = Answer::kContinue};
    }
    if ((flags & O_CREAT) != 0 && (flags & O_DIRECTORY) != 0) return {.os_error = EINVAL};
    if (is_unnamed(flags)) return open_unnamed(call, caller);
    auto path = read_path(caller, call.name.address);
    if (!path) return not_located(path.error());
    if (path->empty()) return {.os_error = ENOENT};
    if (*path == "/dev/null" || *path == "/dev/tty") return {.answer = Answer::kContinue};
    const bool is_exclusive = (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0;
    const bool makes_directory = (flags & O_CREAT) != 0 && path->ends_with('/');
    const bool follows = !is_exclusive && !makes_directory && (flags & O_NOFOLLOW) == 0;
    const journal::Turn turn(*setup_.journal);
    const std::string seen = as_caller_sees(*path, caller.process);
    if (follows && is_descriptor_link(seen, caller)) return open_again(call, caller, seen);
    const Places::Last unfollowed =
        (flags & O_CREAT) != 0 ? Places::Last::kItself : Places::Last::kItselfUnlessSlash;
    auto place = places_.locate(caller, call.name.directory, *path,
                                follows ? Places::Last::kFollow : unfollowed);
    if (!place) return {.os_error = error_of(place.error())};
    if (!place->inside) {
        if (follows && is_descriptor_link(place->path, caller)) {
            return open_again(call, caller, place->path);
        }
        if (!setup_.landlock_truncate && (flags & O_TRUNC) != 0 &&
            (flags & O_ACCMODE) == O_RDONLY && !is_elsewhere(place->path))
            return {.os_error = EACCES};
        return {.answer = Answer::kContinue};
    }
    if (place->leaf.empty()) return {.os_error = is_exclusive ? EEXIST : EISDIR};
    if ((flags & O_CREAT) != 0 && place->slash && !place->is_dotted) return {.os_error = EISDIR};
    const char* leaf = place->leaf.c_str();
    const int parent = place->directory.get();
    const auto node = sys::node_at(parent, leaf);
    const bool is_missing = !node && node.error().os_error == ENOENT;
    if (!node && !is_missing) return {.os_error = error_of(node.error())};
    if (is_missing && (flags & O_CREAT) == 0) return {.os_error = ENOENT};
    const int wanted = static_cast<int>(flags & kOpenFlags) | O_NONBLOCK | O_NOCTTY;
    const mode_t mode = (flags & O_CREAT) != 0 ? call.mode & 07777 : 0;
    if (is_missing) {
        auto intent = prepare_to_make(*place, FileType::kRegular, caller);
        if (!intent) return {.os_error = error_of(intent.error())};
        sys::set_creation_mask(umask_of(caller.process));
        auto file = sys::openat2(parent, leaf, wanted, mode, kBeneath);
        if (!file) {
            intent->failed();
            return {.os_error = error_of(file.error())};
        }
        if (const auto stat = sys::node(file->get())) intent->made(stat->stat);
        if (judge_->is_commondir_of_worktree(place->path)) {
            return give_commondir(std::move(*file), call, caller, *place);
        }
        if (is_writable(flags) && judge_->is_config(place->path)) {
            return give_draft(std::move(*file), call, caller, *place);
        }
        return give(std::move(*file), call, caller, &*place);
    }
    const Stat& stat = node->stat;
    operation_ = DeniedOperation::kWrite;
    if (is_exclusive) return {.os_error = EEXIST};
    const bool is_directory = stat.type == FileType::kDirectory;
    if (is_directory && (flags & O_CREAT) != 0) return {.os_error = EISDIR};
    if (place->slash && !is_directory) return {.os_error = ENOTDIR};
    if (stat.type == FileType::kRegular && writes(flags)) {
        if (const auto error = refuse(judge_->write(place->path), place->path)) {
            return {.os_error = *error};
        }
        // Truncated when the command has its descriptor: who cannot have one changes nothing.
        auto file = sys::openat2(parent, leaf, wanted & ~(O_TRUNC | O_CREAT), 0, kBeneath);
        if (!file) return {.os_error = error_of(file.error())};
        int truncated = (flags & O_TRUNC) != 0 ? file->get() : -1;
        UniqueFd writable;
        if (truncated >= 0 && !is_writable(flags)) {
            auto opened = sys::openat2(parent, leaf, O_WRONLY | O_NONBLOCK, 0, kBeneath);
            if (!opened) return {.os_error = error_of(opened.error())};
            writable = std::move(*opened);
            truncated = writable.get();
        }
        const auto kept = setup_.journal->will_write(caller.call, place->name(), -1, stat);
        if (!kept) return {.os_error = error_of(kept.error())};
        return give(std::move(*file), call, caller, nullptr, truncated);
    }
    // It waits for a writer, as the gate does not.
    if (stat.type == FileType::kFifo && !writes(flags)) return {.answer = Answer::kContinue};
    auto file = sys::openat2(parent, leaf, wanted & ~O_CREAT, 0, kBeneath);
    if (!file && file.error().os_error == ENXIO && stat.type == FileType::kFifo &&
        (flags & O_NONBLOCK) == 0) {
        auto fifo = sys::openat2(parent, leaf, O_PATH | O_NOFOLLOW, 0, kBeneath);
        if (!fifo) return {.os_error = error_of(fifo.error())};
        const auto held = sys::fstat(fifo->get());
        if (!held || held->type != FileType::kFifo) return {.os_error = EAGAIN};
        parked_.push_back({caller, std::move(*fifo), flags});
        return {.answer = Answer::kParked};
    }
    if (!file) return {.os_error = error_of(file.error())};
    return give(std::move(*file), call, caller, nullptr);
}

// It says what git always says there, whatever the command writes: that goes to a file without a
// name. So no worktree ever leads to a repository that nobody judged.
Gate::End Gate::give_commondir(UniqueFd file, const GatedCall& call, const Caller& caller,
                               const Place& place) {
    auto named = sys::openat2(place.directory.get(), place.leaf.c_str(), O_WRONLY, 0, kBeneath);
    const Done said =
        named ? sys::write_all(named->get(), git::kCommonOfWorktree) : Done(named.error());
    if (!said) return {.os_error = error_of(said.error())};
    file.reset();
    constexpr std::uint64_t kOfNames = O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW;
    const int wanted =
        (static_cast<int>(call.flags & kOpenFlags & ~kOfNames) & ~O_ACCMODE) | O_RDWR | O_TMPFILE;
    auto unnamed = sys::openat2(place.directory.get(), ".", wanted, call.mode & 07777, kBeneath);
    if (!unnamed) return {.os_error = error_of(unnamed.error())};
    return give(std::move(*unnamed), call, caller, &place);
}

Gate::End Gate::give(UniqueFd file, const GatedCall& call, const Caller& caller, const Place* made,
                     int truncated) {
    if ((call.flags & O_NONBLOCK) == 0) (void)sys::let_wait(file.get());
    const auto number = sys::seccomp::give_descriptor(caller.listener, caller.id, file.get(),
                                                      (call.flags & O_CLOEXEC) != 0);
    Done done;
    if (number && truncated >= 0) done = sys::truncate(truncated, 0);
    file.reset();
    if (number) return {.os_error = done ? 0 : error_of(done.error()), .value = *number};
    if (made != nullptr && number.error().os_error == EMFILE) {
        const auto node = sys::node_at(made->directory.get(), made->leaf.c_str());
        if (node) (void)setup_.journal->remove(caller.call, made->name(), node->stat);
    }
    return {.os_error = error_of(number.error())};
}

Gate::End Gate::open_unnamed(const GatedCall& call, const Caller& caller) {
    auto path = read_path(caller, call.name.address);
    if (!path) return not_located(path.error());
    if (path->empty()) return {.os_error = ENOENT};
    const journal::Turn turn(*setup_.journal);
    const bool follows = (call.flags & O_NOFOLLOW) == 0;
    auto place = places_.locate(caller, call.name.directory, follows ? *path + "/." : *path,
                                Places::Last::kItself);
    if (!place) return {.os_error = error_of(place.error())};
    if (!place->inside) return {.answer = Answer::kContinue};
    if (!follows && !place->leaf.empty()) {
        const auto node = sys::node_at(place->directory.get(), place->leaf.c_str());
        if (node && node->stat.type == FileType::kSymlink) return {.os_error = ENOTDIR};
    }
    const std::string inner = fs::joined(place->path, "x");
    if (const auto error = refuse(judge_->make(inner, FileType::kRegular), place->path)) {
        return {.os_error = *error};
    }
    const char* leaf = place->leaf.empty() ? "." : place->leaf.c_str();
    sys::set_creation_mask(umask_of(caller.process));
    const int wanted = static_cast<int>(call.flags & kOpenFlags);
    auto file = sys::openat2(place->directory.get(), leaf, wanted, call.mode & 07777, kBeneath);
    if (!file) return {.os_error = error_of(file.error())};
    return give(std::move(*file), call, caller, nullptr);
}

// "/dev/stdout" and its like: another descriptor of a file that the caller has open already.
Gate::End Gate::open_again(const GatedCall& call, const Caller& caller, const std::string& link) {
    auto object = places_.object_behind(link);
    if (!object || !object->inside) return {.answer = Answer::kContinue};
    const Stat& stat = object->stat;
    const bool is_fifo = stat.type == FileType::kFifo;
    if (is_fifo ? !writes(call.flags) : stat.type != FileType::kRegular) {
        return {.answer = Answer::kContinue};
    }
    const Place& place = object->place;
    if (object->is_kept()) return {.os_error = ENOENT};
    if (!is_fifo && place.inside) {
        if (const auto error = refuse(judge_->write(place.path), place.path)) {
            return {.os_error = *error};
        }
        const auto kept = setup_.journal->will_write(caller.call, place.name(), -1, stat);
        if (!kept) return {.os_error = error_of(kept.error())};
    }
    const int wanted =
        static_cast<int>(call.flags & kOpenFlags & ~static_cast<std::uint64_t>(O_CREAT | O_EXCL));
    auto file = sys::openat(AT_FDCWD, own_descriptor(object->held.get()).c_str(),
                            wanted | O_NOCTTY | O_NONBLOCK);
    if (!file && file.error().os_error == ENXIO && is_fifo && (call.flags & O_NONBLOCK) == 0) {
        parked_.push_back({caller, std::move(object->held), call.flags});
        return {.answer = Answer::kParked};
    }
    if (!file) return {.os_error = error_of(file.error())};
    return give(std::move(*file), call, caller, nullptr);
}

void Gate::retry() {
    settle_drafts();
    std::vector<Parked> parked = std::exchange(parked_, {});
    for (Parked& each : parked) {
        if (!sys::seccomp::is_waiting(each.caller.listener, each.caller.id)) continue;
        const int wanted = static_cast<int>(each.flags & kOpenFlags &
                                            ~static_cast<std::uint64_t>(O_NOFOLLOW | O_CREAT)) |
                           O_NONBLOCK | O_NOCTTY;
        auto file = sys::openat(AT_FDCWD, own_descriptor(each.fifo.get()).c_str(), wanted);
        if (!file && file.error().os_error == ENXIO) {
            // The kernel makes it EINTR, or the call comes again after the handler.
            constexpr int kRestart = 512;
            if (is_signalled(each.caller.process)) {
                (void)sys::seccomp::answer(each.caller.listener, each.caller.id, 0, kRestart);
            } else {
                parked_.push_back(std::move(each));
            }
            continue;
        }
        GatedCall call;
        call.flags = each.flags;
        const End end = file ? give(std::move(*file), call, each.caller, nullptr)
                             : End{.os_error = error_of(file.error())};
        (void)sys::seccomp::answer(each.caller.listener, each.caller.id, end.value, end.os_error);
    }
}

// Configs and indexes of git: judged as a whole, and what was judged is what is installed.
namespace {

Done read_judged(int file, std::string_view path, std::string& text) {
    std::array<char, 65536> part;
    for (;;) {
        PADDOCK_ASSIGN(got, sys::read(file, part.data(), part.size()));
        if (got == 0) return {};
        text.append(part.data(), got);
        if (text.size() > git::judged_bytes_max(path)) return Failure::from_errno(EFBIG);
    }
}

}  // namespace

int Gate::adopt_config(const std::string& path, const Caller& caller) {
    auto place = places_.beneath(path);
    if (!place) return error_of(place.error());
    const auto node = sys::node_at(place->directory.get(), place->leaf.c_str());
    if (!node) return error_of(node.error());
    const End end = install_config(*place, node->stat, *place, caller);
    return end.os_error;
}

// Whoever holds the old file open writes to it in vain: git gets a copy, and the copy was judged.
Gate::End Gate::install_config(const Place& from, const Stat& stat, const Place& to,
                               const Caller& caller) {
    if (stat.type != FileType::kRegular) return {.os_error = EACCES};
    auto file =
        sys::openat2(from.directory.get(), from.leaf.c_str(), O_RDONLY | O_NONBLOCK, kBeneath);
    if (!file) return {.os_error = error_of(file.error())};
    std::string text;
    if (const auto done = read_judged(file->get(), to.path, text); !done) {
        return {.os_error = error_of(done.error())};
    }
    const bool is_adopted = from.path == to.path;
    auto verdict =
        is_adopted ? judge_->judge_new_config(to.path, text) : judge_->judge_config(to.path, text);
    if (const auto error = refuse(std::move(verdict), to.path)) return {.os_error = *error};
    const auto old = sys::node_at(to.directory.get(), to.leaf.c_str());
    if (old && old->stat.type == FileType::kDirectory) return {.os_error = EISDIR};
    journal::Journal& journal = *setup_.journal;
    auto intent =
        journal.will_make(caller.call, to.name(), FileType::kRegular, old ? &old->stat : nullptr);
    if (!intent) return {.os_error = error_of(intent.error())};
    const auto written = write_config(to, text, stat);
    if (!written) {
        intent->failed();
        return {.os_error = error_of(written.error())};
    }
    made(to, *intent);
    if (is_adopted) return {};
    const auto gone = journal.remove(caller.call, from.name(), stat);
    return {.os_error = gone ? 0 : error_of(gone.error())};
}

// Git compares the time of an index with those of the files in it.
Done Gate::write_config(const Place& to, std::string_view text, const Stat& like) {
    PADDOCK_ASSIGN(random, sys::random_u64());
    const std::string temporary = ".paddock-" + std::to_string(random);
    sys::set_creation_mask(0);
    PADDOCK_ASSIGN(file, sys::openat2(to.directory.get(), temporary.c_str(),
                                      O_WRONLY | O_CREAT | O_EXCL, like.mode & 0777U, kBeneath));
    Done done = sys::write_all(file.get(), text);
    if (done) (void)sys::set_times(file.get(), {}, like.modified);
    if (done) {
        done = sys::renameat2(to.directory.get(), temporary.c_str(), to.directory.get(),
                              to.leaf.c_str(), sys::Rename::kReplace);
    }
    if (!done) {
        (void)sys::unlinkat(to.directory.get(), temporary.c_str(), sys::Unlink::kFile);
    }
    return done;
}

Gate::End Gate::give_draft(UniqueFd file, const GatedCall& call, const Caller& caller,
                           const Place& place) {
    constexpr std::size_t kDraftsMax = 64;
    constexpr std::uint64_t kOfNames = O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW;
    const int wanted = static_cast<int>(call.flags & kOpenFlags & ~kOfNames) | O_TMPFILE;
    auto draft = sys::openat2(place.directory.get(), ".", wanted, call.mode & 07777, kBeneath);
    auto text = draft ? sys::openat(AT_FDCWD, own_descriptor(draft->get()).c_str(), O_RDONLY)
                      : Outcome<UniqueFd>(draft.error());
    const auto is_written =
        text ? sys::is_open_for_writing(text->get()) : Outcome<bool>(text.error());
    if (!is_written || !*is_written || drafts_.size() >= kDraftsMax) {
        const auto node = sys::node_at(place.directory.get(), place.leaf.c_str());
        if (node) (void)setup_.journal->remove(caller.call, place.name(), node->stat);
        return {.os_error =
                    *refuse(git::Refusal{PathAccess::kReadOnly, std::string(git::kConfigRule),
                                         "rename a finished file to this name"},
                            place.path)};
    }
    const End end = give(std::move(*draft), call, caller, &place);
    if (end.os_error == 0) {
        drafts_.push_back({caller.listener, std::move(*text), std::move(file)});
    }
    return end;
}

void Gate::settle_drafts() {
    std::erase_if(drafts_, [&](const Draft& draft) {
        const auto is_written = sys::is_open_for_writing(draft.text.get());
        if (is_written && *is_written) return false;
        const journal::Turn turn(*setup_.journal);
        std::string text;
        // Its directory may have another name by now.
        auto object = places_.object_behind(own_descriptor(draft.file.get()));
        if (!object || object->place.path.empty()) return true;
        const std::string& path = object->place.path;
        git::Verdict verdict =
            read_judged(draft.text.get(), path, text)
                ? judge_->judge_new_config(path, text)
                : git::Verdict(git::Refusal{PathAccess::kReadOnly, std::string(git::kConfigRule),
                                            "it could not be read"});
        if (verdict) {
            operation_ = DeniedOperation::kWrite;
            (void)refuse(std::move(verdict), path);
            late_refusals_.emplace_back(draft.listener, *std::exchange(refused_, {}));
            return true;
        }
        (void)sys::write_all(draft.file.get(), text);
        if (const auto stat = sys::fstat(draft.text.get())) {
            (void)sys::fchmod(draft.file.get(), stat->mode & 0777U);
        }
        return true;
    });
}

std::optional<GateRefusal> Gate::take_refusal(int listener) {
    const auto found = std::find_if(late_refusals_.begin(), late_refusals_.end(),
                                    [&](const auto& late) { return late.first == listener; });
    if (found == late_refusals_.end()) return std::nullopt;
    GateRefusal taken = std::move(found->second);
    late_refusals_.erase(found);
    return taken;
}

}  // namespace paddock::sandbox
