#include "sys/name.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>

#include "sys/call.h"

namespace paddock::sys {

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

}  // namespace paddock::sys
