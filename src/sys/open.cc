#include "sys/open.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "sys/fault.h"
#include "sys/uapi.h"

namespace paddock::sys {

Outcome<UniqueFd> openat(int directory, const char* path, int flags, mode_t mode) {
    for (;;) {
        if (const Fault fault = next_fault(Call::kOpenat); fault.error != 0) {
            if (fault.error == EINTR) continue;
            return Failure::from_errno(fault.error);
        }
        const int fd = ::openat(directory, path, flags | O_CLOEXEC, mode);
        if (fd >= 0) return UniqueFd(fd);
        if (errno != EINTR) return Failure::from_errno(errno);
    }
}

Outcome<UniqueFd> openat2(int directory, const char* path, int flags, std::uint64_t resolve) {
    uapi::OpenHow how;
    how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags | O_CLOEXEC));
    how.resolve = resolve;
    for (;;) {
        if (const Fault fault = next_fault(Call::kOpenat2); fault.error != 0) {
            if (fault.error == EINTR) continue;
            return Failure::from_errno(fault.error);
        }
        const long fd = ::syscall(uapi::kNrOpenat2, directory, path, &how, sizeof how);
        if (fd >= 0) return UniqueFd(static_cast<int>(fd));
        if (errno != EINTR) return Failure::from_errno(errno);
    }
}

Outcome<UniqueFd> duplicate(int fd) {
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return Failure::from_errno(errno);
    return UniqueFd(copy);
}

Done set_close_on_exec(int fd) {
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) return Failure::from_errno(errno);
    return {};
}

}  // namespace paddock::sys
