#include "sys/attr.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include <paddock/limits.h>

#include "sys/call.h"
#include "sys/uapi.h"

namespace paddock::sys {
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
        bytes.resize(limits::kXattrBytesMax);
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

}  // namespace paddock::sys
