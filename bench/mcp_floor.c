#define _GNU_SOURCE
#include "mcp_floor.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_MAX (8 << 10)
#define PATH_BYTES 256

static const char* const kInitialized =
    "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"protocolVersion\":\"2025-06-18\","
    "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"floor\",\"version\":\"1\"}}}";

static void require(int holds, const char* what) {
    if (holds) return;
    perror(what);
    exit(1);
}

int floor_directory(const char* path) {
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(fd >= 0, path);
    return fd;
}

// What follows `key` in the message, or NULL.
static const char* after(const char* message, size_t size, const char* key) {
    const char* found = memmem(message, size, key, strlen(key));
    return found == NULL ? NULL : found + strlen(key);
}

static size_t read_beneath(int directory, const char* path, char* content) {
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
    const int fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
    struct stat st;
    require(fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode), path);
    const ssize_t got = read(fd, content, FILE_MAX);
    require(got >= 0, path);
    close(fd);
    return (size_t)got;
}

static char* put(char* to, const char* text) { return stpcpy(to, text); }

static char* put_escaped(char* to, const char* text, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte >= ' ' && byte != '"' && byte != '\\') {
            *to++ = (char)byte;
            continue;
        }
        *to++ = '\\';
        switch (byte) {
            case '\n': *to++ = 'n'; break;
            case '\t': *to++ = 't'; break;
            case '"':
            case '\\': *to++ = (char)byte; break;
            default: to += sprintf(to, "u%04x", byte);
        }
    }
    return to;
}

size_t floor_answer(int directory, const char* message, size_t size, char* answer) {
    const char* id_text = after(message, size, "\"id\":");
    if (id_text == NULL) return 0;
    const long id = atol(id_text);
    const char* path = after(message, size, "\"path\":\"");
    if (path == NULL) return (size_t)sprintf(answer, kInitialized, id);
    const char* path_end = memchr(path, '"', (size_t)(message + size - path));
    require(path_end != NULL && path_end - path < PATH_BYTES, "path");
    char name[PATH_BYTES] = {0};
    memcpy(name, path, (size_t)(path_end - path));
    char content[FILE_MAX];
    const size_t bytes = read_beneath(directory, name, content);
    char* to = answer + sprintf(answer, "{\"jsonrpc\":\"2.0\",\"id\":%ld,", id);
    to = put(to, "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"");
    to = put_escaped(to, content, bytes);
    to = put(to, "\"}]}}");
    return (size_t)(to - answer);
}
