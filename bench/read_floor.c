#define _GNU_SOURCE
#include "read_floor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NUMBER_WIDTH 6

static long read_all(int directory, const char* path, char** content) {
    const int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    struct stat st;
    long got = fstat(fd, &st);
    *content = NULL;
    if (got == 0) *content = malloc((size_t)st.st_size + 1);
    got = *content == NULL ? -1 : read(fd, *content, (size_t)st.st_size);
    close(fd);
    return got;
}

static char* put_number(char* to, unsigned long number) {
    char digits[24];
    int first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    const int count = (int)sizeof digits - first;
    for (int i = count; i < NUMBER_WIDTH; ++i) *to++ = ' ';
    memcpy(to, digits + first, (size_t)count);
    to[count] = '\t';
    return to + count + 1;
}

long floor_show(int directory, const char* path, char** shown) {
    char* content;
    const long size = read_all(directory, path, &content);
    if (size < 0) return -1;
    size_t lines = 1;
    for (const char* p = content; (p = memchr(p, '\n', (size_t)(content + size - p))) != NULL;
         ++p) {
        ++lines;
    }
    char* to = *shown = malloc((size_t)size + lines * 24);
    unsigned long number = 0;
    for (const char *p = content, *end = content + size; to != NULL && p < end;) {
        const char* feed = memchr(p, '\n', (size_t)(end - p));
        const size_t length = (size_t)((feed == NULL ? end : feed + 1) - p);
        to = put_number(to, ++number);
        memcpy(to, p, length);
        to += length;
        p += length;
    }
    free(content);
    return to == NULL ? -1 : to - *shown;
}
