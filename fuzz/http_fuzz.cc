// Bytes as a client of HTTP: however they are cut into parts, the same requests come out, within
// the bounds, and nothing is read in two ways. The head of each request then passes the
// endpoint's admission and the rules of its headers.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "daemon/guard.h"
#include "daemon/http_endpoint.h"
#include "net/request_parser.h"

namespace {

using namespace paddock;
using net::RequestParser;

constexpr net::ParserLimits kLimits{.head_bytes_max = 512, .headers_max = 8, .body_bytes_max = 64};

struct Seen {
    std::vector<net::Request> requests;
    unsigned status = 0;
};

bool same_header(const net::Header& a, const net::Header& b) {
    return a.name == b.name && a.value == b.value;
}

bool same_request(const net::Request& a, const net::Request& b) {
    return a.body == b.body && a.head.method == b.head.method && a.head.target == b.head.target &&
           a.head.has_body == b.head.has_body && a.head.is_http_1_0 == b.head.is_http_1_0 &&
           a.head.keeps_alive == b.head.keeps_alive &&
           a.head.expects_continue == b.head.expects_continue &&
           std::ranges::equal(a.head.headers, b.head.headers, same_header);
}

bool same(const Seen& a, const Seen& b) {
    return a.status == b.status && std::ranges::equal(a.requests, b.requests, same_request);
}

// Without the token nothing but the two questions of a supervisor gets in.
void check_admission(const net::Head& head) {
    static const mcp::Protocol protocol({.name = "fuzz"}, {});
    static daemon::HttpEndpoint endpoint(
        protocol, {.token = "open-sesame", .allowed_hosts = {"agents.example"}});
    static const net::Handlers handlers = endpoint.handlers();
    if (handlers.admit(head)) return;
    const std::string* token = head.header("Authorization");
    PADDOCK_CHECK(head.path() == "/healthz" || head.path() == "/readyz" ||
                  (token != nullptr && token->find("open-sesame") != token->npos));
}

void check(const net::Request& request) {
    const net::Head& head = request.head;
    PADDOCK_CHECK(request.body.size() <= kLimits.body_bytes_max);
    PADDOCK_CHECK(head.headers.size() <= kLimits.headers_max);
    PADDOCK_CHECK(head.is_http_1_0 || head.header("Host") != nullptr);
    PADDOCK_CHECK(head.header("Content-Length") == nullptr ||
                  head.header("Transfer-Encoding") == nullptr);
    check_admission(head);
    mcp::Message message;
    message.method = "tools/call";
    message.params.append("name", "read_file");
    (void)daemon::check_headers(head, message);
}

// `step` bytes at a time.
Seen feed(std::string_view bytes, std::size_t step) {
    RequestParser parser(kLimits);
    Seen seen;
    std::size_t at = 0;
    for (std::size_t end = 0; end < bytes.size();) {
        end = std::min(bytes.size(), end + step);
        for (;;) {
            const auto before = parser.state();
            const std::size_t taken = parser.feed(bytes.substr(at, end - at));
            PADDOCK_CHECK(taken <= end - at);
            at += taken;
            if (parser.state() == RequestParser::State::kWrong) {
                seen.status = parser.status();
                return seen;
            }
            if (parser.state() == RequestParser::State::kDone) {
                seen.requests.push_back(parser.take());
                check(seen.requests.back());
            } else if (taken == 0 && parser.state() == before) {
                break;
            }
        }
    }
    return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const Seen whole = feed(bytes, std::max<std::size_t>(size, 1));
    PADDOCK_CHECK(same(whole, feed(bytes, 1)));
    PADDOCK_CHECK(same(whole, feed(bytes, 7)));
    return 0;
}
