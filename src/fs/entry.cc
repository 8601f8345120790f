#include "fs/entry.h"

#include <fcntl.h>

#include <cerrno>

#include "fs/dir_chain.h"
#include "fs/readable.h"
#include "fs/resolver.h"
#include "fs/retried.h"
#include "sys/open.h"
#include "sys/uapi.h"

namespace paddock::fs {
namespace {

// One name, so nothing but a link or a mount can lead anywhere else.
Outcome<UniqueFd> ask_kernel(int directory, const char* name, int flags) {
    constexpr std::uint64_t kHere = sys::uapi::kResolveBeneath | sys::uapi::kResolveNoXdev |
                                    sys::uapi::kResolveNoSymlinks | sys::uapi::kResolveNoMagiclinks;
    return sys::openat2(directory, name, flags | O_RDONLY | kNoWait, kHere);
}

// A listed mount, a link, or a filter that knows no openat2: a closer look decides.
bool is_undecided(const Failure& failure) {
    return failure.os_error == EXDEV || failure.os_error == ELOOP || failure.os_error == ENOSYS ||
           failure.os_error == EPERM;
}

Outcome<UniqueFd> open_pinned_file(const RootState& state, int directory, const char* name) {
    PADDOCK_ASSIGN(pinned, sys::openat(directory, name, O_PATH | O_NOFOLLOW));
    PADDOCK_ASSIGN(node, sys::node(pinned.get()));
    if (node.stat.type != FileType::kRegular) return refuse(Code::kNotRegularFile);
    if (!state.may_enter(node.mount)) return refuse(Code::kMountCrossing, {}, EBUSY);
    PADDOCK_ASSIGN(fd, sys::openat(directory, name, O_RDONLY | O_NOFOLLOW | kNoWait));
    PADDOCK_ASSIGN(opened, sys::fstat(fd.get()));
    if (opened.identity != node.stat.identity) return refuse(Code::kRace);
    return std::move(fd);
}

Outcome<UniqueFd> open_file(const RootState& state, int directory, const char* name) {
    if (state.kernel) {
        auto fd = ask_kernel(directory, name, 0);
        if (fd || !is_undecided(fd.error())) return fd;
    }
    return retried([&] { return open_pinned_file(state, directory, name); });
}

}  // namespace

FileType type_of_entry(int directory, const sys::DirEntry& entry) {
    if (entry.type != FileType::kUnknown) return entry.type;
    const auto node = sys::node_at(directory, entry.name);
    return node ? node->stat.type : FileType::kUnknown;
}

Outcome<UniqueFd> open_directory_entry(const RootState& state, int directory, const char* name) {
    if (state.kernel) {
        // Looked at first, because opening a mount that is refused might set off an automount.
        PADDOCK_ASSIGN(node, sys::node_at(directory, name));
        if (node.stat.type != FileType::kDirectory) return refuse(Code::kNotADirectory);
        if (!state.may_enter(node.mount)) return refuse(Code::kMountCrossing, {}, EBUSY);
        auto fd = ask_kernel(directory, name, O_DIRECTORY);
        if (fd || !is_undecided(fd.error())) return fd;
    }
    PADDOCK_ASSIGN(child, open_child(state, directory, name, O_RDONLY));
    return std::move(child.fd);
}

Outcome<Handle> open_file_entry(const RootState& state, int directory, const char* name) {
    PADDOCK_ASSIGN(fd, open_file(state, directory, name));
    PADDOCK_ASSIGN(stat, sys::fstat(fd.get()));
    if (stat.type != FileType::kRegular) return refuse(Code::kNotRegularFile);
    if (state.hardlinks == Hardlinks::kReject) {
        if (stat.links > 1) return refuse(Code::kPermissionDenied);
        // A count of 1 means nothing if the name that was left is another one.
        PADDOCK_ASSIGN(there, sys::node_at(directory, name));
        if (there.stat.identity != stat.identity) return refuse(Code::kRace);
    }
    return Handle(std::move(fd), stat);
}

}  // namespace paddock::fs
