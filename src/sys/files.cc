#include "sys/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include <paddock/limits.h>

#include "sys/call.h"
#include "sys/uapi.h"

namespace paddock::sys {

// Extended attributes carried over by an atomic replace: the kernel's own list limit.
constexpr std::size_t kXattrBytesMax = 65536;

Outcome<UniqueFd> openat(int directory, const char* path, int flags, mode_t mode) {
    PADDOCK_ASSIGN(fd, ask_kernel(Call::kOpenat, [&] {
                       return ::openat(directory, path, flags | O_CLOEXEC, mode);
                   }));
    return UniqueFd(static_cast<int>(fd));
}

Outcome<UniqueFd> openat2(int directory, const char* path, int flags, std::uint64_t resolve) {
    return openat2(directory, path, flags, 0, resolve);
}

Outcome<UniqueFd> openat2(int directory, const char* path, int flags, mode_t mode,
                          std::uint64_t resolve) {
    uapi::OpenHow how;
    how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags | O_CLOEXEC));
    how.mode = mode;
    how.resolve = resolve;
    PADDOCK_ASSIGN(fd, ask_kernel(Call::kOpenat2, [&] {
                       return ::syscall(uapi::kNrOpenat2, directory, path, &how, sizeof how);
                   }));
    return UniqueFd(static_cast<int>(fd));
}

Done let_wait(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0) {
        return Failure::from_errno(errno);
    }
    return {};
}

// A lease for reading is granted where nobody writes.
Outcome<bool> is_open_for_writing(int fd) {
    if (::fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
        (void)::fcntl(fd, F_SETLEASE, F_UNLCK);
        return false;
    }
    if (errno == EAGAIN) return true;
    return Failure::from_errno(errno);
}

Outcome<UniqueFd> duplicate(int fd, int lowest) {
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, lowest);
    if (copy < 0) return Failure::from_errno(errno);
    return UniqueFd(copy);
}

Done set_close_on_exec(int fd) {
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return Failure::from_errno(errno);
    return {};
}

namespace {

FileType type_of_mode(unsigned mode) {
    switch (mode & S_IFMT) {
        case S_IFREG: return FileType::kRegular;
        case S_IFDIR: return FileType::kDirectory;
        case S_IFLNK: return FileType::kSymlink;
        case S_IFIFO: return FileType::kFifo;
        case S_IFSOCK: return FileType::kSocket;
        case S_IFCHR: return FileType::kCharDevice;
        case S_IFBLK: return FileType::kBlockDevice;
        default: return FileType::kUnknown;
    }
}

template <class Time>
std::chrono::nanoseconds nanoseconds_of(const Time& time) {
    // A file can carry any time; what 64 bits of nanoseconds cannot hold is shown as the nearest.
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
    const std::int64_t seconds = std::clamp<std::int64_t>(time.tv_sec, -kMost, kMost);
    return std::chrono::seconds(seconds) + std::chrono::nanoseconds(time.tv_nsec);
}

constexpr std::uint64_t kBlockBytes = 512;  // whatever the blocks of the file system are

Stat from(const struct stat& raw) {
    Stat stat;
    stat.type = type_of_mode(raw.st_mode);
    stat.mode = raw.st_mode & 07777U;
    stat.uid = raw.st_uid;
    stat.gid = raw.st_gid;
    stat.size = static_cast<std::uint64_t>(raw.st_size);
    stat.allocated = static_cast<std::uint64_t>(raw.st_blocks) * kBlockBytes;
    stat.links = raw.st_nlink;
    stat.identity = {raw.st_dev, raw.st_ino};
    stat.accessed = nanoseconds_of(raw.st_atim);
    stat.modified = nanoseconds_of(raw.st_mtim);
    stat.changed = nanoseconds_of(raw.st_ctim);
    return stat;
}

Node from(const struct statx& raw) {
    Node node;
    node.stat.type = type_of_mode(raw.stx_mode);
    node.stat.mode = raw.stx_mode & 07777U;
    node.stat.uid = raw.stx_uid;
    node.stat.gid = raw.stx_gid;
    node.stat.size = raw.stx_size;
    node.stat.allocated = raw.stx_blocks * kBlockBytes;
    node.stat.links = raw.stx_nlink;
    node.stat.identity = {::makedev(raw.stx_dev_major, raw.stx_dev_minor), raw.stx_ino};
    node.stat.accessed = nanoseconds_of(raw.stx_atime);
    node.stat.modified = nanoseconds_of(raw.stx_mtime);
    node.stat.changed = nanoseconds_of(raw.stx_ctime);
    if ((raw.stx_mask & STATX_BTIME) != 0) node.stat.created = nanoseconds_of(raw.stx_btime);
    node.mount = raw.stx_mnt_id;
    return node;
}

constexpr int kLook = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;

Outcome<Node> statx_node(int directory, const char* name, int flags) {
    struct statx raw;
    constexpr unsigned kMask =
        STATX_BASIC_STATS | STATX_BTIME | uapi::kStatxMntId | uapi::kStatxMntIdUnique;
    PADDOCK_TRY(
        call(Call::kStat, [&] { return ::statx(directory, name, flags | kLook, kMask, &raw); }));
    if ((raw.stx_mask & (uapi::kStatxMntId | uapi::kStatxMntIdUnique)) == 0) {
        return refuse(Code::kNotAvailable, "this kernel does not report mount ids");
    }
    return from(raw);
}

}  // namespace

