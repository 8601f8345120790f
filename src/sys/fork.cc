#include "sys/fork.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "sys/call.h"
#include "sys/signal.h"

namespace paddock::sys {

Outcome<pid_t> fork_process() {
    PADDOCK_ASSIGN(child, ask_kernel(Call::kProcess, [] { return ::fork(); }));
    return static_cast<pid_t>(child);
}

Done collect(pid_t child) {
    while (::waitpid(child, nullptr, 0) < 0) {
        if (errno != EINTR) return Failure::from_errno(errno);
    }
    return {};
}

Outcome<Child> fork_into(int namespaces) {
    // Nobody else can have locked anything.
    if (__libc_single_threaded != 0) return copy_process(namespaces | SIGCHLD);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Failure::from_errno(errno);
    const UniqueFd read_end(ends[0]);
    UniqueFd write_end(ends[1]);
    PADDOCK_ASSIGN(between, fork_process());
    if (between == 0) {
        const auto flags = static_cast<unsigned long>(namespaces) | CLONE_PARENT;
        const long id = ::syscall(SYS_clone, flags, nullptr, nullptr, nullptr, nullptr);
        if (id == 0) return Child{};
        const long told = id > 0 ? id : -errno;
        const bool is_told = ::write(write_end.get(), &told, sizeof told) == sizeof told;
        ::_exit(is_told ? 0 : 1);
    }
    write_end.reset();
    long id = -EIO;
    while (::read(read_end.get(), &id, sizeof id) < 0 && errno == EINTR) {
    }
    (void)collect(between);  // ECHILD: the program ignores the ends of its children
    if (id < 0) return Failure::from_errno(static_cast<int>(-id));
    PADDOCK_ASSIGN(held, hold_process(static_cast<int>(id)));
    return Child{static_cast<pid_t>(id), std::move(held)};
}

}  // namespace paddock::sys
