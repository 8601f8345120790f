// Showing a file with the bare system calls, in plain C: no look at what kind of text it is, no
// bound on a line, nothing remembered and nothing filtered.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// openat, fstat, read, close; then its lines with their numbers, as "cat -n" has them, in memory
// that the caller frees. Returns how many bytes, or -1 with errno set.
long floor_show(int directory, const char* path, char** shown);

#ifdef __cplusplus
}
#endif
