#include "sys/child.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstring>

#include "sys/call.h"
#include "sys/memory.h"

#ifdef PADDOCK_THREAD_SANITIZER
#include <sanitizer/linux_syscall_hooks.h>
#endif

namespace paddock::sys {
namespace {

constexpr long kNrCloseRange = 436;
constexpr auto kPidfd = static_cast<idtype_t>(3);  // P_PIDFD
constexpr int kSameMemory = kChildrenShareMemory ? CLONE_VM : 0;

long plain_clone(unsigned long flags, int* held) {
    return ::syscall(SYS_clone, flags, nullptr, held, nullptr, nullptr);
}

// ThreadSanitizer has to be told of a system call that makes a copy: no lock of its own may be held
// there by a thread that the copy does not have. The copy says what its parent says: otherwise it
// would get a thread of the runtime's own, which counts among the processes of commands.
#ifdef PADDOCK_THREAD_SANITIZER
long told_clone(unsigned long flags, int* held) {
    __sanitizer_syscall_pre_fork();
    const long id = plain_clone(flags, held);
    const int error = errno;
    __sanitizer_syscall_post_fork(id == 0 ? 1 : id);
    errno = error;
    return id;
}
#else
long told_clone(unsigned long flags, int* held) { return plain_clone(flags, held); }
#endif

std::uint64_t microseconds(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000U +
           static_cast<std::uint64_t>(time.tv_usec);
}

}  // namespace

Outcome<Child> copy_process(int namespaces) {
    int held = -1;
    const auto flags = static_cast<unsigned long>(namespaces) | CLONE_PIDFD;
    PADDOCK_ASSIGN(id, ask_kernel(Call::kProcess, [&] { return told_clone(flags, &held); }));
    if (id == 0) return Child{};
    return Child{static_cast<pid_t>(id), UniqueFd(held)};
}

Outcome<pid_t> borrow_process(int (*body)(void*), void* argument, std::span<std::byte> stack) {
    PADDOCK_ASSIGN(id, ask_kernel(Call::kProcess, [&] {
                       return ::clone(body, stack.data() + stack.size(),
                                      kSameMemory | CLONE_VFORK | SIGCHLD, argument);
                   }));
    return static_cast<pid_t>(id);
}

Outcome<Child> share_process(int (*body)(void*), void* argument, std::span<std::byte> stack,
                             int flags) {
    int held = -1;
    PADDOCK_ASSIGN(id, ask_kernel(Call::kProcess, [&] {
                       return ::clone(body, stack.data() + stack.size(),
                                      kSameMemory | CLONE_PIDFD | flags, argument, &held);
                   }));
    return Child{static_cast<pid_t>(id), UniqueFd(held)};
}

// Waiting does not ask the fault seam: the kernel has no way to fail it but the ones that mean
// something.
Outcome<int> wait_for(int held) {
    siginfo_t info{};
    while (::waitid(kPidfd, static_cast<id_t>(held), &info, WEXITED | __WALL) != 0) {
        if (errno != EINTR) return Failure::from_errno(errno);
    }
    return info.si_status;
}

Outcome<std::optional<Ended>> take_ended() {
    int status = 0;
    struct rusage usage {};
    const pid_t id = ::wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (id < 0) return Failure::from_errno(errno);
    if (id == 0) return std::nullopt;
    Ended ended;
    ended.id = id;
    if (WIFSIGNALED(status)) {
        ended.signal = WTERMSIG(status);
    } else {
        ended.exit_code = WEXITSTATUS(status);
    }
    ended.user_us = microseconds(usage.ru_utime);
    ended.system_us = microseconds(usage.ru_stime);
    ended.peak_memory_kb = static_cast<std::uint64_t>(usage.ru_maxrss);
    return ended;
}

bool have_same_memory(pid_t one, pid_t other) noexcept {
    return ::syscall(SYS_kcmp, one, other, KCMP_VM, 0, 0) == 0;
}

void leave(int status) noexcept { ::_exit(status); }

// glibc would answer with the id of the original.
pid_t own_id() noexcept { return static_cast<pid_t>(::syscall(SYS_getpid)); }

Done new_session() {
    return call(Call::kProcess, [] { return ::setsid(); });
}

Done adopt_orphans() {
    return call(Call::kProcess, [] { return ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); });
}

Done enter_directory(int directory) {
    return call(Call::kProcess, [&] { return ::fchdir(directory); });
}

Done set_host_name(const char* name) {
    return call(Call::kProcess, [&] { return ::sethostname(name, std::strlen(name)); });
}

mode_t set_creation_mask(mode_t mask) noexcept { return ::umask(mask); }

Done place_descriptor(int from, int to) {
    // dup2 onto itself would leave it close-on-exec.
    if (from == to) return call(Call::kProcess, [&] { return ::fcntl(to, F_SETFD, 0); });
    return call(Call::kProcess, [&] { return ::dup2(from, to); });
}

Done close_from(int first) { return close_between(first, INT_MAX); }

Done close_from_when_run(int first) {
    constexpr unsigned kCloseOnExec = 1U << 2;
    return call(Call::kProcess, [&] {
        return ::syscall(kNrCloseRange, static_cast<unsigned>(first), ~0U, kCloseOnExec);
    });
}

Done close_between(int first, int last) {
    return call(Call::kProcess, [&] {
        return ::syscall(kNrCloseRange, static_cast<unsigned>(first), static_cast<unsigned>(last),
                         0);
    });
}

Failure run_program(const char* path, char* const* arguments, char* const* environment) noexcept {
    const int injected = next_fault(Call::kProcess).error;
    if (injected != 0) return Failure::from_errno(injected);
    ::execve(path, arguments, environment);
    return Failure::from_errno(errno);
}

}  // namespace paddock::sys
