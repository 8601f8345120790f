// The floor behind HTTP/1.1 with connections that are kept: mcp_floor_http DIRECTORY
// One thread; a request is read and answered by one system call each.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mcp_floor.h"

#define CONNECTIONS_MAX 256  // by their descriptors
#define REQUEST_BYTES (16 << 10)
#define EVENTS 64

struct connection {
    size_t filled;
    char bytes[REQUEST_BYTES];
};

static struct connection connections[CONNECTIONS_MAX];

// How long the request is that `bytes` begins with, and where its body is; 0: more must come.
static size_t request_size(const char* bytes, size_t filled, size_t* body) {
    const char* end = memmem(bytes, filled, "\r\n\r\n", 4);
    if (end == NULL) return 0;
    *body = (size_t)(end + 4 - bytes);
    size_t length = 0;
    for (const char* line = bytes; line < end; line = strstr(line, "\r\n") + 2) {
        if (strncasecmp(line, "Content-Length:", 15) == 0) length = (size_t)atol(line + 15);
    }
    return filled < *body + length ? 0 : *body + length;
}

static void answer(int directory, int fd, const char* body, size_t size) {
    static char out[FLOOR_ANSWER_MAX + 512];
    static char text[FLOOR_ANSWER_MAX];
    const size_t bytes = floor_answer(directory, body, size, text);
    const int head = sprintf(out,
                             "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
                             "Mcp-Session-Id: floor\r\nContent-Length: %zu\r\n\r\n",
                             bytes == 0 ? "202 Accepted" : "200 OK", bytes);
    memcpy(out + head, text, bytes);
    const size_t all = (size_t)head + bytes;
    if (send(fd, out, all, MSG_NOSIGNAL) != (ssize_t)all) shutdown(fd, SHUT_RDWR);
}

static void serve(int directory, int fd) {
    struct connection* one = &connections[fd];
    const ssize_t got = recv(fd, one->bytes + one->filled, sizeof one->bytes - one->filled, 0);
    if (got <= 0) {
        close(fd);
        return;
    }
    one->filled += (size_t)got;
    size_t body;
    for (size_t size; (size = request_size(one->bytes, one->filled, &body)) > 0;) {
        answer(directory, fd, one->bytes + body, size - body);
        one->filled -= size;
        memmove(one->bytes, one->bytes + size, one->filled);
    }
}

static int listen_on_loopback(void) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(fd, (struct sockaddr*)&address, size) != 0 || listen(fd, CONNECTIONS_MAX) != 0 ||
        getsockname(fd, (struct sockaddr*)&address, &size) != 0) {
        perror("listen");
        exit(1);
    }
    printf("Listening on http://127.0.0.1:%d/mcp\n", ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

static void take_in(int epoll, int listener) {
    const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    const int on = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (fd < 0) return;
    if (fd >= CONNECTIONS_MAX || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        close(fd);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections[fd].filled = 0;
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const int directory = floor_directory(argv[1]);
    const int listener = listen_on_loopback();
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event events[EVENTS] = {{.events = EPOLLIN, .data.fd = listener}};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &events[0]) != 0) return 1;
    for (;;) {
        const int ready = epoll_wait(epoll, events, EVENTS, -1);
        if (ready < 0) return 1;
        for (int i = 0; i < ready; ++i) {
            if (events[i].data.fd == listener) {
                take_in(epoll, listener);
            } else {
                serve(directory, events[i].data.fd);
            }
        }
    }
}
