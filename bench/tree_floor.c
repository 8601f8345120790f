#define _GNU_SOURCE
#include "tree_floor.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK 32768

static long entries_of(int directory) {
    _Alignas(struct dirent64) char block[BLOCK];
    long total = 0;
    for (;;) {
        const long size = syscall(SYS_getdents64, directory, block, sizeof block);
        if (size <= 0) return size < 0 ? -1 : total;
        for (long at = 0; at < size;) {
            const struct dirent64* entry = (const struct dirent64*)(block + at);
            at += entry->d_reclen;
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
            ++total;
            if (entry->d_type != DT_DIR) continue;
            const long below = floor_tree(directory, entry->d_name);
            if (below < 0) return -1;
            total += below;
        }
    }
}

long floor_tree(int parent, const char* name) {
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    const long total = entries_of(fd);
    close(fd);
    return total;
}
