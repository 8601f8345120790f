#include "sys/process.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace paddock::sys {

bool has_seccomp_filter() {
    // Strict mode could not have got here, so any non-zero answer is a filter.
    return ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
}

Outcome<bool> ask_in_child(bool (*ask)(int argument), int argument) {
    // A raw clone without exit signal: no fork handlers run, no SIGCHLD handler of the host sees
    // it.
    const long child = ::syscall(SYS_clone, 0L, nullptr, nullptr, nullptr, nullptr);
    if (child == 0) ::_exit(ask(argument) ? 0 : 1);
    if (child < 0) return Failure::from_errno(errno);
    int status = 0;
    while (::waitpid(static_cast<pid_t>(child), &status, __WALL) < 0) {
        if (errno != EINTR) return Failure::from_errno(errno);
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

unsigned effective_user() noexcept { return ::geteuid(); }

}  // namespace paddock::sys
