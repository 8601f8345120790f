#define _GNU_SOURCE
#include "mcp_client.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mcp_process.h"
#include "mcp_transport.h"

static const char* const kInitialize =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}";
static const char* const kInitialized =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

uint64_t mcp_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

ssize_t mcp_read_some(int fd, char* to, size_t room) {
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    if (poll(&watched, 1, MCP_PATIENCE_S * 1000) != 1) return -1;
    return read(fd, to, room);
}

int mcp_call_text(char* to, int id) {
    return snprintf(to, MCP_MESSAGE_MAX,
                    "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":"
                    "{\"name\":\"read_file\",\"arguments\":{\"path\":\"" MCP_FILE "\"}}}",
                    id);
}

static int read_port(struct mcp_server* server) {
    char line[256];
    size_t filled = 0;
    while (memchr(line, '\n', filled) == NULL) {
        const ssize_t got = mcp_read_some(server->output, line + filled, sizeof line - 1 - filled);
        if (got <= 0) return -1;
        filled += (size_t)got;
    }
    line[filled] = '\0';
    return sscanf(line, "Listening on http://127.0.0.1:%d/", &server->port) == 1 ? 0 : -1;
}

static int open_session(struct mcp_server* server) {
    static char answer[MCP_ANSWER_MAX];
    char call[MCP_MESSAGE_MAX];
    mcp_call_text(call, 1);
    int (*const ask)(struct mcp_server*, const char*, char*) =
        server->transport == MCP_HTTP ? mcp_http_ask : mcp_stdio_ask;
    if (server->transport == MCP_HTTP && read_port(server) != 0) return -1;
    if (ask(server, kInitialize, answer) != 0 || ask(server, kInitialized, NULL) != 0) return -1;
    if (ask(server, call, answer) != 0) return -1;
    return strstr(answer, MCP_LAST_WORDS) != NULL && strstr(answer, "\"isError\":true") == NULL
               ? 0
               : -1;
}

int mcp_start(struct mcp_server* server, enum mcp_transport transport, const char* directory,
              char* const words[]) {
    *server = (struct mcp_server){.transport = transport};
    server->process = process_start(directory, words, &server->input, &server->output);
    if (server->process < 0) return -1;
    if (open_session(server) == 0) return 0;
    mcp_stop(server);
    return -1;
}

void mcp_stop(struct mcp_server* server) {
    close(server->input);
    close(server->output);
    process_end(server->process);
}

static int compare_times(const void* a, const void* b) {
    const uint64_t left = *(const uint64_t*)a;
    const uint64_t right = *(const uint64_t*)b;
    return (left > right) - (left < right);
}

int mcp_load(struct mcp_server* server, int calls, int in_flight, struct mcp_figures* figures) {
    if (calls < 1 || in_flight < 1 || in_flight > MCP_IN_FLIGHT_MAX) return -1;
    uint64_t* took_ns = calloc((size_t)calls, sizeof *took_ns);
    if (took_ns == NULL) return -1;
    const double cpu_before = process_cpu_us(server->process);
    const uint64_t all_ns = (server->transport == MCP_HTTP ? mcp_http_calls : mcp_stdio_calls)(
        server, calls, in_flight, took_ns);
    if (all_ns > 0) {
        qsort(took_ns, (size_t)calls, sizeof *took_ns, compare_times);
        figures->calls_per_s = calls * 1e9 / (double)all_ns;
        figures->p99_us = (double)took_ns[calls - 1 - calls / 100] / 1e3;
        figures->cpu_us = (process_cpu_us(server->process) - cpu_before) / calls;
    }
    free(took_ns);
    return all_ns > 0 ? 0 : -1;
}

int mcp_look_at_memory(const struct mcp_server* server, struct mcp_memory* memory) {
    const struct process_memory all = process_memory(server->process);
    *memory = (struct mcp_memory){all.resident_mb, all.share_mb};
    return all.resident_mb > 0 && all.share_mb > 0 ? 0 : -1;
}
