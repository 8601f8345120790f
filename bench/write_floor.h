// Replacing a file with the bare system calls, in plain C: no look at what is there; no owner, mode
// or attribute kept. Every function returns 0, or -1 with errno set.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum floor_sync { FLOOR_SYNC_NONE, FLOOR_SYNC_FILE, FLOOR_SYNC_DIRECTORY };

// openat(O_CREAT | O_EXCL) of a private name, write, fdatasync if wanted, close, renameat to
// `name`; fsync of the directory if wanted.
int floor_replace(int directory, const char* name, const void* bytes, size_t size,
                  enum floor_sync sync);

// openat(O_TRUNC), write, close: readers may see half of it.
int floor_overwrite(int directory, const char* name, const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif
