#include "sys/stat.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>

#include "sys/call.h"
#include "sys/uapi.h"

namespace paddock::sys {
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

}  // namespace paddock::sys
