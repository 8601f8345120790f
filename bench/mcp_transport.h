// How the client speaks, inside it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "mcp_client.h"

#define MCP_MESSAGE_MAX 512
#define MCP_ANSWER_MAX (64 << 10)
#define MCP_PATIENCE_S 20

uint64_t mcp_now_ns(void);

// Reads what is there, or waits for it, but not for ever; 0 or less: there is no more.
ssize_t mcp_read_some(int fd, char* to, size_t room);

// The call with this number for its id.
int mcp_call_text(char* to, int id);

// One message and its answer, as a text; without `answer` none is due.
int mcp_stdio_ask(struct mcp_server* server, const char* message, char* answer);
int mcp_http_ask(struct mcp_server* server, const char* message, char* answer);

// So many calls; took_ns gets the time of each. Returns the time of all, or 0 after a failure.
uint64_t mcp_stdio_calls(struct mcp_server* server, int calls, int in_flight, uint64_t* took_ns);
uint64_t mcp_http_calls(struct mcp_server* server, int calls, int in_flight, uint64_t* took_ns);