// Not by fstat(2), which does not tell when it was made.
Outcome<Stat> fstat(int fd) {
    struct statx raw;
    constexpr unsigned kMask = STATX_BASIC_STATS | STATX_BTIME;
    PADDOCK_TRY(
        call(Call::kStat, [&] { return ::statx(fd, "", AT_EMPTY_PATH | kLook, kMask, &raw); }));
    return from(raw).stat;
}

Outcome<Node> node(int fd) { return statx_node(fd, "", AT_EMPTY_PATH); }

Outcome<Node> node_at(int directory, const char* name) { return statx_node(directory, name, 0); }

Outcome<std::chrono::nanoseconds> modified_at(int directory, const char* name) {
    struct statx raw;
    PADDOCK_TRY(
        call(Call::kStat, [&] { return ::statx(directory, name, kLook, STATX_MTIME, &raw); }));
    return nanoseconds_of(raw.stx_mtime);
}

Outcome<bool> is_mount_root(int fd) {
    struct statx raw;
    PADDOCK_TRY(call(Call::kStat, [&] { return ::statx(fd, "", AT_EMPTY_PATH | kLook, 0, &raw); }));
    return (raw.stx_attributes & uapi::kStatxAttrMountRoot) != 0;
}

Outcome<FileSystem> file_system(int fd) {
    struct statfs raw;
    PADDOCK_TRY(call(Call::kStat, [&] { return ::fstatfs(fd, &raw); }));
    const auto block = static_cast<std::uint64_t>(raw.f_bsize);
    return FileSystem{raw.f_type, raw.f_flags, std::uint64_t{raw.f_bavail} * block};
}

Done may_write(int fd) {
    return call(Call::kAccess,
                [&] { return ::faccessat(fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH); });
}

// Not by way of libc, which would guess from the permission bits.
Done may_write_at(int directory, const char* name) {
    return call(Call::kAccess, [&] {
        return ::syscall(SYS_faccessat2, directory, name, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW);
    });
}

Outcome<std::string> real_path(const char* path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path, nullptr), &std::free);
    if (real == nullptr) return Failure::from_errno(errno);
    return std::string(real.get());
}

Outcome<Space> space_behind(int directory, const char* name) {
    struct stat raw;
    PADDOCK_TRY(call(Call::kStat, [&] { return ::fstatat(directory, name, &raw, 0); }));
    return Space{{raw.st_dev, raw.st_ino}, static_cast<std::uint64_t>(raw.st_blocks) * kBlockBytes};
}

Outcome<Stat> stat_path(const char* path) {
    struct stat raw;
    if (::stat(path, &raw) != 0) return Failure::from_errno(errno);
    return from(raw);
}

namespace {

timespec timespec_of(const std::optional<std::chrono::nanoseconds>& time) {
    if (!time) return {0, UTIME_OMIT};
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t rest = (time->count() % kSecond + kSecond) % kSecond;
    return {time->count() / kSecond - (time->count() % kSecond < 0 ? 1 : 0), rest};
}

// Few files have more attributes than a label and an ACL.
constexpr std::size_t kXattrBytesUsual = 512;

template <class System>
Outcome<std::string> bytes_of(System system) {
    std::string bytes(kXattrBytesUsual, '\0');
    const auto ask = [&] { return system(bytes.data(), bytes.size()); };
    auto size = ask_kernel(Call::kXattr, ask);
    if (!size && size.error().os_error == ERANGE) {
        bytes.resize(kXattrBytesMax);
        size = ask_kernel(Call::kXattr, ask);
    }
    if (!size) return size.error();
    bytes.resize(static_cast<std::size_t>(*size));
    return bytes;
}

}  // namespace

Done fchmod(int fd, mode_t mode) {
    return call(Call::kChmod, [&] { return ::fchmod(fd, mode); });
}

Done fchown(int fd, uid_t uid, gid_t gid) {
    return call(Call::kChown, [&] { return ::fchown(fd, uid, gid); });
}

Done chmod_path_fd(int fd, mode_t mode) {
    return call(Call::kChmod,
                [&] { return ::syscall(uapi::kNrFchmodat2, fd, "", mode, AT_EMPTY_PATH); });
}

Done chmod_magic(int directory, const char* name, mode_t mode) {
    return call(Call::kChmod, [&] { return ::fchmodat(directory, name, mode, 0); });
}

Done set_times(int fd, std::optional<std::chrono::nanoseconds> accessed,
               std::optional<std::chrono::nanoseconds> modified) {
    const timespec times[2] = {timespec_of(accessed), timespec_of(modified)};
    return call(Call::kTimes, [&] { return ::utimensat(fd, "", times, AT_EMPTY_PATH); });
}

Outcome<std::string> list_xattrs(int fd) {
    auto names =
        bytes_of([&](char* data, std::size_t size) { return ::flistxattr(fd, data, size); });
    if (!names && names.error().os_error == EOPNOTSUPP) return std::string();
    return names;
}

