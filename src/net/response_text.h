// Responses as bytes.
#pragma once

#include <string>
#include <string_view>

#include "net/message.h"

namespace paddock::net {

struct Framing {
    bool closes = false;     // the connection ends with this response
    bool is_stream = false;  // server-sent events follow instead of a body
    bool is_chunked = true;  // of a stream: in chunks, not up to the end of the connection
    std::string_view date;   // as HTTP writes it
};

// Status line and headers, up to and including the empty line. The length is that of
// `response.body`, which the caller sends or, for HEAD, does not.
std::string head_text(const Response& response, const Framing& framing);

// One event that carries `data`, and one that carries nothing and only shows that somebody is
// there.
std::string event_text(std::string_view data);
inline constexpr std::string_view kSilentEvent = ":\n\n";

std::string chunk_text(std::string_view data);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// A whole response that tells what the status means; `text` replaces the usual words.
Response plain_response(unsigned status, std::string_view text = {});

// "Tue, 17 Nov 2026 06:36:10 GMT".
std::string http_date(long long seconds_since_epoch);

}  // namespace paddock::net
