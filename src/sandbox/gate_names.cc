// Making, linking, moving and removing names.
#include "sandbox/gate.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/text.h"
#include "sys/files.h"

namespace paddock::sandbox {
namespace {

bool holds_something(const Place& directory) {
    const auto opened = sys::openat2(directory.directory.get(), directory.leaf.c_str(),
                                     O_RDONLY | O_DIRECTORY, kBeneath);
    sys::DirReader reader;
    const auto first = opened ? reader.next(opened->get()) : Outcome<const sys::DirEntry*>(nullptr);
    return first && *first != nullptr;
}

}  // namespace

Gate::End Gate::make_name(const GatedCall& call, const Caller& caller) {
    const journal::Turn turn(*setup_.journal);
    std::string target;
    if (call.kind == GatedKind::kSymlink) {
        auto text = read_path(caller, call.text);
        if (!text) return {.answer = Answer::kContinue};
        target = std::move(*text);
        if (target.empty()) return {.os_error = ENOENT};
    }
    auto place = places_.locate(caller, call.name, Places::Last::kItself);
    if (!place) return not_located(place.error());
    if (!place->inside) return {.answer = Answer::kContinue};
    if (place->leaf.empty()) return {.os_error = EEXIST};
    const int parent = place->directory.get();
    const char* leaf = place->leaf.c_str();
    const auto node = sys::node_at(parent, leaf);
    if (node) return {.os_error = EEXIST};
    if (node.error().os_error != ENOENT) return {.os_error = error_of(node.error())};
    const mode_t kind = call.mode & S_IFMT;
    FileType type = FileType::kRegular;
    if (call.kind == GatedKind::kMakeDirectory) type = FileType::kDirectory;
    if (call.kind == GatedKind::kSymlink) type = FileType::kSymlink;
    if (call.kind == GatedKind::kMakeNode) {
        if (kind == S_IFCHR || kind == S_IFBLK) return {.os_error = EPERM};
        if (kind == S_IFDIR) return {.os_error = EPERM};
        if (kind != 0 && kind != S_IFREG && kind != S_IFIFO && kind != S_IFSOCK)
            return {.os_error = EINVAL};
        if (kind == S_IFIFO) type = FileType::kFifo;
        if (kind == S_IFSOCK) type = FileType::kSocket;
    }
    if (place->slash && type != FileType::kDirectory) return {.os_error = ENOENT};
    const bool is_read_by_git =
        judge_->is_config(place->path) || judge_->is_commondir_of_worktree(place->path);
    if (type == FileType::kRegular && is_read_by_git) return {.os_error = EACCES};
    auto intent = prepare_to_make(*place, type, caller, target);
    if (!intent) return {.os_error = error_of(intent.error())};
    sys::set_creation_mask(umask_of(caller.process));
    Done done;
    if (type == FileType::kDirectory) {
        done = sys::mkdirat(parent, leaf, call.mode & 01777);
    } else if (type == FileType::kSymlink) {
        done = sys::symlinkat(target.c_str(), parent, leaf);
    } else {
        done = sys::mknodat(parent, leaf, kind | (call.mode & 07777));
    }
    if (!done) {
        intent->failed();
        return {.os_error = error_of(done.error())};
    }
    made(*place, *intent);
    return {};
}

Gate::End Gate::link(const GatedCall& call, const Caller& caller) {
    const auto flags = static_cast<int>(call.flags);
    if ((flags & ~(AT_EMPTY_PATH | AT_SYMLINK_FOLLOW)) != 0) return {.os_error = EINVAL};
    const journal::Turn turn(*setup_.journal);
    auto path = read_path(caller, call.second.address);
    if (!path) return {.answer = Answer::kContinue};
    const bool follows = (flags & AT_SYMLINK_FOLLOW) != 0;
    std::string descriptor;
    Outcome<Place> from = Place();
    if (path->empty()) {
        if ((flags & AT_EMPTY_PATH) == 0) return {.os_error = ENOENT};
        if (call.second.directory == AT_FDCWD) return {.os_error = EPERM};  // a directory
        descriptor = proc_of(caller.process) + "/fd/" + std::to_string(call.second.directory);
    } else if (descriptor = as_caller_sees(*path, caller.process);
               !follows || !is_descriptor_link(descriptor, caller)) {
        from = places_.locate(caller, call.second.directory, *path,
                              follows ? Places::Last::kFollow : Places::Last::kItselfUnlessSlash);
        if (!from) return {.os_error = error_of(from.error())};
        const bool is_magic = follows && !from->inside && is_descriptor_link(from->path, caller);
        descriptor = is_magic ? from->path : std::string();
    }
    UniqueFd object;  // without a name
    if (!descriptor.empty()) {
        auto behind = places_.object_behind(descriptor);
        if (!behind) return {.answer = Answer::kContinue};
        if (behind->is_kept()) return {.os_error = ENOENT};
        from = std::move(behind->place);
        if (!from->inside) object = std::move(behind->held);
        from->inside = behind->inside;
    }
    // What is linked must be there before the new name is looked at.
    if (from->inside && !object.valid()) {
        auto opened =
            sys::openat2(from->directory.get(), from->leaf.empty() ? "." : from->leaf.c_str(),
                         O_PATH | O_NOFOLLOW, kBeneath & ~sys::uapi::kResolveNoSymlinks);
        if (!opened) return {.os_error = error_of(opened.error())};
        object = std::move(*opened);
        const auto stat = sys::fstat(object.get());
        const bool is_directory = stat && stat->type == FileType::kDirectory;
        if (from->slash && !is_directory) return {.os_error = ENOTDIR};
    }
    auto to = places_.locate(caller, call.name, Places::Last::kItself);
    if (!to) return not_located(to.error());
    if (!from->inside && !to->inside) return {.answer = Answer::kContinue};
    if (to->leaf.empty() || sys::node_at(to->directory.get(), to->leaf.c_str())) {
        return {.os_error = EEXIST};
    }
    if (to->slash) return {.os_error = ENOENT};
    if (!from->inside || !to->inside) return {.os_error = EXDEV};
    const auto stat = sys::node(object.get());
    if (!stat) return {.os_error = error_of(stat.error())};
    const bool has_name = !from->leaf.empty();
    if (stat->stat.type == FileType::kDirectory) {
        // Never done: the kernel knows which error comes first.
        const Done done = sys::linkat(from->directory.get(), has_name ? from->leaf.c_str() : ".",
                                      to->directory.get(), to->leaf.c_str());
        return {.os_error = done ? EPERM : error_of(done.error())};
    }
    auto verdict =
        has_name ? judge_->link(from->path, to->path)
        : judge_->is_config(to->path) || judge_->is_commondir_of_worktree(to->path)
            ? git::Verdict(git::Refusal{PathAccess::kReadOnly, std::string(git::kConfigRule)})
            : judge_->make(to->path, FileType::kRegular);
    if (const auto error = refuse(std::move(verdict), to->path)) return {.os_error = *error};
    for (const std::string& config : judge_->configs_completed_by(to->path)) {
        if (const int error = adopt_config(config, caller)) return {.os_error = error};
    }
    auto intent = has_name ? setup_.journal->will_link(caller.call, from->name(), to->name())
                           : setup_.journal->will_make(caller.call, to->name(), FileType::kRegular);
    if (!intent) return {.os_error = error_of(intent.error())};
    const auto done =
        has_name ? sys::linkat(from->directory.get(), from->leaf.c_str(), to->directory.get(),
                               to->leaf.c_str())
                 : sys::link_descriptor(object.get(), to->directory.get(), to->leaf.c_str());
    if (!done) {
        intent->failed();
        return {.os_error = error_of(done.error())};
    }
    if (!has_name) intent->made(stat->stat);
    return {};
}

Gate::End Gate::rename(const GatedCall& call, const Caller& caller) {
    constexpr std::uint64_t kNoReplace = 1;
    constexpr std::uint64_t kExchange = 2;
    constexpr std::uint64_t kWhiteout = 4;
    const bool is_whiteout = (call.flags & ~kNoReplace) == kWhiteout;
    if (is_whiteout) return {.os_error = EPERM};  // it is a device
    if (call.flags > kExchange) return {.os_error = EINVAL};
    const journal::Turn turn(*setup_.journal);
    auto from = places_.locate(caller, call.name, Places::Last::kItself);
    auto to = from ? places_.locate(caller, call.second, Places::Last::kItself)
                   : Outcome<Place>(from.error());
    if (!to) return not_located(to.error());
    if (!from->inside && !to->inside) return {.answer = Answer::kContinue};
    if (from->is_dotted || from->leaf.empty()) return {.os_error = EBUSY};
    if (to->is_dotted || to->leaf.empty()) {
        return {.os_error = call.flags == kNoReplace ? EEXIST : EBUSY};
    }
    const auto source = sys::node_at(from->directory.get(), from->leaf.c_str());
    if (!source) return {.os_error = error_of(source.error())};
    if (!from->inside || !to->inside) return {.os_error = EXDEV};
    const Stat& stat = source->stat;
    const bool is_directory = stat.type == FileType::kDirectory;
    const auto target = sys::node_at(to->directory.get(), to->leaf.c_str());
    if (!target && target.error().os_error != ENOENT) return {.os_error = error_of(target.error())};
    if (target && call.flags == kNoReplace) return {.os_error = EEXIST};
    if (!target && call.flags == kExchange) return {.os_error = ENOENT};
    const bool onto_directory = target && target->stat.type == FileType::kDirectory;
    const bool needs_directory = call.flags == kExchange ? !onto_directory : !is_directory;
    if ((from->slash && !is_directory) || (to->slash && needs_directory)) {
        return {.os_error = ENOTDIR};
    }
    if (is_directory && from->path != to->path && is_within(to->path, from->path)) {
        return {.os_error = EINVAL};
    }
    if (onto_directory && from->path != to->path && is_within(from->path, to->path)) {
        return {.os_error = call.flags == kExchange ? EINVAL : ENOTEMPTY};
    }
    if (target && target->stat.identity == stat.identity) return {};
    journal::Journal& journal = *setup_.journal;
    if (call.flags == kExchange) {
        if (const auto error = refuse(
                judge_->exchange(from->path, stat.type, to->path, target->stat.type), to->path)) {
            return {.os_error = *error};
        }
        auto intent = journal.will_exchange(caller.call, from->name(), to->name());
        if (!intent) return {.os_error = error_of(intent.error())};
        const auto done =
            sys::renameat2(from->directory.get(), from->leaf.c_str(), to->directory.get(),
                           to->leaf.c_str(), sys::Rename::kExchange);
        if (!done) intent->failed();
        return {.os_error = done ? 0 : error_of(done.error())};
    }
    if (const auto error = refuse(judge_->move(from->path, to->path, stat.type), to->path)) {
        return {.os_error = *error};
    }
    if (target && is_directory != onto_directory) {
        // Never done: the kernel knows which error comes first.
        const Done done =
            sys::renameat2(from->directory.get(), from->leaf.c_str(), to->directory.get(),
                           to->leaf.c_str(), sys::Rename::kReplace);
        return {.os_error = done ? 0 : error_of(done.error())};
    }
    if (judge_->is_config(to->path)) return install_config(*from, stat, *to, caller);
    for (const std::string& config : judge_->configs_completed_by(to->path)) {
        if (const int error = adopt_config(config, caller)) return {.os_error = error};
    }
    auto intent = journal.will_rename(caller.call, from->name(), to->name(), stat,
                                      target ? &target->stat : nullptr);
    if (!intent) return {.os_error = error_of(intent.error())};
    const auto done = sys::renameat2(from->directory.get(), from->leaf.c_str(), to->directory.get(),
                                     to->leaf.c_str(), static_cast<sys::Rename>(call.flags));
    if (!done) intent->failed();
    return {.os_error = done ? 0 : error_of(done.error())};
}

Gate::End Gate::remove(const GatedCall& call, const Caller& caller) {
    const journal::Turn turn(*setup_.journal);
    auto place = places_.locate(caller, call.name, Places::Last::kItself);
    if (!place) return not_located(place.error());
    // "." and "..": the kernel knows which error that is.
    if (!place->inside || place->is_dotted) return {.answer = Answer::kContinue};
    const auto node = sys::node_at(place->directory.get(), place->leaf.c_str());
    if (!node) return {.os_error = error_of(node.error())};
    const bool is_directory = node->stat.type == FileType::kDirectory;
    const bool wants_directory = call.kind == GatedKind::kRemoveDirectory;
    if (!wants_directory && place->slash) return {.os_error = is_directory ? EISDIR : ENOTDIR};
    auto verdict = judge_->remove(place->path);
    // It would not go anyway: git tries it with its own.
    if (verdict && wants_directory && is_directory && holds_something(*place)) {
        return {.os_error = ENOTEMPTY};
    }
    if (const auto error = refuse(std::move(verdict), place->path)) return {.os_error = *error};
    if (wants_directory != is_directory) {
        // Never done: the kernel knows which error comes first.
        const Done done =
            sys::unlinkat(place->directory.get(), place->leaf.c_str(),
                          wants_directory ? sys::Unlink::kDirectory : sys::Unlink::kFile);
        return {.os_error = done ? 0 : error_of(done.error())};
    }
    const auto done = setup_.journal->remove(caller.call, place->name(), node->stat);
    return {.os_error = done ? 0 : error_of(done.error())};
}

}  // namespace paddock::sandbox
