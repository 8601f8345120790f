// HTTP/1.1 with connections that are kept, one call in flight on each.
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

#include "mcp_transport.h"

#define REQUEST_MAX (MCP_MESSAGE_MAX + 1024)

struct connection {
    int fd;
    int call;  // that is in flight
    size_t filled;
    char bytes[MCP_ANSWER_MAX];
};

static int open_connection(const struct mcp_server* server) {
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)server->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    const struct timeval patience = {.tv_sec = MCP_PATIENCE_S};
    if (fd < 0) return -1;
    if (connect(fd, (const struct sockaddr*)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return fd;
}

static int send_message(const struct mcp_server* server, int fd, const char* message) {
    char text[REQUEST_MAX];
    char session[sizeof server->session + 64] = "";
    if (server->session[0] != '\0') {
        snprintf(session, sizeof session,
                 "Mcp-Session-Id: %s\r\nMCP-Protocol-Version: 2025-06-18\r\n", server->session);
    }
    const int size =
        snprintf(text, sizeof text,
                 "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer " MCP_TOKEN
                 "\r\nAccept: application/json, text/event-stream\r\n"
                 "Content-Type: application/json\r\n%sContent-Length: %zu\r\n\r\n%s",
                 server->port, session, strlen(message), message);
    return send(fd, text, (size_t)size, MSG_NOSIGNAL) == size ? 0 : -1;
}

// The value of a header in a head that ends at `end`, or NULL. `name` has its colon.
static const char* header(const char* head, const char* end, const char* name) {
    for (const char* line = head; line < end;) {
        if (strncasecmp(line, name, strlen(name)) == 0) return line + strlen(name);
        const char* feed = memchr(line, '\n', (size_t)(end - line));
        line = feed == NULL ? end : feed + 1;
    }
    return NULL;
}

// More must come: 0. -1: the request failed. Nothing is sent ahead, so the answer is all there is.
static int is_whole(struct connection* one) {
    const char* head = one->bytes;
    const char* end = memmem(head, one->filled, "\r\n\r\n", 4);
    if (end == NULL) return 0;
    if (strncmp(head, "HTTP/1.1 20", 11) != 0) return -1;
    const char* length = header(head, end, "Content-Length:");
    if (length != NULL) return one->filled >= (size_t)(end + 4 - head) + (size_t)atol(length);
    if (header(head, end, "Transfer-Encoding:") == NULL) return 1;
    return memcmp(head + one->filled - 5, "0\r\n\r\n", 5) == 0;
}

// 1: the answer is there, 0: not all of it, -1: it will not come.
static int receive(struct connection* one) {
    const ssize_t got =
        recv(one->fd, one->bytes + one->filled, sizeof one->bytes - 1 - one->filled, 0);
    if (got <= 0) return -1;
    one->filled += (size_t)got;
    return is_whole(one);
}

int mcp_http_ask(struct mcp_server* server, const char* message, char* answer) {
    static struct connection one;
    one.filled = 0;
    one.fd = open_connection(server);
    if (one.fd < 0) return -1;
    int received = send_message(server, one.fd, message);
    while (received == 0) received = receive(&one);
    close(one.fd);
    if (received < 0) return -1;
    one.bytes[one.filled] = '\0';
    const char* session = header(one.bytes, strstr(one.bytes, "\r\n\r\n"), "Mcp-Session-Id:");
    if (session != NULL) sscanf(session, " %127[^\r]", server->session);
    if (answer != NULL) memcpy(answer, one.bytes, one.filled + 1);
    return 0;
}

static int send_call(const struct mcp_server* server, struct connection* one, int call,
                     uint64_t* begun_ns) {
    char message[MCP_MESSAGE_MAX];
    mcp_call_text(message, call);
    one->call = call;
    one->filled = 0;
    begun_ns[call] = mcp_now_ns();
    return send_message(server, one->fd, message);
}

// 1: the call on this connection is answered, and the next one sent if there is one.
static int go_on(const struct mcp_server* server, struct connection* one, int* sent, int calls,
                 uint64_t* took_ns) {
    const int received = receive(one);
    if (received <= 0) return received;
    if (one->filled < MCP_FILE_BYTES) return -1;
    took_ns[one->call] = mcp_now_ns() - took_ns[one->call];
    if (*sent < calls && send_call(server, one, (*sent)++, took_ns) != 0) return -1;
    return 1;
}

static int drive(const struct mcp_server* server, struct connection* connections, int count,
                 int epoll, int calls, uint64_t* took_ns) {
    int sent = 0;
    for (; sent < count; ++sent) {
        if (send_call(server, &connections[sent], sent, took_ns) != 0) return -1;
    }
    for (int answered = 0; answered < calls;) {
        struct epoll_event events[MCP_IN_FLIGHT_MAX];
        const int ready = epoll_wait(epoll, events, MCP_IN_FLIGHT_MAX, MCP_PATIENCE_S * 1000);
        if (ready <= 0) return -1;
        for (int i = 0; i < ready; ++i) {
            const int more = go_on(server, events[i].data.ptr, &sent, calls, took_ns);
            if (more < 0) return -1;
            answered += more;
        }
    }
    return 0;
}

uint64_t mcp_http_calls(struct mcp_server* server, int calls, int in_flight, uint64_t* took_ns) {
    static struct connection connections[MCP_IN_FLIGHT_MAX];
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    int status = epoll < 0 ? -1 : 0;
    int count = 0;
    for (; count < in_flight && count < calls && status == 0; ++count) {
        struct connection* one = &connections[count];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
        one->fd = open_connection(server);
        status = epoll_ctl(epoll, EPOLL_CTL_ADD, one->fd, &event);
    }
    const uint64_t begin = mcp_now_ns();
    if (status == 0) status = drive(server, connections, count, epoll, calls, took_ns);
    const uint64_t end = mcp_now_ns();
    for (int i = 0; i < count; ++i) close(connections[i].fd);
    close(epoll);
    return status == 0 ? end - begin : 0;
}
