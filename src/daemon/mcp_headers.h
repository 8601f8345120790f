// The headers that repeat what a message of MCP says, so that proxies can route by them. Whoever
// reads only one of both must not be lied to: they are compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mcp/message.h"
#include "mcp/version.h"
#include "net/message.h"

namespace paddock::daemon {

// The era that MCP-Protocol-Version announces; nothing if it is absent or of no revision known.
std::optional<mcp::Era> announced_era(const net::Head& head);

// Is the header one that a legacy request may carry? It may be absent.
bool is_legacy_version_header(const net::Head& head);

// What is wrong with the headers of a request of the modern era; nothing if all agree. Mcp-Param-*
// repeats arguments for which a tool's schema asks by "x-mcp-header". None of ours does, so there
// is nothing that such a header could repeat, and it is passed over like any unknown one.
std::optional<mcp::RpcError> check_headers(const net::Head& head, const mcp::Message& message);

// The value of a header that may be written as "=?base64?...?="; nothing if that is no base64 of
// UTF-8.
std::optional<std::string> decoded_header(std::string_view value);

}  // namespace paddock::daemon
