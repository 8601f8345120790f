#include "sys/open.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "sys/call.h"
#include "sys/uapi.h"

namespace paddock::sys {

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

}  // namespace paddock::sys
