#define _GNU_SOURCE
#include "open_floor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READING (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define DEPTH_MAX 16
#define MOUNT_ID 0x1000U
#define MOUNT_ID_UNIQUE 0x4000U

static int fail(int error) {
    errno = error;
    return -1;
}

static int check_and_close(int fd) {
    struct stat st;
    if (fd < 0) return -1;
    const int known = fstat(fd, &st);
    close(fd);
    return known == 0 && S_ISREG(st.st_mode) ? 0 : fail(EINVAL);
}

int floor_open(int root, const char* path) {
    struct open_how how = {.flags = READING,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
    return check_and_close((int)syscall(SYS_openat2, root, path, &how, sizeof how));
}

static int statx_of(int fd, struct statx* st) {
    return statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
                 STATX_BASIC_STATS | MOUNT_ID | MOUNT_ID_UNIQUE, st);
}

int floor_walk(int root, uint64_t root_mount, const char* path) {
    int held[DEPTH_MAX];
    int depth = 0;
    int answer = -1;
    for (int directory = root;; directory = held[depth - 1]) {
        char name[NAME_MAX + 1];
        const size_t size = strcspn(path, "/");
        const int last = path[size] == '\0';
        if (size > NAME_MAX || depth == DEPTH_MAX) {
            errno = ENAMETOOLONG;
            break;
        }
        memcpy(name, path, size);
        name[size] = '\0';
        const int fd = openat(directory, name, (last ? READING : O_PATH | O_CLOEXEC) | O_NOFOLLOW);
        if (fd < 0) break;
        held[depth++] = fd;
        struct statx st;
        if (statx_of(fd, &st) != 0 || st.stx_mnt_id != root_mount) break;
        if (last) {
            struct stat again;
            answer = fstat(fd, &again) == 0 && S_ISREG(again.st_mode) ? 0 : fail(EINVAL);
            break;
        }
        if (!S_ISDIR(st.stx_mode)) break;
        path += size + 1;
    }
    while (depth > 0) close(held[--depth]);
    return answer;
}

int floor_unguarded(int root, const char* path) {
    const int fd = openat(root, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    close(fd);
    return 0;
}

int floor_realpath(const char* root, const char* path) {
    char joined[PATH_MAX];
    char real[PATH_MAX];
    const size_t root_size = strlen(root);
    if ((size_t)snprintf(joined, sizeof joined, "%s/%s", root, path) >= sizeof joined) {
        return fail(ENAMETOOLONG);
    }
    if (realpath(joined, real) == NULL) return -1;
    if (strncmp(real, root, root_size) != 0 || real[root_size] != '/') return fail(EPERM);
    return check_and_close(open(real, READING));
}

int floor_mount_of(int fd, uint64_t* mount) {
    struct statx st;
    if (statx_of(fd, &st) != 0) return -1;
    *mount = st.stx_mnt_id;
    return 0;
}
