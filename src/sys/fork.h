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

// The same in new namespaces (CLONE_NEW...): made by a fork of this process, whose allocator works,
// and a child of this process all the same. Its end is told by SIGCHLD.
Outcome<Child> fork_into(int namespaces);

}  // namespace paddock::sys
