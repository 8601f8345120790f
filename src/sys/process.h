// Questions about this process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

// Is a seccomp filter installed?
bool has_seccomp_filter();

// Runs `ask` in a short-lived child that shares nothing but descriptors, and says whether it
// returned true. False if the child was killed; a failure if there could be none. `ask` may only
// make system calls. Sends no SIGCHLD.
Outcome<bool> ask_in_child(bool (*ask)(int argument), int argument);

// "SIGKILL".
std::string signal_name(int number);

// The user whose permissions count.
unsigned effective_user() noexcept;
unsigned effective_group() noexcept;

// Where the arguments of this process are shown from; nothing if the kernel does not say.
std::span<char> shown_arguments() noexcept;

// Others see this name instead of the program and its arguments, for a copy of a process: never
// call it where the arguments are still used. What cannot be written stays.
void show_as(const char* name, std::span<char> arguments) noexcept;

// Making processes, becoming what they run, and collecting them. All but wait_for is meant for
// children that have not run their program yet: nothing allocates.
struct Child {
    pid_t id = 0;   // 0: this is the copy
    UniqueFd held;  // see hold_process
};

// A copy of the calling thread in new namespaces (CLONE_NEW...). No fork handlers run and no
// SIGCHLD is sent, so the host program never hears of it. Other threads do not exist in the copy,
// whatever locks they hold stay locked: it must neither allocate nor exit() normally.
Outcome<Child> copy_process(int namespaces);

// Runs body(argument) in a child that borrows the memory of the caller, which stands still until
// the child has run a program or left. `stack` is the child's.
Outcome<pid_t> borrow_process(int (*body)(void*), void* argument, std::span<std::byte> stack);

// Runs body(argument) in a child that shares the memory of the caller while both run: until it has
// ended or run a program it may make system calls and nothing else, and `stack` must stay. `flags`:
// new namespaces, and SIGCHLD where that shall tell of its end.
Outcome<Child> share_process(int (*body)(void*), void* argument, std::span<std::byte> stack,
                             int flags);

// Waits for the end of a copy_process or share_process; returns its wait status.
Outcome<int> wait_for(int held);

struct Ended {
    pid_t id = 0;
    int exit_code = 0;
    int signal = 0;  // 0: it exited
    std::uint64_t user_us = 0;
    std::uint64_t system_us = 0;
    std::uint64_t peak_memory_kb = 0;
};
// A child that has ended, if there is one. ECHILD: there are no children.
Outcome<std::optional<Ended>> take_ended();

// Have two threads one and the same memory, as after vfork(2)? True too if neither has any, as when
// both have ended. False too where the kernel does not say.
bool have_same_memory(pid_t one, pid_t other) noexcept;

[[noreturn]] void leave(int status) noexcept;
pid_t own_id() noexcept;

Done new_session();
Done adopt_orphans();  // descendants that lose their parent become children of this process
Done enter_directory(int directory);
Done set_host_name(const char* name);
mode_t set_creation_mask(mode_t mask) noexcept;

// `from` as descriptor `to`, kept when a program is run.
Done place_descriptor(int from, int to);
Done close_from(int first);
Done close_from_when_run(int first);      // only when a program is run
Done close_between(int first, int last);  // both included

// Returns only if it failed.
Failure run_program(const char* path, char* const* arguments, char* const* environment) noexcept;

// A copy of this process that goes on living and uses the whole language, unlike those of child.h.
// 0 in the copy. The C library's fork: its allocator works in the copy even if the original has
// other threads. Whatever else they had locked stays locked.
Outcome<pid_t> fork_process();

// Waits for the end of such a copy.
Done collect(pid_t child);

// The same in new namespaces (CLONE_NEW...). If this process has other threads, the child is made
// by way of fork(), so that its allocator works. Either way it is a child of this process and sends
// SIGCHLD when it ends.
Outcome<Child> fork_into(int namespaces);

// Waiting for descriptors, and waking up who waits.
struct Watched {
    int fd = -1;            // -1: not watched
    bool ready = false;     // can be read without waiting, or has ended
    bool only_end = false;  // ready only when it has ended: nobody is at the other side
};

// Waits until at least one is ready. False: the time is up. At most 8.
Outcome<bool> wait_readable(std::span<Watched> watched,
                            std::optional<std::chrono::milliseconds> at_most = {});

// A descriptor that is readable from wake() to rest().
Outcome<UniqueFd> make_wakeup();
void wake(int wakeup) noexcept;
void rest(int wakeup) noexcept;

}  // namespace paddock::sys
