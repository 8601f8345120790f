// A copy of this process that goes on living and uses the whole language, unlike those of child.h.
#pragma once

#include <sys/types.h>

#include "base/outcome.h"
#include "sys/child.h"

namespace paddock::sys {

// 0 in the copy. The C library's fork: its allocator works in the copy even if the original has
// other threads. Whatever else they had locked stays locked.
Outcome<pid_t> fork_process();

// Waits for the end of such a copy.
Done collect(pid_t child);

// The same in new namespaces (CLONE_NEW...). If this process has other threads, the child is made
// by way of fork(), so that its allocator works. Either way it is a child of this process and sends
// SIGCHLD when it ends.
Outcome<Child> fork_into(int namespaces);

}  // namespace paddock::sys
