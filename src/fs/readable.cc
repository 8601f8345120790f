#include "fs/readable.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <stdexcept>

#include <paddock/limits.h>

#include "fs/report.h"
#include "fs/resolver.h"
#include "sys/files.h"
#include "sys/io.h"
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

Done check_changeable(const Stat& stat) {
    if (stat.type == FileType::kRegular && stat.links > 1) {
        return refuse(Code::kPermissionDenied,
                      "has several hard links and is never changed in place");
    }
    return {};
}

Done check_same_names(const Stat& before, const Stat& now) {
    const bool relinked = now.changed != before.changed && now.modified == before.modified;
    const bool same = now.identity == before.identity && now.links == before.links && !relinked;
    return same ? Done() : Done(refuse(Code::kRace));
}

Done check_still_named(const RootState& state, const RelPath& path, const Stat& stat) {
    const auto again = open_object(state, path, O_PATH);
    if (!again && again.error().code == Code::kNotFound) return refuse(Code::kRace);
    if (!again) return again.error();
    PADDOCK_ASSIGN(now, sys::fstat(again->get()));
    return check_same_names(stat, now);
}

Outcome<UniqueFd> pin_changeable(const RootState& state, const RelPath& path) {
    if (path.is_root()) return refuse(Code::kInvalidArgument, "is the workspace itself");
    return retried([&]() -> Outcome<UniqueFd> {
        PADDOCK_ASSIGN(pinned, open_object(state, path, O_PATH));
        PADDOCK_ASSIGN(stat, sys::fstat(pinned.get()));
        if (stat.type != FileType::kRegular && stat.type != FileType::kDirectory) {
            return refuse(Code::kNotRegularFile);
        }
        if (stat.identity == state.node.stat.identity) {
            return refuse(Code::kInvalidArgument, "is the workspace itself");
        }
        PADDOCK_TRY(check_changeable(stat));
        if (stat.type == FileType::kRegular) PADDOCK_TRY(check_still_named(state, path, stat));
        return std::move(pinned);
    });
}

namespace {

constexpr std::size_t kBlockBytes = 4096;

// One byte more than the announced size, so that a file of just that size takes a single pass; but
// no more on the file's word than what is read anyway: a sparse file can announce anything. What
// announces nothing, as a pipe, may give a little at a time, and ends only where it says so.
Outcome<std::string> read_all(int fd, std::uint64_t size, std::uint64_t bytes_max) {
    if (size > bytes_max) return refuse(Code::kTooLarge);
    const bool is_announced = size > 0;
    std::string content(is_announced ? std::min(size, limits::kReadFileBytesMax) + 1 : kBlockBytes,
                        '\0');
    std::size_t filled = 0;
    for (;;) {
        PADDOCK_ASSIGN(got, sys::read(fd, content.data() + filled, content.size() - filled));
        filled += got;
        if (got == 0) break;
        if (is_announced && filled < content.size() && filled >= size) break;
        if (filled > bytes_max) return refuse(Code::kTooLarge, "grew too large while it was read");
        if (filled == content.size()) content.resize(content.size() * 2);
    }
    content.resize(filled);
    return content;
}

}  // namespace

Outcome<Handle> open_readable(const RootState& state, const RelPath& path) {
    PADDOCK_ASSIGN(fd, open_object(state, path, O_RDONLY | kNoWait));
    PADDOCK_ASSIGN(stat, sys::fstat(fd.get()));
    if (stat.type == FileType::kDirectory) return refuse(Code::kIsADirectory);
    if (stat.type != FileType::kRegular) return refuse(Code::kNotRegularFile);
    if (state.hardlinks == Hardlinks::kReject) {
        if (stat.links > 1) {
            return refuse(Code::kPermissionDenied,
                          "has several hard links, which this workspace refuses");
        }
        PADDOCK_TRY(check_still_named(state, path, stat));
    }
    return Handle(std::move(fd), stat);
}

Outcome<std::string> read_content(int fd, std::uint64_t size, std::uint64_t bytes_max) try {
    return read_all(fd, size, bytes_max);
} catch (const std::bad_alloc&) {
    return refuse(Code::kLimitReached, "is larger than the memory that is left", ENOMEM);
} catch (const std::length_error&) {
    return refuse(Code::kLimitReached, "is larger than memory can be", ENOMEM);
}

}  // namespace paddock::fs
