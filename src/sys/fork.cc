#include "sys/fork.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "sys/call.h"

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

}  // namespace paddock::sys
