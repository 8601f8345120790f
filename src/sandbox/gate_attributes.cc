// Sizes, modes and attributes, and the names of sockets.
#include "sandbox/gate.h"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sandbox/denial.h"
#include "sys/files.h"
#include "sys/identity.h"
#include "sys/io.h"
#include "sys/process.h"
#include "sys/socket.h"

namespace paddock::sandbox {
namespace {

Outcome<UniqueFd> open_descriptor(const Caller& caller, int descriptor) {
    const std::string link = descriptor == AT_FDCWD ? "/cwd" : "/fd/" + std::to_string(descriptor);
    auto held = sys::openat(AT_FDCWD, (proc_of(caller.process) + link).c_str(), O_PATH);
    if (!held && held.error().os_error == ENOENT) return Failure::from_errno(EBADF);
    return held;
}

// Those of the owner in an access control list, as bits of a mode. None in what is no such list.
std::uint32_t owner_rights(std::string_view acl) {
    struct Entry {
        std::uint16_t tag;
        std::uint16_t rights;
        std::uint32_t id;
    };
    constexpr std::size_t kHeaderBytes = 4;
    constexpr std::uint16_t kOwnerTag = 1;
    for (std::size_t at = kHeaderBytes; at + sizeof(Entry) <= acl.size(); at += sizeof(Entry)) {
        Entry entry{};
        std::memcpy(&entry, acl.data() + at, sizeof entry);
        if (entry.tag == kOwnerTag) return (entry.rights & 7U) << 6U;
    }
    return 0;
}

}  // namespace

Gate::End Gate::truncate(const GatedCall& call, const Caller& caller) {
    const journal::Turn turn(*setup_.journal);
    auto place = places_.locate(caller, call.name, Places::Last::kFollow);
    if (!place) return not_located(place.error());
    if (static_cast<std::int64_t>(call.number) < 0) return {.os_error = EINVAL};
    UniqueFd unnamed;
    if (!place->inside && is_descriptor_link(place->path, caller)) {
        auto object = places_.object_behind(place->path);
        if (object && object->is_kept()) return {.os_error = EACCES};
        if (object && object->inside && !object->place.inside) unnamed = std::move(object->held);
        if (object && object->place.inside) *place = std::move(object->place);
    }
    const auto most = proc_number(caller.process, "limits", "Max file size", 10);
    if (unnamed.valid()) {
        auto file =
            sys::openat(AT_FDCWD, own_descriptor(unnamed.get()).c_str(), O_WRONLY | O_NONBLOCK);
        Done done = file ? Done() : Done(file.error());
        if (done && most && call.number > *most) return {.os_error = EFBIG};
        if (done) done = sys::truncate(file->get(), call.number);
        return {.os_error = done ? 0 : error_of(done.error())};
    }
    if (!place->inside) {
        return setup_.landlock_truncate || is_elsewhere(place->path)
                   ? End{.answer = Answer::kContinue}
                   : End{.os_error = EACCES};
    }
    if (place->leaf.empty()) return {.os_error = EISDIR};
    const auto node = sys::node_at(place->directory.get(), place->leaf.c_str());
    if (!node) return {.os_error = error_of(node.error())};
    if (node->stat.type == FileType::kDirectory) return {.os_error = EISDIR};
    if (place->slash) return {.os_error = ENOTDIR};
    if (node->stat.type != FileType::kRegular) return {.os_error = EINVAL};
    if (const auto error = refuse(judge_->write(place->path), place->path)) {
        return {.os_error = *error};
    }
    auto file =
        sys::openat2(place->directory.get(), place->leaf.c_str(), O_WRONLY | O_NONBLOCK, kBeneath);
    if (!file) return {.os_error = error_of(file.error())};
    if (most && call.number > *most && call.number > node->stat.size) return {.os_error = EFBIG};
    const auto kept = setup_.journal->will_write(caller.call, place->name(), -1, node->stat);
    if (!kept) return {.os_error = error_of(kept.error())};
    const auto done = sys::truncate(file->get(), call.number);
    return {.os_error = done ? 0 : error_of(done.error())};
}

// Landlock knows nothing of modes and attributes, so no such call is let through: somebody would
// exchange the path or the descriptor meanwhile. What lies outside is changed too, with the rights
// of commands, unless another gate stands before it.
Outcome<Object> Gate::hold_object(const GatedCall& call, const Caller& caller) {
    if (call.by_descriptor) {
        if (call.descriptor < 0) return Failure::from_errno(EBADF);
        PADDOCK_ASSIGN(held, open_descriptor(caller, call.descriptor));
        const std::string info = "fdinfo/" + std::to_string(call.descriptor);
        const auto flags = proc_number(caller.process, info, "flags:", 8).value_or(0);
        if ((flags & O_PATH) != 0) return Failure::from_errno(EBADF);
        return places_.object_of(std::move(held));
    }
    PADDOCK_ASSIGN(path, read_path(caller, call.name.address));
    if (path.empty()) {
        if ((call.flags & AT_EMPTY_PATH) == 0) return Failure::from_errno(ENOENT);
        PADDOCK_ASSIGN(held, open_descriptor(caller, call.name.directory));
        return places_.object_of(std::move(held));
    }
    const bool follows = (call.flags & AT_SYMLINK_NOFOLLOW) == 0;
    PADDOCK_ASSIGN(
        place, places_.locate(caller, call.name.directory, path,
                              follows ? Places::Last::kFollow : Places::Last::kItselfUnlessSlash));
    if (!place.directory.valid()) return Failure::from_errno(ENOENT);
    const bool is_magic = follows && !place.inside && is_descriptor_link(place.path, caller);
    const int flags = O_PATH | (is_magic ? 0 : O_NOFOLLOW) | (place.slash ? O_DIRECTORY : 0);
    PADDOCK_ASSIGN(held, sys::openat(place.directory.get(),
                                     place.leaf.empty() ? "." : place.leaf.c_str(), flags));
    return places_.object_of(std::move(held));
}

// 0, or the errno.
int Gate::refuse_to_close(const Object& object, std::uint32_t mode) {
    if (!object.place.inside && !object.is_workspace) return 0;
    const std::string& path = object.place.path;
    if (object.stat.type != FileType::kDirectory && !judge_->is_config(path)) return 0;
    return refuse(judge_->close(path, mode), path.empty() ? "." : path).value_or(0);
}

Gate::End Gate::chmod(const GatedCall& call, const Caller& caller) {
    constexpr std::uint64_t kKnown = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH;
    if ((call.flags & ~kKnown) != 0) return {.os_error = EINVAL};
    const journal::Turn turn(*setup_.journal);
    auto object = hold_object(call, caller);
    if (!object) return {.os_error = error_of(object.error())};
    if (is_elsewhere(object->text)) return {.answer = Answer::kContinue};
    if (object->stat.type == FileType::kSymlink) return {.os_error = EOPNOTSUPP};
    // A set-id file would be one on the host. Below a set-gid directory files get its group.
    const bool sets_id = (call.mode & (S_ISUID | S_ISGID)) != 0;
    if (sets_id && object->stat.type != FileType::kDirectory) return {.os_error = EPERM};
    const Place& place = object->place;
    if (const int error = refuse_to_close(*object, call.mode)) return {.os_error = error};
    Done done;
    if (place.inside) {
        if (const auto error = refuse(judge_->chmod(place.path), place.path)) {
            return {.os_error = *error};
        }
        done = setup_.journal->will_chmod(caller.call, place.name(), object->stat);
        if (done) done = sys::chmodat(place.directory.get(), place.leaf.c_str(), call.mode & 07777);
    } else if (object->is_kept()) {
        return {.os_error = EACCES};
    } else {
        const std::string own = own_descriptor(object->held.get());
        done = sys::chmodat(AT_FDCWD, own.c_str(), call.mode & 07777);
    }
    return {.os_error = done ? 0 : error_of(done.error())};
}

Gate::End Gate::change_attribute(const GatedCall& call, const Caller& caller) {
    const auto name = read_path(caller, call.text);
    if (!name) return {.os_error = name.error().os_error == ENAMETOOLONG ? ERANGE : EFAULT};
    if (name->empty() || name->size() > XATTR_NAME_MAX) return {.os_error = ERANGE};
    if ((call.value_flags & ~std::uint32_t{XATTR_CREATE | XATTR_REPLACE}) != 0) {
        return {.os_error = EINVAL};
    }
    if (call.number > XATTR_SIZE_MAX) return {.os_error = E2BIG};
    std::string value(call.number, '\0');
    if (read_foreign(caller.process, call.value, value) != value.size())
        return {.os_error = EFAULT};
    const journal::Turn turn(*setup_.journal);
    auto object = hold_object(call, caller);
    if (!object) return {.os_error = error_of(object.error())};
    if (is_elsewhere(object->text)) return {.answer = Answer::kContinue};
    const Place& place = object->place;
    const bool changes_mode = *name == "system.posix_acl_access";
    if (changes_mode && call.kind == GatedKind::kSetAttribute) {
        const std::uint32_t rights = owner_rights(value);
        if (const int error = refuse_to_close(*object, rights)) return {.os_error = error};
    }
    if (place.inside) {
        if (const auto error = refuse(judge_->chmod(place.path), place.path)) {
            return {.os_error = *error};
        }
        const auto recorded =
            changes_mode ? setup_.journal->will_chmod(caller.call, place.name(), object->stat)
                         : Done();
        if (!recorded) return {.os_error = error_of(recorded.error())};
    } else if (object->is_kept()) {
        return {.os_error = EACCES};
    }
    const std::string own = own_descriptor(object->held.get());
    const auto done = call.kind == GatedKind::kRemoveAttribute
                          ? sys::remove_xattr_at(own.c_str(), name->c_str())
                          : sys::set_xattr_at(own.c_str(), name->c_str(), value,
                                              static_cast<int>(call.value_flags));
    return {.os_error = done ? 0 : error_of(done.error())};
}

// The address that others see is the name alone: it is bound in the directory itself.
Gate::End Gate::bind(const GatedCall& call, const Caller& caller) {
    sockaddr_un address{};
    if (call.number > sizeof address) return {.answer = Answer::kContinue};
    const std::size_t told = call.number;
    const std::size_t size =
        read_foreign(caller.process, call.text, {reinterpret_cast<char*>(&address), told});
    constexpr std::size_t kPath = offsetof(sockaddr_un, sun_path);
    if (size <= kPath || address.sun_family != AF_UNIX || address.sun_path[0] == '\0') {
        return {.answer = Answer::kContinue};
    }
    const std::string path(address.sun_path, ::strnlen(address.sun_path, size - kPath));
    auto socket = sys::borrow_descriptor(thread_group(caller.process), call.descriptor);
    if (!socket) return {.os_error = error_of(socket.error())};
    const journal::Turn turn(*setup_.journal);
    auto place = places_.locate(caller, AT_FDCWD, path, Places::Last::kItself);
    if (!place) return {.os_error = error_of(place.error())};
    if (!place->inside) return {.answer = Answer::kContinue};
    if (place->leaf.empty() || sys::node_at(place->directory.get(), place->leaf.c_str())) {
        return {.os_error = EADDRINUSE};
    }
    if (place->slash) return {.os_error = ENOENT};
    auto intent = prepare_to_make(*place, FileType::kSocket, caller);
    if (!intent) return {.os_error = error_of(intent.error())};
    sys::set_creation_mask(umask_of(caller.process));
    const auto done = sys::bind_in(socket->get(), place->directory.get(), place->leaf.c_str());
    if (!done) {
        intent->failed();
        return {.os_error = error_of(done.error())};
    }
    made(*place, *intent);
    return {};
}

}  // namespace paddock::sandbox
