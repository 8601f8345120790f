// Walking a tree with the bare system calls, in plain C: openat, getdents64 and close for each
// directory, no check of any kind.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// The number of entries below the directory `name` in `parent`, or -1 with errno set.
long floor_tree(int parent, const char* name);

#ifdef __cplusplus
}
#endif
