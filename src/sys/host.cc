#include "sys/host.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "sys/uapi.h"

namespace paddock::sys {

Outcome<std::string> kernel_release() {
    struct utsname names;
    if (::uname(&names) != 0) return Failure::from_errno(errno);
    return std::string(names.release);
}

MountIds mount_ids() {
    struct statx raw;
    constexpr unsigned kMask = uapi::kStatxMntId | uapi::kStatxMntIdUnique;
    if (::statx(AT_FDCWD, "/", AT_SYMLINK_NOFOLLOW, kMask, &raw) != 0) return MountIds::kNone;
    if ((raw.stx_mask & uapi::kStatxMntIdUnique) != 0) return MountIds::kUnique;
    return (raw.stx_mask & uapi::kStatxMntId) != 0 ? MountIds::kReused : MountIds::kNone;
}

Outcome<bool> no_new_privs() {
    const int set = ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    if (set < 0) return Failure::from_errno(errno);
    return set == 1;
}

Done set_no_new_privs() {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Failure::from_errno(errno);
    return {};
}

Outcome<bool> is_single_threaded() {
    // Unsharing a thread from itself changes nothing; the kernel refuses where there are others.
    if (::unshare(CLONE_THREAD) == 0) return true;
    if (errno == EINVAL) return false;
    return Failure::from_errno(errno);
}

Done unshare(int flags) {
    if (::unshare(flags) != 0) return Failure::from_errno(errno);
    return {};
}

Done make_mounts_private() {
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        return Failure::from_errno(errno);
    }
    return {};
}

Done filter_getppid(int error) {
    const unsigned answer = SECCOMP_RET_ERRNO | static_cast<unsigned>(error);
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{sizeof program / sizeof program[0], program};
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        return Failure::from_errno(errno);
    }
    return {};
}

Outcome<int> parent_id() {
    const long id = ::syscall(SYS_getppid);
    if (id < 0) return Failure::from_errno(errno);
    return static_cast<int>(id);
}

Outcome<Pipe> pipe(NeverWaits which) {
    int ends[2];
    const int flags = which == NeverWaits::kNone ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK;
    if (::pipe2(ends, flags) != 0) return Failure::from_errno(errno);
    Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
    if (which == NeverWaits::kReader && ::fcntl(pipe.write.get(), F_SETFL, 0) != 0) {
        return Failure::from_errno(errno);
    }
    return pipe;
}

std::size_t pipe_capacity(int fd) noexcept {
    const int bytes = ::fcntl(fd, F_GETPIPE_SZ);
    return bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
}

}  // namespace paddock::sys
