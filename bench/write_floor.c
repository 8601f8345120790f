#define _GNU_SOURCE
#include "write_floor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int write_and_close(int fd, const void* bytes, size_t size, int sync) {
    const int written = write(fd, bytes, size) == (ssize_t)size;
    const int synced = !sync || fdatasync(fd) == 0;
    return close(fd) == 0 && written && synced ? 0 : -1;
}

static int sync_directory(int directory) {
    const int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return -1;
    const int synced = fsync(fd);
    close(fd);
    return synced;
}

int floor_replace(int directory, const char* name, const void* bytes, size_t size,
                  enum floor_sync sync) {
    static unsigned long count;
    char temp[32];
    snprintf(temp, sizeof temp, ".floor-%016lx", ++count);
    const int fd = openat(directory, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) return -1;
    if (write_and_close(fd, bytes, size, sync != FLOOR_SYNC_NONE) != 0) return -1;
    if (renameat(directory, temp, directory, name) != 0) return -1;
    return sync == FLOOR_SYNC_DIRECTORY ? sync_directory(directory) : 0;
}

int floor_overwrite(int directory, const char* name, const void* bytes, size_t size) {
    const int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return fd < 0 ? -1 : write_and_close(fd, bytes, size, 0);
}
