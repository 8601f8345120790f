// Whether openat2 answers in this process.
#pragma once

#include "base/outcome.h"

namespace paddock::fs {

// Asks the kernel about "." below `directory`, a question with a known answer. A seccomp filter may
// kill the caller of an unknown system call; where a filter is on, a child asks first. A failure
// that says nothing about openat2, such as too many open files, is reported.
Outcome<bool> openat2_works(int directory);

}  // namespace paddock::fs
