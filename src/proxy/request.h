// What a client of the proxy asks for, read from the first bytes that it sends: SOCKS5 if the first
// one is 5, else HTTP. Pure.
//
//   HTTP    CONNECT host:port, or METHOD http://host[:port]/path
//   SOCKS5  no authentication, CONNECT to a name, an IPv4 or an IPv6 address
//
// Strict: lines end with CRLF, headers are not folded, nothing is guessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/outcome.h"
#include "policy/host_rules.h"

namespace paddock::proxy {

// Where the body of an HTTP request ends, so that a connection carries the one request that was
// checked and not another behind it. Pure; bytes are counted, not changed.

class HttpBody {
public:
    HttpBody() = default;  // no body
    static HttpBody of_length(std::uint64_t bytes);
    static HttpBody chunked() { return {State::kSize, 0}; }

    // How many of the next bytes belong to the body. invalid_argument: the chunks are malformed.
    Outcome<std::size_t> take(std::string_view bytes);
    bool complete() const noexcept { return state_ == State::kDone; }

private:
    enum class State : std::uint8_t {
        kDone,
        kData,         // `left_` bytes and the end
        kSize,         // hexadecimal digits
        kExtension,    // behind them
        kSizeFeed,     // "\n" of that line
        kChunk,        // `left_` bytes
        kChunkReturn,  // "\r" behind them
        kChunkFeed,    // "\n"
        kTrailer,      // the beginning of a line
        kField,        // further on in it
        kFieldFeed,    // its "\n"
        kLastFeed,     // "\n" of the empty line
    };

    HttpBody(State state, std::uint64_t left) : state_(state), left_(left) {}
    bool step(char c);  // one byte that is no data; false: malformed
    bool add_digit(char c);
    bool go(bool allowed, State next);

    State state_ = State::kDone;
    std::uint64_t left_ = 0;
    int digits_ = 0;  // of the size
};

enum class ProxyProtocol : std::uint8_t { kUnknown, kConnect, kPlainHttp, kSocks };

struct ProxyRequest {
    ProxyProtocol protocol = ProxyProtocol::kUnknown;
    policy::Destination destination;
    std::string head;  // of a plain request: what the origin gets to see
    HttpBody body;     // of a plain request: how much of what follows belongs to it
};

// How an attempt ended, in terms that both protocols can tell.
enum class ProxyAnswer : std::uint8_t {
    kConnected,
    kBadRequest,
    kTooLarge,
    kUnsupported,
    kDenied,
    kNoSuchHost,
    kUnreachable,
    kTimeout,
};

struct ProxyRefusal {
    ProxyProtocol protocol = ProxyProtocol::kUnknown;
    ProxyAnswer answer = ProxyAnswer::kBadRequest;
    std::string_view why;
    std::string host;  // as written, if it was the host that was wrong
};

// One look at all bytes that have come and were not consumed.
struct ProxyStep {
    std::size_t consumed = 0;
    std::string_view reply;  // to send before anything else
    std::optional<ProxyRequest> request = {};
    std::optional<ProxyRefusal> refusal = {};  // neither: more bytes are needed
};

ProxyStep refused(ProxyProtocol protocol, ProxyAnswer answer, std::string_view why,
                  std::string_view host = {});

class ProxyRequestReader {
public:
    // `bytes` may hold more than the request. They are never more than kProxyHeadBytesMax; if so
    // many are not enough the request is refused.
    ProxyStep read(std::string_view bytes);

private:
    bool greeted_ = false;  // SOCKS5 has two steps
};

// The bytes that tell the client; none for a plain request that is connected.
std::string reply_text(ProxyProtocol protocol, ProxyAnswer answer, std::string_view why);

// The head of an HTTP/1 request to a proxy: read by Boost.Beast, checked, and for a plain request
// rewritten for the origin. Pure.
//
// The origin gets the request line in origin form, a Host header made from the URL (whatever the
// client said), the other headers as they were understood except those that are between client and
// proxy, and "Connection: close": one connection, one request.
// `head` ends with the empty line.
ProxyStep read_http_head(std::string_view head);

}  // namespace paddock::proxy
