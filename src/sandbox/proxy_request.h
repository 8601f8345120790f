// What a client of the proxy asks for, read from the first bytes that it sends: SOCKS5 if the first
// one is 5, else HTTP. Pure.
//
//   HTTP    CONNECT host:port, or METHOD http://host[:port]/path
//   SOCKS5  no authentication, CONNECT to a name, an IPv4 or an IPv6 address
//
// Strict: lines end with CRLF, headers are not folded, nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/destination.h"
#include "sandbox/http_body.h"

namespace paddock::sandbox {

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

}  // namespace paddock::sandbox
