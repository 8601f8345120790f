// Files and names: opening, asking, changing, renaming and listing, always from a held directory.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <paddock/handle.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

// Opening, always close-on-exec, EINTR retried.

Outcome<UniqueFd> openat(int directory, const char* path, int flags, mode_t mode = 0);

// Always with the 24-byte structure of Linux 5.6, which every later kernel takes.
Outcome<UniqueFd> openat2(int directory, const char* path, int flags, std::uint64_t resolve);

// The same for a name that may be made, or none of its own (O_TMPFILE).
Outcome<UniqueFd> openat2(int directory, const char* path, int flags, mode_t mode,
                          std::uint64_t resolve);

// Takes O_NONBLOCK off an open file again.
Done let_wait(int fd);

// Has anybody this file open for writing, or mapped so? `fd` is read-only, and the file is that of
// this user. Not every file system says it.
Outcome<bool> is_open_for_writing(int fd);

Outcome<UniqueFd> duplicate(int fd, int lowest = 0);  // at that number or above
Done set_close_on_exec(int fd);

// Asking what an object is. Nothing here follows a link or triggers an automount.
// Identifies a mount; compared only between values that one process obtained.
using MountId = std::uint64_t;

struct Node {
    Stat stat;
    MountId mount = 0;
};

// fstat: no mount id, the cheapest question.
Outcome<Stat> fstat(int fd);

// statx of the descriptor itself / of one name in a directory. not_available if the kernel does
// not report mount ids (before 5.8): without them mounts could not be told apart.
Outcome<Node> node(int fd);
Outcome<Node> node_at(int directory, const char* name);

// When one name in a directory was modified, and nothing else, which some file systems answer
// quicker.
Outcome<std::chrono::nanoseconds> modified_at(int directory, const char* name);

// Is it the root of a mount? Linux 5.8.
Outcome<bool> is_mount_root(int fd);

struct FileSystem {
    long type = 0;
    long flags = 0;
    std::uint64_t free_bytes = 0;  // for unprivileged users
};
Outcome<FileSystem> file_system(int fd);

// May the effective user write this object? Works on O_PATH descriptors. Or this name in a
// directory, a link itself; ENOSYS where the kernel cannot tell.
Done may_write(int fd);
Done may_write_at(int directory, const char* name);

// What the object behind a link of /proc/<id>/fd takes. Follows it.
struct Space {
    Identity identity;
    std::uint64_t bytes = 0;
};
Outcome<Space> space_behind(int directory, const char* name);

// The canonical absolute path of `path`, as the plain OS sees it. For the operator's root only.
Outcome<std::string> real_path(const char* path);
Outcome<Stat> stat_path(const char* path);

// Changing what an open object is like.
Done fchmod(int fd, mode_t mode);
Done fchown(int fd, uid_t uid, gid_t gid);

// For O_PATH descriptors, which the two above refuse. fchmodat2 needs Linux 6.6 (ENOSYS before).
Done chmod_path_fd(int fd, mode_t mode);

// Follows `name` in a directory that is known to be procfs's own; see fs/procfs.h.
Done chmod_magic(int directory, const char* name, mode_t mode);

// Of an O_PATH descriptor too. An absent time is left as it is.
Done set_times(int fd, std::optional<std::chrono::nanoseconds> accessed,
               std::optional<std::chrono::nanoseconds> modified);

// The names, each ended by NUL; empty where the file system has none.
Outcome<std::string> list_xattrs(int fd);
Outcome<std::string> get_xattr(int fd, const char* name);
Done set_xattr(int fd, const char* name, std::string_view value);
Done remove_xattr(int fd, const char* name);
// By path, which may be the link of an O_PATH descriptor in /proc. `flags`: XATTR_.
Done set_xattr_at(const char* path, const char* name, std::string_view value, int flags);
Done remove_xattr_at(const char* path, const char* name);

// Changing the names in one directory. `name` is always a single component, never ".", "..", and
// never with a slash; no call follows a link.
enum class Unlink : bool { kFile, kDirectory };

Done mkdirat(int directory, const char* name, mode_t mode);
Done unlinkat(int directory, const char* name, Unlink what);

enum class Rename : unsigned { kReplace = 0, kNoReplace = 1, kExchange = 2 };  // as in the kernel
Done renameat2(int from, const char* from_name, int to, const char* to_name, Rename how);

Done linkat(int from, const char* from_name, int to, const char* to_name);
// Gives the object behind a descriptor, one without a name too, a name. Goes through /proc.
Done link_descriptor(int fd, int to, const char* to_name);
// A FIFO, a socket or an empty file, by the type in `mode`.
Done mknodat(int directory, const char* name, mode_t mode);
// Of a name that is no link.
Done chmodat(int directory, const char* name, mode_t mode);
Done symlinkat(const char* target, int directory, const char* name);

// The text of a link; `name` may be empty, then `directory` is an O_PATH descriptor of the link.
Outcome<std::string> readlinkat(int directory, const char* name);

// The same for a path, without allocating: the size of the text, cut where `buffer` ends.
Outcome<std::size_t> read_link(const char* path, std::span<char> buffer);
Outcome<std::size_t> read_link_at(int directory, const char* name, std::span<char> buffer);

// Reading a directory through a descriptor, in blocks, without libc's stream.
struct DirEntry {
    const char* name = nullptr;          // valid until the next call; never "." or ".."
    FileType type = FileType::kUnknown;  // as the file system says; kUnknown: ask node_at
    std::int64_t next = 0;               // position after this entry, for seek
};

class DirReader {
public:
    // The next entry of `fd`, which must be the same descriptor until reset(); nullptr at the end.
    Outcome<const DirEntry*> next(int fd);

    // Forgets what was read ahead: call it before reading another descriptor.
    void reset() noexcept { position_ = filled_ = 0; }

private:
    static constexpr std::size_t kBlockBytes = 32768;

    // Not initialised: that would cost more than reading most directories.
    std::unique_ptr<char[]> block_ = std::make_unique_for_overwrite<char[]>(kBlockBytes);
    std::size_t position_ = 0;
    std::size_t filled_ = 0;
    DirEntry entry_;
};

// Goes to a DirEntry::next, or to the beginning (0).
Done seek_entry(int fd, std::int64_t position);

}  // namespace paddock::sys
