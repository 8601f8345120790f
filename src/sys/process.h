// Questions about this process.
#pragma once

#include "base/outcome.h"

namespace paddock::sys {

// Is a seccomp filter installed?
bool has_seccomp_filter();

// Runs `ask` in a short-lived child that shares nothing but descriptors, and says whether it
// returned true. False if the child was killed. `ask` may only make system calls. Sends no SIGCHLD.
bool ask_in_child(bool (*ask)(int argument), int argument);

}  // namespace paddock::sys
