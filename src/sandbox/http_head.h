// The head of an HTTP/1 request to a proxy: read by Boost.Beast, checked, and for a plain request
// rewritten for the origin. Pure.
//
// The origin gets the request line in origin form, a Host header made from the URL (whatever the
// client said), the other headers as they were understood except those that are between client and
// proxy, and "Connection: close": one connection, one request.
#pragma once

#include <string_view>

#include "sandbox/proxy_request.h"

namespace paddock::sandbox {

// `head` ends with the empty line.
ProxyStep read_http_head(std::string_view head);

}  // namespace paddock::sandbox
