#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp_transport.h"

// An id is in the first or in the last bytes of an answer; in between is the file.
#define ID_WITHIN 64

static int send_all(int fd, const char* bytes, size_t size) {
    return write(fd, bytes, size) == (ssize_t)size ? 0 : -1;
}

int mcp_stdio_ask(struct mcp_server* server, const char* message, char* answer) {
    char line[MCP_MESSAGE_MAX + 1];
    const size_t size = (size_t)(stpcpy(stpcpy(line, message), "\n") - line);
    if (send_all(server->input, line, size) != 0) return -1;
    if (answer == NULL) return 0;
    size_t filled = 0;
    do {
        const ssize_t got =
            mcp_read_some(server->output, answer + filled, MCP_ANSWER_MAX - 1 - filled);
        if (got <= 0) return -1;
        filled += (size_t)got;
    } while (answer[filled - 1] != '\n');
    answer[filled] = '\0';
    return 0;
}

// The id of a whole answer, or -1.
static int id_of(const char* line, size_t size) {
    static const char kKey[] = "\"id\":";
    if (size < MCP_FILE_BYTES) return -1;
    const char* key = memmem(line, ID_WITHIN, kKey, strlen(kKey));
    if (key == NULL) key = memmem(line + size - ID_WITHIN, ID_WITHIN, kKey, strlen(kKey));
    return key == NULL ? -1 : atoi(key + strlen(kKey));
}

// All in one write, as they fit into the pipe.
static int send_calls(struct mcp_server* server, int from, int count, uint64_t* begun_ns) {
    static char text[MCP_IN_FLIGHT_MAX * MCP_MESSAGE_MAX];
    char* end = text;
    for (int id = from; id < from + count; ++id) {
        end += mcp_call_text(end, id);
        *end++ = '\n';
    }
    const uint64_t now = mcp_now_ns();
    for (int id = from; id < from + count; ++id) begun_ns[id] = now;
    return send_all(server->input, text, (size_t)(end - text));
}

// Takes the whole lines off the front; how many there were, or -1.
static int take_answers(char* bytes, size_t* filled, int sent, uint64_t* took_ns) {
    const uint64_t now = mcp_now_ns();
    size_t begin = 0;
    int answers = 0;
    for (char* end; (end = memchr(bytes + begin, '\n', *filled - begin)) != NULL; ++answers) {
        const int id = id_of(bytes + begin, (size_t)(end - bytes) - begin);
        if (id < 0 || id >= sent) return -1;
        took_ns[id] = now - took_ns[id];
        begin = (size_t)(end + 1 - bytes);
    }
    *filled -= begin;
    memmove(bytes, bytes + begin, *filled);
    return answers;
}

uint64_t mcp_stdio_calls(struct mcp_server* server, int calls, int in_flight, uint64_t* took_ns) {
    static char bytes[MCP_IN_FLIGHT_MAX * MCP_ANSWER_MAX];
    size_t filled = 0;
    int sent = 0;
    int answered = 0;
    const uint64_t begin = mcp_now_ns();
    for (int due = in_flight; answered < calls;) {
        if (due > calls - sent) due = calls - sent;
        if (due > 0 && send_calls(server, sent, due, took_ns) != 0) return 0;
        sent += due;
        const ssize_t got = mcp_read_some(server->output, bytes + filled, sizeof bytes - filled);
        if (got <= 0) return 0;
        filled += (size_t)got;
        due = take_answers(bytes, &filled, sent, took_ns);
        if (due < 0) return 0;
        answered += due;
    }
    return mcp_now_ns() - begin;
}
