#include "sys/seccomp.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sys/process.h"

namespace paddock::sys::seccomp {
namespace {

// Linux 6.6.
constexpr unsigned long kIoctlSetFlags = _IOW('!', 4, std::uint64_t);
constexpr std::uint64_t kSyncWakeUp = 1;

Outcome<int> set_filter(Program program, unsigned long flags) {
    const sock_fprog filter{static_cast<unsigned short>(program.size()),
                            const_cast<sock_filter*>(program.data())};
    const long answer = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
    if (answer < 0) return Failure::from_errno(errno);
    return static_cast<int>(answer);
}

}  // namespace

Done install(Program program) {
    PADDOCK_TRY(set_filter(program, 0));
    return {};
}

Outcome<UniqueFd> install_with_listener(Program program) {
    // A signal would otherwise interrupt a call that is being looked at, and a process that gets
    // many (a profiler, Go) would never come through.
    auto listener = set_filter(
        program, SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
    if (!listener && listener.error().os_error == EINVAL) {
        listener = set_filter(program, SECCOMP_FILTER_FLAG_NEW_LISTENER);  // before Linux 5.19
    }
    if (!listener) return listener.error();
    return UniqueFd(*listener);
}

bool grants_listener() {
    const std::uint32_t action = SECCOMP_RET_USER_NOTIF;
    return !has_seccomp_filter() &&
           ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

Done wake_on_same_processor(int listener) {
    if (::ioctl(listener, kIoctlSetFlags, kSyncWakeUp) != 0) return Failure::from_errno(errno);
    return {};
}

Outcome<Notification> receive(int listener) {
    seccomp_notif raw{};  // the kernel insists on zeros
    while (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &raw) != 0) {
        if (errno != EINTR) return Failure::from_errno(errno);
        raw = {};
    }
    Notification call;
    call.id = raw.id;
    call.process = static_cast<int>(raw.pid);
    call.number = raw.data.nr;
    std::copy(std::begin(raw.data.args), std::end(raw.data.args), call.arguments.begin());
    return call;
}

bool is_waiting(int listener, std::uint64_t id) {
    return ::ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

Done let_continue(int listener, std::uint64_t id) {
    seccomp_notif_resp answer{};
    answer.id = id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) != 0) {
        return Failure::from_errno(errno);
    }
    return {};
}

Done answer(int listener, std::uint64_t id, std::int64_t value, int os_error) {
    seccomp_notif_resp response{};
    response.id = id;
    response.val = value;
    response.error = -os_error;
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) != 0) {
        return Failure::from_errno(errno);
    }
    return {};
}

Outcome<int> give_descriptor(int listener, std::uint64_t id, int fd, bool close_on_exec) {
    seccomp_notif_addfd given{};
    given.id = id;
    given.srcfd = static_cast<std::uint32_t>(fd);
    given.newfd_flags = close_on_exec ? O_CLOEXEC : 0;
    for (;;) {
        const int number = ::ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &given);
        if (number >= 0) return number;
        if (errno != EINTR) return Failure::from_errno(errno);
    }
}

// Asked with a program that does not exist: flags are looked at first.
bool has_killable_wait() {
    const unsigned long flags =
        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, nullptr) != 0 && errno == EFAULT;
}

Outcome<std::size_t> read_memory(int process, std::uint64_t address, char* buffer,
                                 std::size_t size) {
    const iovec here{buffer, size};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the other process
    const iovec there{reinterpret_cast<void*>(address), size};
    const ssize_t copied = ::process_vm_readv(process, &here, 1, &there, 1, 0);
    if (copied < 0) return Failure::from_errno(errno);
    return static_cast<std::size_t>(copied);
}

}  // namespace paddock::sys::seccomp
