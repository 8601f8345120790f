// Signals, and processes held by a descriptor. Nothing here allocates.
#pragma once

#include <sys/types.h>

#include <csignal>

#include <paddock/unique_fd.h>

#include "base/outcome.h"

namespace paddock::sys {

// Blocks every signal for this thread while it lives: what a handler does must not happen in a
// fresh copy of the process.
class SignalsHeldBack {
public:
    SignalsHeldBack() noexcept;
    ~SignalsHeldBack();
    SignalsHeldBack(const SignalsHeldBack&) = delete;
    SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

private:
    sigset_t before_;
};

// No handler is left, SIGPIPE is ignored, SIGCHLD is blocked and nothing else.
void become_quiet_parent() noexcept;
// SIGPIPE has its default action, nothing is blocked: what programs expect to be started with.
void become_plain_child() noexcept;
// Also for the program that it becomes.
void ignore_signal(int number) noexcept;

// Blocks every signal by which others can end the process, but for SIGKILL, SIGPIPE and those of
// its own faults (SIGSEGV and the like), for this thread and those it starts later. Readable when
// one of them is pending.
Outcome<UniqueFd> hold_ending_signals();
// One that is pending; 0: none.
int take_signal(int signals) noexcept;

// Readable when SIGCHLD, which must be blocked, is pending.
Outcome<UniqueFd> child_signals();
void clear_child_signals(int signals) noexcept;

// Readable when the process has ended. Never means another process with the same id.
Outcome<UniqueFd> hold_process(pid_t process);
Done send_signal(int held, int number);

// For a child that was not waited for yet, whose id therefore means no other process.
Done signal_child(pid_t child, int number);
Done signal_group(pid_t group, int number);

}  // namespace paddock::sys
