// find_floor SUFFIX: what no search by name, newest first, can do without. Two threads read every
// directory below the current one and ask for the time of each file whose name ends in SUFFIX; no
// ignore rules, no order, no output but the number of files.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kThreads = 2, kBufferBytes = 32768, kDirectoriesMax = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char* waiting[kDirectoriesMax];
static int waiting_count;
static int busy_threads;
static long found_count;
static const char* suffix;

static void add(char* directory) {
    pthread_mutex_lock(&lock);
    if (waiting_count == kDirectoriesMax) abort();
    waiting[waiting_count++] = directory;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

// A directory to read, or NULL when all were read.
static char* take(void) {
    pthread_mutex_lock(&lock);
    while (waiting_count == 0 && busy_threads > 0) pthread_cond_wait(&changed, &lock);
    char* directory = waiting_count == 0 ? NULL : waiting[--waiting_count];
    if (directory != NULL) ++busy_threads;
    pthread_mutex_unlock(&lock);
    return directory;
}

static void give_back(long found) {
    pthread_mutex_lock(&lock);
    found_count += found;
    if (--busy_threads == 0) pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static int is_searched(const char* name) {
    const size_t length = strlen(name);
    return length >= strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0;
}

static long look_at(int fd, const char* directory, const struct dirent64* entry) {
    if (entry->d_name[0] == '.') return 0;
    if (entry->d_type == DT_DIR) {
        char* path = NULL;
        if (asprintf(&path, "%s/%s", directory, entry->d_name) < 0) abort();
        add(path);
        return 0;
    }
    struct statx times;
    return is_searched(entry->d_name) &&
           statx(fd, entry->d_name, AT_SYMLINK_NOFOLLOW, STATX_MTIME, &times) == 0;
}

static void* work(void* unused) {
    char* const buffer = malloc(kBufferBytes);
    for (char* directory; (directory = take()) != NULL;) {
        const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        long found = 0;
        long size;
        while ((size = syscall(SYS_getdents64, fd, buffer, kBufferBytes)) > 0) {
            for (long at = 0; at < size;) {
                const struct dirent64* entry = (const void*)(buffer + at);
                found += look_at(fd, directory, entry);
                at += entry->d_reclen;
            }
        }
        close(fd);
        free(directory);
        give_back(found);
    }
    free(buffer);
    return unused;
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    suffix = argv[1];
    add(strdup("."));
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i) {
        if (pthread_create(&threads[i], NULL, work, NULL) != 0) return 1;
    }
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    printf("%ld\n", found_count);
    return 0;
}