Outcome<std::string> get_xattr(int fd, const char* name) {
    return bytes_of(
        [&](char* data, std::size_t size) { return ::fgetxattr(fd, name, data, size); });
}

Done set_xattr(int fd, const char* name, std::string_view value) {
    return call(Call::kXattr, [&] { return ::fsetxattr(fd, name, value.data(), value.size(), 0); });
}

Done remove_xattr(int fd, const char* name) {
    return call(Call::kXattr, [&] { return ::fremovexattr(fd, name); });
}

Done set_xattr_at(const char* path, const char* name, std::string_view value, int flags) {
    return call(Call::kXattr,
                [&] { return ::setxattr(path, name, value.data(), value.size(), flags); });
}

Done remove_xattr_at(const char* path, const char* name) {
    return call(Call::kXattr, [&] { return ::removexattr(path, name); });
}

Done mkdirat(int directory, const char* name, mode_t mode) {
    return call(Call::kMkdir, [&] { return ::mkdirat(directory, name, mode); });
}

Done unlinkat(int directory, const char* name, Unlink what) {
    const int flags = what == Unlink::kDirectory ? AT_REMOVEDIR : 0;
    return call(Call::kUnlink, [&] { return ::unlinkat(directory, name, flags); });
}

Done renameat2(int from, const char* from_name, int to, const char* to_name, Rename how) {
    const auto flags = static_cast<unsigned>(how);
    return call(Call::kRename,
                [&] { return ::syscall(SYS_renameat2, from, from_name, to, to_name, flags); });
}

Done linkat(int from, const char* from_name, int to, const char* to_name) {
    return call(Call::kLink, [&] { return ::linkat(from, from_name, to, to_name, 0); });
}

Done link_descriptor(int fd, int to, const char* to_name) {
    char from[32];
    std::snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    return call(Call::kLink,
                [&] { return ::linkat(AT_FDCWD, from, to, to_name, AT_SYMLINK_FOLLOW); });
}

Done mknodat(int directory, const char* name, mode_t mode) {
    return call(Call::kMkdir, [&] { return ::mknodat(directory, name, mode, 0); });
}

Done chmodat(int directory, const char* name, mode_t mode) {
    return call(Call::kChmod, [&] { return ::fchmodat(directory, name, mode, 0); });
}

Done symlinkat(const char* target, int directory, const char* name) {
    return call(Call::kSymlink, [&] { return ::symlinkat(target, directory, name); });
}

Outcome<std::string> readlinkat(int directory, const char* name) {
    std::string target(PATH_MAX, '\0');
    PADDOCK_ASSIGN(size, ask_kernel(Call::kReadlink, [&] {
                       return ::readlinkat(directory, name, target.data(), target.size());
                   }));
    target.resize(static_cast<std::size_t>(size));
    return target;
}

Outcome<std::size_t> read_link(const char* path, std::span<char> buffer) {
    return read_link_at(AT_FDCWD, path, buffer);
}

Outcome<std::size_t> read_link_at(int directory, const char* name, std::span<char> buffer) {
    PADDOCK_ASSIGN(size, ask_kernel(Call::kReadlink, [&] {
                       return ::readlinkat(directory, name, buffer.data(), buffer.size());
                   }));
    return static_cast<std::size_t>(size);
}

namespace {

// struct linux_dirent64 up to the name.
struct RawHeader {
    std::uint64_t inode;
    std::int64_t next;
    std::uint16_t size;
    std::uint8_t type;
};
constexpr std::size_t kNameOffset = 19;

FileType type_of(std::uint8_t type) {
    switch (type) {
        case DT_REG: return FileType::kRegular;
        case DT_DIR: return FileType::kDirectory;
        case DT_LNK: return FileType::kSymlink;
        case DT_FIFO: return FileType::kFifo;
        case DT_SOCK: return FileType::kSocket;
        case DT_CHR: return FileType::kCharDevice;
        case DT_BLK: return FileType::kBlockDevice;
        default: return FileType::kUnknown;
    }
}

bool is_dot_name(const char* name) {
    return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

}  // namespace

Outcome<const DirEntry*> DirReader::next(int fd) {
    for (;;) {
        if (position_ == filled_) {
            PADDOCK_ASSIGN(size, ask_kernel(Call::kGetdents, [&] {
                               return ::syscall(SYS_getdents64, fd, block_.get(), kBlockBytes);
                           }));
            if (size == 0) return nullptr;
            position_ = 0;
            filled_ = static_cast<std::size_t>(size);
        }
        RawHeader header;
        std::memcpy(&header, block_.get() + position_, kNameOffset);
        entry_.name = block_.get() + position_ + kNameOffset;
        entry_.type = type_of(header.type);
        entry_.next = header.next;
        position_ += header.size;
        if (!is_dot_name(entry_.name)) return &entry_;
    }
}

Done seek_entry(int fd, std::int64_t position) {
    return call(Call::kSeek, [&] { return ::lseek(fd, position, SEEK_SET); });
}

}  // namespace paddock::sys
