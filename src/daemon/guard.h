// Who may talk to the server: the token, no web pages, and headers that agree with the message.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "mcp/message.h"
#include "net/answer.h"

namespace paddock::daemon {

// The bearer token of a server: how it is made, read from a header, and compared.

// 256 bits of the kernel's randomness, as letters and digits.
Outcome<std::string> make_secret();

// Takes as long for a wrong token as for the right one, whatever they have in common. Their length
// is no secret.
bool equal_secrets(std::string_view given, std::string_view expected) noexcept;

// What "Authorization: Bearer TOKEN" carries; empty if it is something else.
std::string_view bearer_of(std::string_view authorization) noexcept;

// Is this long enough, and can a header carry it?
bool is_usable_token(std::string_view token) noexcept;

// Keeps web pages out. A page in the browser of whoever runs the server can reach the loopback, and
// by DNS rebinding even as if it were of the same origin; but it cannot choose its Origin, nor the
// Host under which it believes to be.
class BrowserGuard {
public:
    // `address` is the one that the server is bound to. Names of the loopback are always allowed;
    // hosts are compared without a port, origins as a whole.
    BrowserGuard(std::string address, std::vector<std::string> hosts,
                 std::vector<std::string> origins);

    bool allows_host(const net::Head& head) const;    // also true if there is none, in HTTP/1.0
    bool allows_origin(const net::Head& head) const;  // also true if there is none

private:
    bool is_known_host(std::string_view host) const;

    std::vector<std::string> hosts_;
    std::vector<std::string> origins_;
};

// The headers that repeat what a message of MCP says, so that proxies can route by them. Whoever
// reads only one of both must not be lied to: they are compared.
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
