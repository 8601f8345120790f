// Questions about this process.
#pragma once

#include "base/outcome.h"

namespace paddock::sys {

// Is a seccomp filter installed?
bool has_seccomp_filter();

// Runs `ask` in a short-lived child that shares nothing but descriptors, and says whether it
// returned true. False if the child was killed; a failure if there could be none. `ask` may only
// make system calls. Sends no SIGCHLD.
Outcome<bool> ask_in_child(bool (*ask)(int argument), int argument);

// The user whose permissions count.
unsigned effective_user() noexcept;

}  // namespace paddock::sys
