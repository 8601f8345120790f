// seccomp(2): installing a filter, and answering the calls that a filter hands to a supervisor.
//
// Nothing here allocates, so all of it may be used between fork and exec. Own constants where
// Debian 12's headers lack them.
#pragma once

#include <linux/filter.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys::seccomp {

using Program = std::span<const sock_filter>;

// For the calling thread and its future children, for good. Needs no_new_privs or CAP_SYS_ADMIN.
Done install(Program program);

// The same for a program that answers SECCOMP_RET_USER_NOTIF; the descriptor (close-on-exec)
// receives the calls. A process whose filters have a listener already is refused (EBUSY). Where
// nobody holds the listener any more, such calls fail with ENOSYS.
Outcome<UniqueFd> install_with_listener(Program program);

// Would it be granted? Certainly: this process is under no filter, and the kernel knows listeners.
// Linux 5.0.
bool grants_listener();

// Lets answers wake the caller on the processor that gives them, which halves the cost of a call.
// Linux 6.6; older ones refuse and nothing is lost but time.
Done wake_on_same_processor(int listener);

// A call that waits for an answer.
struct Notification {
    std::uint64_t id = 0;
    int process =
        0;  // the thread, in the pid namespace of the reader; 0 if it is not visible there
    int number = 0;
    std::array<std::uint64_t, 6> arguments{};
};

// The next call; ENOENT: its caller was killed or interrupted meanwhile. Waits if there is none.
Outcome<Notification> receive(int listener);

// Is the call still waiting? Until it is not, its process id means the same process.
bool is_waiting(int listener, std::uint64_t id);

// Lets the kernel make the call as if there were no listener. The other filters and every other
// layer have been or will be asked all the same, so this grants nothing.
Done let_continue(int listener, std::uint64_t id);

// Ends the call with this answer: its value, or an errno that is not 0.
Done answer(int listener, std::uint64_t id, std::int64_t value, int os_error);

// Gives the waiting caller a copy of `fd` and says which number it has there. Close `fd` before the
// answer: until then the caller's own close does not release locks and leases.
Outcome<int> give_descriptor(int listener, std::uint64_t id, int fd, bool close_on_exec);

// Does the kernel let a caller be killed, and nothing else, while its call is looked at?
// Linux 5.19. Without it a signal makes calls run twice.
bool has_killable_wait();

// Copies memory of another process; may be short. Needs the right to trace it.
Outcome<std::size_t> read_memory(int process, std::uint64_t address, char* buffer,
                                 std::size_t size);

}  // namespace paddock::sys::seccomp
