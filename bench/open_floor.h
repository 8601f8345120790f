// Opening a file with the bare system calls, in plain C: what no guard can cost less than.
// Every function returns 0, or -1 with errno set.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// openat2 (beneath, no magic links, no other mount), fstat, close.
int floor_open(int root, const char* path);

// The same without openat2: one component at a time, openat(O_PATH | O_NOFOLLOW) and statx each,
// every directory held until the end; the last component opened for reading; fstat; closes. At most
// 16 components.
int floor_walk(int root, uint64_t root_mount, const char* path);

// openat, close: no guard, no look at what was opened.
int floor_unguarded(int root, const char* path);

// The way that can be raced: realpath of root/path, comparison with `root`, open, fstat, close.
int floor_realpath(const char* root, const char* path);

// The mount id that floor_walk compares with.
int floor_mount_of(int fd, uint64_t* mount);

#ifdef __cplusplus
}
#endif
