// A plain client in C that has a server read one file over and over, the same for every server:
// what it costs is in all figures alike. It speaks the legacy era, which all servers know.
//
// The functions return 0, or -1 if the server does not do what it should within some seconds.
#pragma once

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// In the server's directory. Its last line holds the words, and an answer is longer than so many
// bytes.
#define MCP_FILE "small.c"
#define MCP_FILE_BYTES 4096
#define MCP_LAST_WORDS "the end of the file"

// The bearer token that every request over HTTP carries.
#define MCP_TOKEN "the-token-of-the-benchmark"

#define MCP_IN_FLIGHT_MAX 64

enum mcp_transport { MCP_STDIO, MCP_HTTP };

struct mcp_server {
    enum mcp_transport transport;
    pid_t process;
    int input;   // what the server reads
    int output;  // what it writes
    int port;    // of HTTP, which it says in its first line
    char session[128];
};

// Starts a program, shakes hands and calls the tool once: returns with the first answer.
// `words` end with NULL; the program is looked for in PATH. After a failure there is nothing to
// stop.
int mcp_start(struct mcp_server* server, enum mcp_transport transport, const char* directory,
              char* const words[]);
void mcp_stop(struct mcp_server* server);

struct mcp_figures {
    double calls_per_s;
    double p99_us;  // from the call to its answer
    double cpu_us;  // of the server, for one call
};
int mcp_load(struct mcp_server* server, int calls, int in_flight, struct mcp_figures* figures);

// Of the server and all processes that it has started, in MB.
struct mcp_memory {
    double resident;  // what several of them have in common counts for each
    double share;     // the same, but that counts once
};
int mcp_look_at_memory(const struct mcp_server* server, struct mcp_memory* memory);

#ifdef __cplusplus
}
#endif
